"""The size of groups of nullable integers is nullable, also where their width depends on the values."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'d': pd.Categorical(np.resize(np.array(['y']), n)), 'b': pd.array(list(np.resize(np.array([2, 2, 5]), n)), dtype='Int16')}, index=pd.MultiIndex.from_arrays([np.resize(['b', 'a'], n), np.arange(n)]))
s2 = f1.groupby('d', dropna=False)['b'].transform('sum')
s3 = s2.groupby(level=1).size()

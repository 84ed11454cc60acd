"""A column that only the other frame has is one of floats where it has no value."""

import numpy as np
import pandas as pd

n = 2
f1 = pd.DataFrame({'a': pd.DatetimeIndex(np.resize(np.array(['NaT']), n)), 'b': pd.array([None] * n, dtype='Int64'), 'c': np.arange(n)})
f2 = pd.DataFrame({'v': pd.Categorical(np.resize(np.array(['x']), n))})
f3 = f2.combine_first(f1)

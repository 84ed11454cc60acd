"""The level of a MultiIndex that has only one is named by its number."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'d': np.arange(n) == 0}, index=pd.MultiIndex.from_arrays([np.resize(['a'], n)]))
f2 = f1.reset_index()
f2.iat[2, 0] = 'a'

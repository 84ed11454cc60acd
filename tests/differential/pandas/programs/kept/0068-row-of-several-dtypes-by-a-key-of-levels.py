"""A row by a key of all levels has NumPy's values, one by one."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'a': np.arange(n) % 2 == 0, 'b': np.arange(n)}, index=pd.MultiIndex.from_arrays([np.arange(n) % 2, np.resize(['x'], n), np.arange(n)]))
v14 = f1.loc[0, 'x', 2]
v15 = f1.loc[(0, 'x', 2), :]

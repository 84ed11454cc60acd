"""Groups of a column whose dtype the data decide are counted in nullable numbers."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'k': np.arange(n), 'v': pd.array([3] * n, dtype='Int32')}).iloc[:5]
f2 = f1.groupby('k').sum()
f3 = f2.groupby('v').agg({'v': 'count'})

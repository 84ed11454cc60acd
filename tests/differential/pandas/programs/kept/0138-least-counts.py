"""How many values there must be at least: where what is missing counts, and where none need be there."""

import numpy as np
import pandas as pd

f = pd.DataFrame({'k': [1, 2, 1, 2], 'x': [1.5, np.nan, 3.0, -0.0], 'i': [3, 1, 2, 0]})
v1 = f.groupby('k').first(skipna=False, min_count=2)
v2 = f.groupby('k').last(skipna=False, min_count=2)
v3 = f.groupby('k').min(skipna=False, min_count=2)
v4 = f.groupby('k').first(min_count=2)
v5 = f.cov(min_periods=0)
v6 = f.groupby('k').cov(min_periods=0)
v7 = 2 // f[['k', 'i']]
v8 = 5 % f[['k', 'i']]

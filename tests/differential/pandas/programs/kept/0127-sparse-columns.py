"""Sparse columns are told apart in sparse booleans, stand one after the other, and are counted in no groups."""

import numpy as np
import pandas as pd

f = pd.DataFrame({'s': pd.array([1, 0, 0, 2], dtype=pd.SparseDtype('int64', 0)), 'x': [1, 2, 3, 4], 'p': pd.array([1.5, np.nan, np.nan, 2], dtype=pd.SparseDtype('float64'))})
v1 = f.isna()
v2 = f['p'].notna()
v3 = pd.concat([f, f])
v4 = pd.concat([f['s'], f['x']])
v5 = pd.concat([f['s'], f['s'].iloc[:0]])
v6 = f.groupby('x').count()
v7 = f.groupby('x')['s'].size()
v8 = f.merge(f, on='x').sort_values('x', ascending=False)
v9 = pd.concat([f[['s']], f[['x']].iloc[:2]], axis=1)

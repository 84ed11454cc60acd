"""What groups and windows make of `group_keys`, `numeric_only` and `min_periods`."""

import numpy as np
import pandas as pd

f = pd.DataFrame({'k': [1, 1, 2, 2, 2], 'x': [1.5, 2.0, 3.0, 4.0, 7.0], 'y': [1.0, 3.0, np.nan, 4.0, 9.0], 'o': pd.array([True, None, False, True, True], dtype='boolean'), 's': ['a', 'b', None, 'b', 'c']})
v1 = f.groupby('k', group_keys=False)[['x', 'y']].corr()
v2 = f.groupby('k', group_keys=False)[['x']].cov()
v3 = f.groupby('k')[['x', 'y']].cov(min_periods=0)
v4 = f.groupby('k')['s'].sum(numeric_only=True)
v5 = f[['x', 'o']].rolling(2).count(numeric_only=True)
v6 = f[['x', 'o']].ewm(span=2).corr(numeric_only=True)
v7 = f[['x', 'y', 'o']].rolling(3).cov(numeric_only=True)
t = pd.DataFrame({'x': range(4)}, index=pd.period_range('2020-01', periods=4, freq='D'))
v8 = t.resample('W', origin='start').sum()

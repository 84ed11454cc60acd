"""Of groups without rows a sum of at least one value is missing, as of groups without values: spans of time, and categories."""

import numpy as np
import pandas as pd

t = pd.DataFrame({'t': pd.to_datetime(['2020-01-01', '2020-01-02', '2020-01-05']), 'x': [1.5, np.nan, 3.0], 'i': [1, 2, 3], 'j': pd.array([1, None, 3], dtype='Int64'), 'b': [True, False, True]})
v1 = t.resample('D', on='t')['x'].sum(min_count=1)
v2 = t.set_index('t')['x'].resample('D').prod(min_count=1)
v3 = t.set_index('t')[['x', 'j']].resample('D').sum(min_count=1)
v4 = t.set_index('t')['i'].resample('D').sum(min_count=1)
v5 = t.set_index('t').groupby('b').resample('D')['x'].sum(min_count=1)
v6 = t.groupby(pd.Grouper(key='t', freq='D'))['x'].sum(min_count=2)
c = t.assign(k=pd.Categorical(['p', 'q', 'p'], categories=['q', 'r', 'p']))
v7 = c.groupby('k', observed=False)['x'].sum(min_count=1)
v8 = c.groupby(['k', 'b'], observed=False)[['x', 'j']].prod(min_count=1)
v9 = c.groupby('k', observed=False)['x'].sum()

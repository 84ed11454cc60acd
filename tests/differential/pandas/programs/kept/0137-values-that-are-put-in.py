"""A value that is put in where there is none: of series pandas puts it in for what was missing before, and of what does not fit it warns, whether it puts any in or not."""

import numpy as np
import pandas as pd

s = pd.Series([1.5, np.nan, 2.0])
f = pd.DataFrame({'t': pd.to_datetime(['2020', None]), 's': ['x', None], 'i': [1, 2]})
v1 = s.align(s.iloc[1:], fill_value=0)
v2 = f['s'].align(f['s'].iloc[1:], fill_value='z')
v3 = s.dropna().align(s.dropna().iloc[1:], fill_value=0)
v4 = f.align(f.iloc[::-1], fill_value='z')
v5 = f[['i']].align(f[['i']].iloc[1:], fill_value=0)
t = pd.Series([1, 2, 3], index=pd.to_datetime(['2020-01-01', '2020-01-02', '2020-01-05']))
v6 = t.asfreq('D', fill_value=True)
v7 = t.asfreq('D', fill_value=0)
v8 = pd.Series(pd.to_datetime(['2020', '2021', '2022'])).reindex([0, 2], fill_value=0)
v9 = f[['i']].reindex([0, 1], fill_value=1.5)

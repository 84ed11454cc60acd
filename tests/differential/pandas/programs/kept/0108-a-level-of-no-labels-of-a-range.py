"""Labels of a range that a filter has cut are a range as a level below keys too, where they are evenly spaced."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'d': np.arange(0)})
f2 = f1.sort_values('d')
f3 = f2.loc[~(f2['d'] > 7)]
s4 = f3.groupby('d')['d'].rolling(4).sum()
v5 = s4.isna().unstack()
f6 = pd.DataFrame({'d': np.arange(12), 'k': 1})
f7 = f6.loc[f6['d'] % 3 == 0]
v8 = f7.groupby('k')['d'].rolling(2).sum().unstack()
f9 = f6.loc[f6['d'].isin([0, 1, 4])]
f10 = f9.loc[f9['d'] > 0]
v11 = f10.groupby('k')['d'].rolling(2).sum().unstack()
s12 = f7.groupby('k')['d'].rolling(2).sum().droplevel(0)

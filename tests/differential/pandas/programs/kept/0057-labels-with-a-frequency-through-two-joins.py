"""Labels that are known when frames are joined are looked at over the join alone."""

import numpy as np
import pandas as pd

n = 0
f1 = pd.DataFrame({'d': pd.array(list(np.resize(np.array([3]), n))), 'e': np.resize(np.array([2], dtype='i'), n), 'c': pd.array(np.resize(np.array(['a']), n)), 'b': pd.array(list(np.resize(np.array([3]), n))), 'a': pd.Categorical(np.resize([2], n))}, index=pd.date_range('2020-03-28', periods=n))
f4 = f1.nsmallest(3, 'b')
f12 = f4[f4['a'] == 'x']
f15 = f4[f4['c'] != 'x']
f18 = f12.join(f12.set_index('e'), on='e', rsuffix='_')
f19 = f15[f15['d'].isin(f18['e'])]

"""Of a frame without rows and one that brings nothing but keys, a merge has the `attrs` of the first."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'k': np.arange(4), 'd': np.arange(4)})
f2 = f1.merge(f1, on='k', how='right_anti')
f2.attrs['u'] = [2]
f3 = f2.merge(f1.loc[f1['d'] > 9, ['k']])
f4 = f2.merge(f1[['k']], on='k')
f5 = f1[['k']].merge(f2, on='k')
f1.attrs['u'] = 1
f6 = f1.merge(f1[['k']].assign(), on='k')

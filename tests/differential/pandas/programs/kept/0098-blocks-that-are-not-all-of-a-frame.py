"""A frame of which pandas has lost a block is sliced all the same."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'c': np.arange(n) * 1.0, 'a': np.arange(n, dtype='int32'), 'd': np.resize(np.array(['2021-12-31', '2020-01-01'], dtype='M8[s]'), n)}, index=pd.date_range('2020-01-01', periods=n, freq='D'))
f2 = pd.concat([f1['c'], f1.iloc[2:].reset_index(drop=True)['c']], axis=1)
f3 = f1 * f2
f4 = f3[:]

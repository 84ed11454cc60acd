"""Writing to a frame in place is not seen in columns of Arrow that were made of its columns."""

import numpy as np
import pandas as pd

n = 4
f1 = pd.DataFrame({'a': np.arange(n), 'd': np.arange(n).astype('M8[ns]'), 'x': np.arange(n) / 2})
s2 = f1['a'].astype('int64[pyarrow]')
s3 = f1['x'].astype('double[pyarrow]')
s4 = f1['d'].astype('timestamp[ns][pyarrow]')
s5 = f1['a'].astype('int64[pyarrow]') + 0
f6 = f1[['a', 'x']].astype({'a': 'int64[pyarrow]'})
f1.iloc[:2, 0] = 4
f1.iloc[1:, 1] = pd.Timestamp('2020-01-01')
f1.loc[f1['x'] > 0, 'x'] = -1.0

"""Text and timestamps stay what they are when they are stacked beside columns in which everything is missing."""

import numpy as np
import pandas as pd

n = 2
f1 = pd.DataFrame({'d': pd.DatetimeIndex(['2020-03-01'] * n), 'm': [np.nan] * n, 'x': pd.array([None] * n, dtype='str')})
s2 = f1[['m', 'd']].stack()
s3 = f1.stack()
f4 = pd.DataFrame({'s': ['a', 'b'], 'm': [np.nan] * n, 'i': [1.5, None], 't': pd.array([None, 2], dtype='Int64')})
s5 = f4[['m', 's']].stack()
s6 = f4.stack()
s7 = f4[['s', 't']].stack()
f8 = f1.iloc[:0].melt(id_vars='d')
f8['y'] = f1['d']
s9 = f8.stack()

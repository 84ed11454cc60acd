"""Writes to an object that was made of an array which must not be written to, without a copy, raise as in pandas."""

import numpy as np
import pandas as pd

s1 = pd.Series([0.0, np.nan, 1.5, 2.5])
a2 = s1.to_numpy()
s3 = pd.Series(a2, copy=False)
s3[s3.isna()] = -1
s4 = pd.Series(a2, copy=False)
s4.fillna(1.0, inplace=True)
s5 = pd.Series(a2, copy=False)
s5.loc[s5 > 1] = 2.0
f6 = pd.DataFrame({'a': a2}, copy=False)
f6.loc[f6['a'] > 1, 'a'] = 3.0
f7 = pd.DataFrame({'a': a2}, copy=False)
f7['a'] = 1.0

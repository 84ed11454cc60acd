"""Writes in place to memory that is read-only raise, whatever was made of it before; so do values that do not fit."""

import numpy as np
import pandas as pd

a1 = np.array([1.0, 2.0, np.nan, 4.0])
a1.flags.writeable = False
s2 = pd.Series(a1, copy=False)
s3 = s2 + s2
s2.where(s2 > 1, inplace=True)
s2.mask(s2 > 1, 0, inplace=True)
s2.clip(2, 3, inplace=True)
s2.fillna(value=0, inplace=True)
s2.replace(1.0, value=3.0, inplace=True)
s2.update(s3)
s2.at[0] = 9
f4 = pd.DataFrame(a1.reshape(2, 2), columns=['a', 'b'], copy=False)
f5 = f4 * 2
f4[f4 > 1] = 0
f4.where(f5 > 2, inplace=True)
f4.loc[0, 'a'] = 7
s6 = pd.Series([True, False, True])
s6.where(s6, inplace=True)
s7 = pd.Series([1, 2, 3])
s7.mask(s7 > 1, 1.5, inplace=True)
s7.replace(to_replace=1, value=2, inplace=True)

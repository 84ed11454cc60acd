"""The labels of a result are those of the left side, also where that is a series of pandas' own class."""

import numpy as np
import pandas as pd

v = pd.Series(np.arange(8))
v1 = pd.Series(np.arange(8.0)).astype('int32')
v2 = pd.Series(pd.period_range('2020-01', periods=8)).dt.month
t = pd.DataFrame({'k': np.arange(8)}, index=pd.Index(np.arange(8))).nsmallest(2, 'k')['k']
t2 = pd.Series([1, 2], index=pd.Index([0, 1]))
s1 = v - t
s2 = v - t2
s3 = v1 - t
s4 = v2 - t
s5 = v2 - t2
s6 = t - v
s7, s8 = v.align(t)

"""Groups by a level that has a frequency keep it."""

import os

import numpy as np
import pandas as pd

n = 6
f2 = pd.DataFrame({'a': np.resize(np.array([120]), n)}, index=pd.timedelta_range('1D', periods=n))
v9 = f2.unstack()
v47 = v9.groupby(level=1).size()
v48 = v9[v9 > 1].groupby(level=1).sum()

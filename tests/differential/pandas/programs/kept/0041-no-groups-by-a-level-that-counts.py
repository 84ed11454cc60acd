"""No groups by a level that counts."""

import os

import numpy as np
import pandas as pd

n = 8
f2 = pd.DataFrame({'b': np.resize([2], n)})
f3 = f2.merge(f2, how='left_anti')
v9 = f3.unstack()
v10 = v9.groupby(level=1).min()
v11 = f2.unstack().groupby(level=1).min()
v12 = f2.iloc[::2].unstack().groupby(level=1).min()

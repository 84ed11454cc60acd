"""Which objects are missing, as objects: booleans, and not the objects themselves."""

import numpy as np
import pandas as pd

n = 6
f2 = pd.DataFrame({'c': np.resize(np.array([None]), n), 'k': np.arange(n)})
f3 = f2.isna()
s4 = f3['c'].astype(object)
f4 = f2.merge(f2, left_on='k', right_index=True)
f15 = f4.apply(lambda c: c.isna())
f22 = f15.merge(f4, left_on='c_y', right_on='k')

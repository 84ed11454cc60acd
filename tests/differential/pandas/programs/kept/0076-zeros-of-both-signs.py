"""Which zero is the least, the greatest or the middle of zeros of both signs is what NumPy's loops find."""

import numpy as np
import pandas as pd

n = 18
s1 = pd.Series(np.resize([-0.0, 0.0], n))
f2 = pd.DataFrame({'a': s1, 'b': np.resize([1.0, -0.0, 0.0], n), 'c': np.resize(np.array([0.0, -0.0], dtype='float32'), n)})
v3 = s1.min()
v4 = s1.max()
v5 = s1.quantile(0.5)
s6 = f2.min()
s7 = f2.max()
s8 = f2.quantile(0.25)

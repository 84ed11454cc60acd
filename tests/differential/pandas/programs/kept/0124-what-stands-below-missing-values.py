"""Text without rows, and what stands below floats that are missing, are as pandas makes them: its own methods depend on it."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'d': ['b']})
f2 = f1[f1['d'] == 'a']
f3 = f2.join(f2.set_index('d'), on='d')
n = 5
f4 = pd.DataFrame({'e': pd.array([3] * n, dtype='Float32')})
f5 = f4.truncate(1, 3)
f6 = f5.iloc[5:2]
s7 = f5['e'] // f6['e']
s8 = f5['e'] % f6['e']

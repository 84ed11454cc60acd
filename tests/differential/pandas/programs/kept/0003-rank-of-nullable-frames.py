"""Frames with nullable columns have ranks that are plain floats."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'c': pd.array([5, None, 2], dtype='Int64'), 'a': np.arange(n)})
f2 = f1.rank()
f3 = f1[['c']].rank()
s4 = f1['c'].rank()

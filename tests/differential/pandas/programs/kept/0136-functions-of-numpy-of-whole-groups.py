"""A function of NumPy's makes one value of all columns of a frame, and so of each group that is one."""

import numpy as np
import pandas as pd

f = pd.DataFrame({'k': [1, 1, 2], 'u': [1, 2, 2], 'x': [1.5, 2.0, 3.0]})
v1 = f.groupby('k').apply(np.sum)
v2 = f.groupby('k')[['u']].apply(np.max)
v3 = f.groupby('k').apply(lambda g: np.mean(g))
v4 = f.groupby('k').apply(lambda g: np.sum(g, axis=0))
v5 = f.groupby('k').apply(lambda g: np.sum(g['x']))
v6 = f.groupby('k').agg(np.sum)
v7 = f.groupby('k')['x'].apply(np.sum)

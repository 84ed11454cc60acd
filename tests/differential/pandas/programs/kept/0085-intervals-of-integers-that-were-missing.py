"""Intervals of integers of which one was missing are of floats, whichever rows are left."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'c': pd.arrays.IntervalArray.from_arrays(np.arange(n), np.arange(n)), 'e': np.resize([2], n), 'k': np.roll(np.arange(n), 5)})
f2 = f1.merge(f1, left_on='e', right_on='k', how='outer')
f3 = f2.dropna(subset=['e_x'])
f4 = pd.merge_asof(f3, f2.dropna(), on='e_x')

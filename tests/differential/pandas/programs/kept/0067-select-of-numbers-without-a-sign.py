"""`np.select` does not write a number of Python among numbers without a sign."""

import numpy as np
import pandas as pd

n = 5
f1 = pd.DataFrame({'a': np.resize(np.array([7], dtype='uint64'), n), 'b': np.resize(np.array([2]), n)})
a5 = np.select([f1['b'] != 2, f1['b'] >= 1], [f1['a'], 1])
a6 = np.select([f1['b'] != 2], [f1['a']], 1)

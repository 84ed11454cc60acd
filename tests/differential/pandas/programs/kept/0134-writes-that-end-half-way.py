"""Where pandas raises in the middle of writing in place, what it has written stays."""

import numpy as np
import pandas as pd

f = pd.DataFrame({'a': [np.nan, 1.0, np.nan], 'c': pd.array([None, True, None], dtype='boolean')})
g = pd.concat([f, f['a'].rename('b')], axis=1)
f.fillna(0, inplace=True)
g.fillna(0, inplace=True)
h = pd.DataFrame({'e': pd.array([5, 5, 5], dtype='int64[pyarrow]')})
v1 = h.assign()
h['e'].array[1] = -1

"""Nullable floats of a frame are rounded."""

import pandas as pd

f1 = pd.DataFrame({'c': pd.array([0.25, None, 0.35], dtype='Float64'), 'i': pd.array([1, None, 3], dtype='Int64')})
f2 = f1.round(1)
f3 = f1.round({'c': 1})

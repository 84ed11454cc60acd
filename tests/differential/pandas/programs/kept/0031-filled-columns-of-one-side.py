"""Nullable columns that one frame does not have keep the dtype of the other's."""

import pandas as pd

f1 = pd.DataFrame({'c': pd.array([0, 1], dtype='Float32')})
f2 = f1.assign(z=f1['c'])
f3 = f1.sub(f2, fill_value=0)

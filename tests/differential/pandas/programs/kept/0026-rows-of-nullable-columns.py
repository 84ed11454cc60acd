"""A row of nullable columns and others is of one nullable dtype, in which NaN is NA, and integers may be floats."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'d': [0.0, np.nan], 'b': pd.array([1, 1], dtype='Int64')})
s2 = f1.apply(lambda row: row['d'], axis=1)
s3 = f1.apply(lambda row: row['d'] > 0, axis=1)
f4 = pd.DataFrame({'d': [1, 2], 'b': pd.array([1.5, 2.0], dtype='Float64')})
s5 = f4.apply(lambda row: row['d'], axis=1)

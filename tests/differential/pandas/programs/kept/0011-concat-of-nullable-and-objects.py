"""What a piece does not have is NaN among objects, and NA stays NA."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'d': pd.array([3, None], dtype='Int64')})
f2 = pd.DataFrame({'d': np.array([None], dtype=object)})
f3 = f2[f2['d'] == '']
f4 = pd.DataFrame({'v': [1]})
f5 = pd.concat([f4, f3, f1])

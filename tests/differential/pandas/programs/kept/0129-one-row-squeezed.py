"""A single row that is squeezed has NumPy's numbers among its objects, as one that is chosen by its position."""

import numpy as np
import pandas as pd

f = pd.DataFrame({'i': [1, 2, 3], 'x': [1.5, np.nan, 3.0], 's': ['p', 'q', 'r']})
v1 = f.iloc[[0]].squeeze()
v2 = f[f['i'] == 2].squeeze(axis=0)
v3 = f[['i', 'x']].iloc[[2]].squeeze()
v4 = f[['i']].iloc[[2]].squeeze()
v5 = f[['i']].iloc[[2]].squeeze(axis=0)

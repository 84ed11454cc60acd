"""Levels whose values stand in no order: they are sorted with the labels, which unstacking shows."""

import numpy as np
import pandas as pd

f = pd.DataFrame({'e': [3, 3], 'd': [1.5, np.nan]}).T
v1 = pd.concat({'r': f, 'a': f})
v1.sort_index(inplace=True)
v2 = v1.unstack(0)
v3 = v1[v1[0] > 1].sort_index(ascending=False)
v4 = pd.concat({'a': f.loc[['e']], 'r': f}).sort_index().unstack(1)

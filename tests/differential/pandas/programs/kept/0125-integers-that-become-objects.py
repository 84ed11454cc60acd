"""Integers that become objects stay integers, beside values that are missing too."""

import numpy as np
import pandas as pd

z = pd.DataFrame({'z': [True, False]})
i = pd.DataFrame({'d': [1, 2]})
s = pd.DataFrame({'d': ['x', None]})
o = pd.DataFrame({'d': np.array(['x', 1], dtype=object)})
t = pd.DataFrame({'d': pd.array(['x'], dtype='string')})
b = pd.DataFrame({'d': [True]})
v1 = pd.concat([z, i, s])
v2 = pd.concat([z, i, s.iloc[:0]])
v3 = pd.concat([z, i, o])
v4 = pd.concat([z, i, t])
v5 = pd.concat([z, i, t.iloc[:0]])
v6 = pd.concat([z, b, i])
v7 = pd.concat([z, b, s])
v8 = pd.concat([i, s])
v9 = pd.concat({'p': z, 'q': i, 'r': s[s['d'] == 'none']})
v10 = pd.concat({'p': z, 'q': i, 'r': t.merge(s, on='d')})
v11 = pd.concat([z, i, b, s.iloc[:0]])
v12 = pd.concat([i, t.merge(i.astype('str'), on='d')])

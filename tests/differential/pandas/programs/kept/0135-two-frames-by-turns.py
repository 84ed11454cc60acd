"""Frames of other rows that are computed of each other by turns: the program grows by one step with each, and not by all before it."""

import numpy as np
import pandas as pd

f, g = (pd.DataFrame({name: np.arange(30.0) + at for at, name in enumerate('abcdef')}, index=np.roll(np.arange(30), by)) for by in (3, 11))
f = f[f['a'] > 4]
g = g[g['a'] > 9]
for _ in range(12):
    f, g = (f + g) * 0.5, g * 0.5 - f * 0.25
v1 = f.sum()
v2 = g.sub(f['a'], axis=0).mul(g['b'], axis=0)

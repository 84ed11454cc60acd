"""Rows of groups that are left out or moved leave the levels of their labels in their order."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'b': np.arange(n)[::-1].copy(), 'e': np.resize(['Z', '1'], n), 'v': np.arange(n) * 0.5})
f2 = f1.groupby(['b', 'e'], sort=False)[['v']].mean().dropna(how='all')
f3 = f2.unstack()
f4 = f1.pivot_table(index='b', columns='e', values='b', sort=False)
v5 = f2.index.levels

"""Descriptions of groups by several keys stand where each key occurs first, with `sort=False`."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'k': np.roll(np.arange(6), 5), 'c': pd.array([7, 1, 7, 1, 7, 1])})
f2 = f1.groupby(['c', 'k'], sort=False)['k'].describe()
f3 = f1.groupby('c', sort=False)['k'].describe()
f4 = f1.groupby(['c', 'k'], sort=False)[['k']].describe()

"""Keys whose labels are no text become a column of their own, beside those with suffixes."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'e': np.resize(np.array([100, 120]), n), 'b': np.resize(np.array([2]), n)})
f2 = pd.crosstab(f1['b'], f1['e'])
f3 = f2.merge(f2, left_on=120, right_on=100)
f4 = pd.DataFrame({1: np.arange(n), 2: np.arange(n) % 3})
f5 = f4.merge(f4, left_on=1, right_on=2)
f6 = f4.merge(f4.rename(columns={1: 5, 2: 6}), left_on=1, right_on=6)
f7 = f4.merge(f4.rename(columns={1: 5, 2: 6}), left_on=1, right_on=6, how='right')

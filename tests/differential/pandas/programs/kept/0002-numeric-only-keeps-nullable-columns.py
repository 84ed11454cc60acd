"""Nullable numbers are numbers, down the rows and across them."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'c': pd.array([5, None, 2], dtype='Int64'), 'a': np.arange(n), 'b': [True, False, True]})
s2 = f1.max(numeric_only=True)
s3 = f1.sum(axis=1, numeric_only=True)
s4 = f1[['c', 'a']].sum(axis=1, numeric_only=True)
s5 = f1.iloc[:0].sum(axis=1, numeric_only=True)

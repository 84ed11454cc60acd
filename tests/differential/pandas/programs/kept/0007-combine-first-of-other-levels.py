"""Columns of one level and of two are brought together as pandas does."""

import numpy as np
import pandas as pd

n = 2
f1 = pd.DataFrame({'b': pd.array([3, 4], dtype='Int64'), 'k': np.arange(n)})
f2 = f1.groupby('k').agg({'b': ['count']})
f3 = f1.combine_first(f2)

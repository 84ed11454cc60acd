"""An expression over columns that have no dtype in common raises, though their operator knows what they come to."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'b': pd.array([3] * n, dtype='Int64'), 'a': pd.array([3] * n, dtype='int8[pyarrow]')})
v3 = f1.eval('b - a')
v4 = f1['b'] - f1['a']

"""A column of Arrow is written by its array, as its frame sees."""

import os

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'b': pd.array([1, 2, 3, None, 5, 6], dtype='int64[pyarrow]'), 'c': np.arange(n)})
f2 = f1[f1['b'] > 2]
v = len(f2)
s3 = f1['b']
s3.array[1] = 10
s3.array[0] = None
f4 = f1[f1['b'] > 2]

"""Booleans that are written by an array are those that are read afterwards."""

import os

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'b': np.resize([True, False, False], n), 'c': np.arange(n)})
f2 = f1[f1['b']]
v = len(f2)
s3 = f1['b']
s3.array[1] = True
f4 = f1[f1['b']]

"""Frames whose indexes have different numbers of levels are combined as pandas does it, which leaves out rows of one of them."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'x': [1.0, 2.0, 3.0]}, index=pd.MultiIndex.from_arrays([['p', 'p', 'q'], [0, 1, 0]]))
f2 = pd.DataFrame({'y': [True, False], 'z': pd.array([1, 2], dtype='Int64')}, index=pd.Index([0, 2]))
f3 = f1.combine_first(f2)
f4 = f2.combine_first(f1)
f5 = f1.combine(f2, lambda a, b: a)
s6 = f1['x'].combine_first(f2['z'].astype('float64'))

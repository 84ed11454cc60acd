"""Labels of objects stay objects beside the keys of groups."""

import os

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'b': pd.array([2, 2, 5, None, None, None], dtype='Int16')}, index=pd.Index([0, 1, 2, (1, 2), (2, 3), (3, 4)], dtype=object))
s2 = f1.groupby('b')['b'].expanding().max()

"""Intervals of integers, of which none is missing, are put together."""

import os

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'b': pd.IntervalIndex.from_breaks(np.arange(n))})
f2 = pd.concat([f1])
f3 = pd.concat([f1, f1.head(2)], ignore_index=True)
f4 = f1.reindex([0, 1, 7])

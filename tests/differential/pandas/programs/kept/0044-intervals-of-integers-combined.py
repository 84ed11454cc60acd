"""Intervals of integers are combined."""

import os

import numpy as np
import pandas as pd

n = 6
f0 = pd.DataFrame({'v': pd.IntervalIndex.from_breaks(np.arange(n + 1)), 'i': np.arange(n)})
f1 = f0.combine_first(f0.iloc[2:])
f2 = f0.iloc[:3].combine_first(f0.iloc[2:])

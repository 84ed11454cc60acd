"""Intervals of integers have none that is missing, so that a column of them alone cannot be made."""

import numpy as np
import pandas as pd

n = 5
f1 = pd.DataFrame({'k': np.arange(n)}, index=pd.IntervalIndex.from_breaks(np.arange(n + 1)))
f2 = f1.reset_index()
f3 = f1.merge(f2, how='right_anti')
f4 = f3.combine_first(f2)

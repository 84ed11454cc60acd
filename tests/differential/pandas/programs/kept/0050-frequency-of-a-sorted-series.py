"""Sorting a series leaves no frequency to its labels, not even a negative one; sorting a frame does, and what is sorted already keeps it."""

import numpy as np
import pandas as pd

n = 4
f1 = pd.DataFrame({'k': np.arange(n)[::-1], 'l': np.arange(n)}, index=pd.date_range('2020-03-28', periods=n))
s2 = f1['k'].sort_values()
s3 = f1['l'].sort_values()
s4 = f1['l'].sort_values(ascending=False)
f5 = f1.sort_values('k')
s6 = f1.iloc[:1]['k'].sort_values()
s7 = f1['l'][f1['l'] > 1].sort_values()
s8 = f1['k'][f1['k'] > 1].sort_values()

"""Timestamps of Arrow are described, and columns without rows are widened, as pandas has it."""

import os

import numpy as np
import pandas as pd

n = 3
f0 = pd.DataFrame({'d': pd.array([pd.Timestamp('2020-02-29 12:30'), None, pd.Timestamp('1969-12-31')], dtype='timestamp[us][pyarrow]'), 'i': np.arange(n), 'e': np.array(['2020-01-01', 'NaT', '2020-01-03'], dtype='M8[us]')})
f1 = f0[['d', 'i']].describe()
f2 = f0[['e', 'i']].cov(numeric_only=True)
f3 = f0[['i']].cov(numeric_only=True)
f4 = pd.DataFrame({'e': np.array([], dtype='float32')})
s5 = f4.mean()
s6 = f4.max()

"""Nullable columns and those of Arrow are numbers, where only numbers count, and keys beside others."""

import os

import numpy as np
import pandas as pd

n = 6
f0 = pd.DataFrame({'i': np.arange(n), 'I': pd.array([1, None, 3, 3, None, 7], dtype='Int64'), 'F': pd.array([1.5, None, 3.0, 3.0, None, 0.25], dtype='Float64'), 'a': pd.array([1, None, 3, 3, None, 7], dtype='int64[pyarrow]'), 't': list('abcdef')})
s1 = f0.idxmax(numeric_only=True)
s2 = f0.idxmin(numeric_only=True)
s3 = f0.quantile(0.5, numeric_only=True)
f4 = f0.quantile([0.25, 0.5], numeric_only=True)
s5 = f0[['i']].quantile(0.5)
f6 = f0[['i', 'F']].merge(f0[['t', 'I']].head(4), left_on='F', right_on='I', how='outer')
f7 = f0[['i', 'F']].merge(f0[['t', 'a']].head(4), left_on='F', right_on='a', how='left')

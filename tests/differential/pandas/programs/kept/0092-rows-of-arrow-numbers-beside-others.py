"""Rows of Arrow's floats beside integers are of floats."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'a': pd.array([1.5, None, 2.0], dtype='float[pyarrow]'), 'z': np.arange(n)})
s2 = f1[['z', 'a']].apply(lambda row: row['z'] * 2, axis=1)
s3 = f1[['z', 'a']].apply(lambda row: row['a'] + row['z'], axis=1)

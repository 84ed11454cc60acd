"""Values of Arrow's dtypes are counted in Arrow's integers."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'b': np.arange(n) % 2, 'd': pd.array(list(np.resize(np.array([2]), n)), dtype='double[pyarrow]')})
s2 = f1.groupby('b')['d'].value_counts()
s3 = f1.iloc[:0].groupby('b')['d'].value_counts()

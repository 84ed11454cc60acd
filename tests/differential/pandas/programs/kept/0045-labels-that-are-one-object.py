"""Labels that are one and the same object are intersected once: with none in common with others, their dtype is that of the first intersection."""

import numpy as np
import pandas as pd

n = 5
f1 = pd.DataFrame({'k': np.arange(3.0)}, index=['x', 'y', 'z'])
f2 = pd.DataFrame({'a': np.resize([1.0, 2.0, 3.0], n), 'b': np.arange(n)})
s3 = f2['a'].astype('str')
f4 = pd.concat([f1, f2, s3], axis=1, join='inner')

"""A column made of index labels is written to as any other, and the labels stay."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'d': np.arange(n)}, index=pd.MultiIndex.from_arrays([np.resize(['a'], n), np.arange(n)]))
f2 = f1.reset_index()
f1 = f2.cumsum()
f2.iat[2, 0] = 'b'
f2.iat[2, 1] = 7

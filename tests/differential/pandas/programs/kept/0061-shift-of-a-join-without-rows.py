"""A frame without rows is not shifted, though that is known only when dtypes are looked for."""

import numpy as np
import pandas as pd

n = 0
f2 = pd.DataFrame({'k': np.arange(n), 'b': np.resize(np.array([2]), n)})
f15 = f2[f2['k'] < 3]
f16 = f2['b'].reset_index()
f3 = f15.merge(f16, left_on='k', right_on='index', how='left')
f4 = f3.shift(1)
f5 = f4.iloc[1:]
f35 = pd.concat([f5['b_y']])

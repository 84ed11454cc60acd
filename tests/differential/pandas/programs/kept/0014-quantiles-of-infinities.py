"""NumPy has NaN between two infinities that are equal, as it subtracts them."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'c': [-np.inf, -np.inf, -np.inf]})
s2 = f1['c'].quantile(0.25)
f3 = f1.describe()
f4 = pd.DataFrame({'k': [1, 1, 2, 2], 'c': [-np.inf, -np.inf, 1.0, np.inf]}).groupby('k').quantile(0.3)

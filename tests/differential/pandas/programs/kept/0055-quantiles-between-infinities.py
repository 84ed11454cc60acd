"""Between two infinities that are equal there is NaN, as they are subtracted; groups go from the lower neighbour on, and not from the nearer one."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'c': [-np.inf, -np.inf, -np.inf]})
s2 = f1['c'].quantile(0.25)
f3 = f1.quantile([0.25])
f4 = pd.DataFrame({'k': [1, 1, 2, 2], 'c': [-np.inf, -np.inf, 1.0, np.inf]}).groupby('k').quantile(0.3)
f5 = pd.DataFrame({'k': [1, 1, 2, 2, 2], 'c': [0.1, 0.7, 1.3, 2.9, 1e-3]}).groupby('k').quantile(0.77)

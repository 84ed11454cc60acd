"""Where a quantile falls on a value, NumPy subtracts it from the next one all the same, and has NaN where that is infinite."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'c': [1.0, 2.0, np.inf]})
f2 = f1.quantile([0.5])
f3 = f1.describe()

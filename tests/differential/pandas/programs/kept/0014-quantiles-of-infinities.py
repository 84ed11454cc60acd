"""NumPy has NaN between two infinities that are equal, as it subtracts them."""

# fails: the engine has the infinity itself

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'c': [-np.inf, -np.inf, -np.inf]})
s2 = f1['c'].quantile(0.25)
f3 = f1.describe()

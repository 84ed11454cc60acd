"""A column of a frame is a view of it, also by its array."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'k': np.arange(n)})
f2 = f1 + 1
f2['k'].array[1] = 5

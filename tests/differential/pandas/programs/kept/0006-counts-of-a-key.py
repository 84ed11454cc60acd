"""The counts of a key within its groups have labels of one level."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'k': np.arange(n) % 2})
s2 = f1.groupby('k')['k'].value_counts()

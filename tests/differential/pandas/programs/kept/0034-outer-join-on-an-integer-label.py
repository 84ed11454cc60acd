"""The key of the left side is filled from that of the right one."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({100: np.arange(n)}, index=pd.Index(np.arange(n), name='d'))
f2 = pd.DataFrame({'k': np.arange(n), 'z': np.arange(n) + 1})
f3 = f1.merge(f2, left_on=100, right_on='z', how='outer')

"""A frame without rows is returned as it is where duplicates are dropped."""

import numpy as np
import pandas as pd

n = 0
f1 = pd.DataFrame({'d': np.arange(n)}, index=pd.date_range('2020-01-01', periods=n))
f2 = f1.drop_duplicates(ignore_index=True)

"""Labels of a calendar are looked at for a range."""

import numpy as np
import pandas as pd

n = 3
s1 = pd.Series(np.array(['2020-01-01', '2020-01-02', '2020-03-01'], dtype='M8[us]'), index=pd.Index(np.arange(n)[::-1]))
f2 = s1.dt.isocalendar()

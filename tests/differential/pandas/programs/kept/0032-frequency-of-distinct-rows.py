"""Rows that are left of duplicates have no frequency unless they are one piece."""

import numpy as np
import pandas as pd

n = 6
s1 = pd.Series(np.resize(np.array([2, 2, 5]), n), index=pd.date_range('2020-01-01', periods=n))
s2 = s1.drop_duplicates()
f3 = s1.to_frame('a').drop_duplicates()
s4 = s1.iloc[:1].drop_duplicates()

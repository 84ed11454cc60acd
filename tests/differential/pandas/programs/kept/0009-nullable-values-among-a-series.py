"""What is missing is found by pandas' rules, and answers are nullable."""

import pandas as pd

s1 = pd.Series(pd.array([3, None, 4], dtype='Int64'))
s2 = s1.isin(s1)
s3 = s1.isin(s1.dropna())

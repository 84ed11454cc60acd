"""A range of labels that has all labels of the other side stays a range, though those are nullable."""

import pandas as pd

f1 = pd.DataFrame({'d': pd.array([1, 1, 2], dtype='Int64')})
s2 = f1.groupby('d')['d'].min()
s3 = f1['d'] / s2

"""Categories are cast with those that no row has: where pandas raises of one, it raises."""

import numpy as np
import pandas as pd

c = pd.Series(['foo', '123', None]).astype('category')
v1 = c[c == '123'].astype(float)
v2 = c.iloc[1:2].astype(int)
v3 = c.iloc[1:2].astype('Int64')
v4 = c.iloc[:0].astype(float)
v5 = pd.Series([1.5, np.inf]).astype('category').iloc[:1].astype(int)
v6 = pd.Series(pd.to_datetime(['2020', '2021'])).astype('category').astype('int64')
v7 = pd.Series(['1', '2']).astype('category').astype(int)

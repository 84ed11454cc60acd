"""Plans that read what is kept of a join are computed before the array below is written to."""

import numpy as np
import pandas as pd

n = 20
f1 = pd.DataFrame({'k': np.arange(n)[::-1].copy(), 'd': pd.array(np.resize(np.array(['b', 'a', 'x'], dtype=object), n), dtype='str'), 'a': pd.array(list(np.resize(np.array([True, False], dtype=object), n)), dtype='boolean')}, index=pd.RangeIndex(0, 2 * n, 2))
f2 = f1.merge(f1[['a']].drop_duplicates(), on='a', how='right')
s3 = f1['k'] - f2['k']
f2.to_parquet('other0.parquet')
f4 = pd.read_parquet('other0.parquet')
f1['k'].array[16] = 15

"""A zone that is read from a file is the object that Arrow has for it."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'a': pd.DatetimeIndex(np.array(['2020-03-01', '2021-03-01'], dtype='M8[us]')).tz_localize('UTC')})
f1.to_feather('again.feather')
f1.to_parquet('again.parquet')
f2 = pd.read_feather('again.feather')
f3 = pd.read_parquet('again.parquet')

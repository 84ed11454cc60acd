"""A frame without rows has labels in seconds after it is resampled by timedeltas, and a series has those of its own unit."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'a': np.arange(0)}, index=pd.timedelta_range('1h', periods=0, freq='90min'))
f2 = f1.resample('12h').ffill()
s3 = f1['a'].resample('12h').bfill()
f4 = f1.resample('7s').asfreq()

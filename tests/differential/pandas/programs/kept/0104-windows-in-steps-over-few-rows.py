"""Windows in steps over one row, or none, have the labels as they were, with their frequency."""

import numpy as np
import pandas as pd

s1 = pd.Series(np.arange(4.0), index=pd.timedelta_range('1h', periods=4, freq='90min'))
s2 = s1[s1 > 9].rolling(3, step=2).count()
s3 = s1.iloc[:1].rolling(3, step=2).sum()
s4 = s1.iloc[:0].rolling(3, step=3).mean()
f5 = s1.to_frame('a').iloc[:1].rolling(2, step=2).min()
s6 = s1.rolling(3, step=2).count()

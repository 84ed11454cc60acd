"""Labels that are not found are missing where a column is written to, also where something else refers to the frame."""

import numpy as np
import pandas as pd

n = 25000
f1 = pd.DataFrame({'a': np.arange(n)})
s2 = pd.Series(np.arange(n) + 10, index=pd.RangeIndex(n, 2 * n))
s3 = f1['a'] <= 3
f1.loc[s3, 'a'] = s2

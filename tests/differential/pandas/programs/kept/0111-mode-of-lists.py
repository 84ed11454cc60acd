"""The mode of lists."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'a': [1, 1, 2], 'e': [np.nan, 1.5, 2.5]})
s2 = f1.groupby('a')['e'].agg(list)
s3 = s2.mode()

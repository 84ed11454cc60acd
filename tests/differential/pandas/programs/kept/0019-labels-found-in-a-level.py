"""Labels of one level are found in the level of that name."""

import numpy as np
import pandas as pd

n = 4
f1 = pd.DataFrame({'k': np.arange(n), 'd': np.arange(n) * 2.5}, index=pd.Index(np.arange(n)[::-1], name='l'))
f2 = pd.concat([f1, f1], keys=['p', 'q'])
s3 = f1.iloc[::-1].sort_values('k')['d']
f2['y'] = s3.shift(1)

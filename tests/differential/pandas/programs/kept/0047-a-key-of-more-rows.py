"""Groups by a series of more rows go by its labels, and a column that is the key is left out only where the rows are a view of the others."""

import numpy as np
import pandas as pd

n = 8
f0 = pd.DataFrame({'k': np.arange(n) % 3, 'v': np.arange(n), 's': pd.array(np.resize(['a', None, 'b'], n), dtype='str')})
f1 = f0[f0['v'] > 2]
f2 = f1.groupby(f0['k'] + 1)['v'].sum()
f3 = f1.groupby(f0['k']).count()
f4 = f0[f0['v'] >= 0].groupby(f0['k']).count()
f5 = f0.iloc[2:].groupby(f0['k']).count()
f6 = f0.groupby(f1['s'], dropna=False).size()

"""Which rows lack a partner is asked once for each join, also where several columns ask the same."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'b': np.resize([1, 2, 3], n), 'd': np.arange(n), 'e': np.arange(n, dtype='int8')})
f2 = f1[f1['b'] == 1]
f3 = f2.merge(f2, on='b', how='left', suffixes=('', '_r'))
f4 = pd.DataFrame({'e': np.arange(n)}, index=pd.RangeIndex(3, 3 + n))
f5 = f3.assign(y=f4['e'] + 1)

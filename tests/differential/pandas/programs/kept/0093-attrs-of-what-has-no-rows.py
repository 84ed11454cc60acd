"""Without rows pandas keeps `attrs` where it keeps none of other rows."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'e': np.array([], dtype='int64'), 'c': np.array([], dtype='int64'), 'd': np.array([], dtype='float64')})
f1.attrs['source'] = 'm'
f2 = f1.groupby(['e', 'c'])['d'].min().unstack()
f3 = pd.DataFrame({'k': np.arange(3)})
f4 = f3.merge(f1, left_index=True, right_index=True, how='right')

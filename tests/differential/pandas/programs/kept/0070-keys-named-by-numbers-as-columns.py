"""Keys named 4 and 0 are positions of levels to pandas when they become columns."""

import numpy as np
import pandas as pd

n = 5
f1 = pd.DataFrame({'a': np.arange(n), 'k': np.roll(np.arange(n), 5)})
f7 = pd.crosstab(f1['a'], f1['k'])
f9 = f7.iloc[1:]
f11 = f9.groupby([4, 0], as_index=False).min()

"""What both sides of an as-of join have in common among their `attrs` is kept."""

import numpy as np
import pandas as pd

n = 4
f1 = pd.DataFrame({'k': np.arange(n), 'v': np.arange(n)})
f1.attrs['unit'] = 1
f2 = pd.merge_asof(f1, f1, on='k')
f3 = f1.copy()
f3.attrs['unit'] = 2
f4 = pd.merge_asof(f1, f3, on='k')
f5 = pd.merge_asof(f1, pd.DataFrame({'k': np.arange(n)}), on='k')
f6 = pd.merge_asof(f1[f1['k'] > 9], f1, on='k')

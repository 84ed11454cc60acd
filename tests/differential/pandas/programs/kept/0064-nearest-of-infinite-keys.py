"""An infinite key is NaN away from itself, and pandas takes the one after it for the nearest."""

import numpy as np
import pandas as pd

n = 5
f2 = pd.DataFrame({'k': np.arange(n), 'a': np.resize(np.array([-np.inf]), n)})
f1 = f2.copy()
f13 = pd.merge_asof(f2, f1, on='a', direction='nearest')
f14 = pd.merge_asof(f2, f1, on='a', direction='forward')
f15 = pd.merge_asof(f2, f1, on='a', tolerance=1.0)

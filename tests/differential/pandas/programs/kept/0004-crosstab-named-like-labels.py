"""Keys of a table may be named like the index labels."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'d': ['x', 'y', 'x'], 'b': np.arange(n)}).set_index(['b'], drop=False)
f2 = pd.crosstab(f1['b'], f1['d'])

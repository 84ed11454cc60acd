"""Series named 0 and 1 are not taken for the levels at those positions."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'e': pd.Categorical(np.resize([3, 1, 2], n)), 'k': np.arange(n) % 4})
f1 = f1.groupby(['e', 'k'])['k'].sum().unstack()
f19 = pd.crosstab(f1[1], f1[0])
f21 = f19.set_index(0)

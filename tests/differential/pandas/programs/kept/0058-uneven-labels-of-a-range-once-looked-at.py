"""A range that somebody looked at, sorted and then filtered: of the sorted labels, which are no range, none is left."""

import numpy as np
import pandas as pd

n = 12
f1 = pd.DataFrame({'c': np.resize(np.array([2, -3]), n), 'k': np.arange(n)[::-1]})
f2 = f1[f1['k'] >= 6]
v3 = f2.index
f18 = f2.nlargest(4, 'c')
f20 = f18.query('c == -0.25')

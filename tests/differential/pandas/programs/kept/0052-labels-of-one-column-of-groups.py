"""A column of groups by itself has labels of its own, whatever those of the others are."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'c': np.arange(n), 0: np.arange(n), 'd': np.resize(np.array(['b', 'a']), n)})
f2 = f1.groupby('d', as_index=False)['c'].sum()
f3 = f1.groupby('d', as_index=False)[['c']].sum()
f4 = f1.groupby('d', as_index=False)[0].sum()
f5 = f1.groupby('d', as_index=False)['c'].agg('max')

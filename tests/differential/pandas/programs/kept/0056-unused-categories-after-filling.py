"""Categories of which none is unused are those of a column that looked at other rows."""

import numpy as np
import pandas as pd

n = 3
f4 = pd.DataFrame({'e': pd.Categorical(np.resize(np.array(['z']), n))})
f4.ffill(inplace=True)
s6 = pd.Series(np.resize([2], n)).abs()
s8 = f4['e'].cat.remove_unused_categories()
s11 = pd.concat([s8, s6])

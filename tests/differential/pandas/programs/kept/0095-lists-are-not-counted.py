"""Lists cannot be told apart by pandas, and so are not counted."""

import numpy as np
import pandas as pd

n = 2
f1 = pd.DataFrame({'k': np.arange(n), 'v': np.arange(n)})
s2 = f1.groupby(['k'])['v'].agg(list)
v3 = s2.nunique()

"""A column of groups that becomes a frame beside its key has forgotten the name of the columns."""

import numpy as np
import pandas as pd

n = 4
f1 = pd.DataFrame({'k': np.arange(n) % 2, 'v': np.arange(n)}).rename_axis(columns='e')
f2 = f1.groupby('k', as_index=False)['v'].any()
f3 = f1.groupby('k', as_index=False)['v'].agg('sum')
f4 = f1.groupby('k', as_index=False).sum()

"""A level of one label of a range is a range still when it is a key of groups."""

import numpy as np
import pandas as pd

n = 1
f16 = pd.DataFrame({'k': np.arange(n), 'v': np.resize(np.array([-3]), n)}).iloc[:3]
f17 = f16.reset_index()
f18 = f17.iloc[::2]
s15 = f18.groupby('k')['v'].rolling(3).std()
v34 = s15.groupby(level=1).last()

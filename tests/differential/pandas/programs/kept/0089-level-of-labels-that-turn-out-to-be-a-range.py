"""A level of labels that are a range once they are looked at is one."""

import numpy as np
import pandas as pd

n = 5
f1 = pd.DataFrame({'c': pd.Categorical(np.resize(np.array(['y']), n)), 'a': np.arange(n)})
f2 = f1.set_index('a').set_index('c', append=True).unstack()
f3 = f1[f1['a'] >= 0].set_index('c', append=True).unstack()

"""Labels that were found to be no range are none when they are sorted."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'e': np.resize(np.array([2]), n), 'c': np.resize([3], n)})
f1 = f1.set_index('c')
f2 = f1[f1['e'] == 2]
f3 = f2.iloc[[1]]
s4 = f2['e'].sort_values()

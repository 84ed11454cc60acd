"""Functions of NumPy that pandas has done by operators keep the `attrs` that operators keep."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'k': np.arange(n), 'c': np.arange(n)})
s2 = f1['k']
s2.attrs['source'] = 'm'
s3 = np.add(f1['c'], s2)
s4 = np.less(s2, f1['c'])

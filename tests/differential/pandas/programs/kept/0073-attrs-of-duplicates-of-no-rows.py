"""Of no rows `duplicated` keeps no `attrs`."""

import numpy as np
import pandas as pd

n = 0
f5 = pd.DataFrame({'a': np.arange(n)})
f5.attrs['s'] = 'm'
s23 = f5.duplicated('a')
f6 = pd.DataFrame({'a': np.arange(3)})
f6.attrs['s'] = 'm'
s24 = f6.duplicated('a')

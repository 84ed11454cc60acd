"""Methods that leave values as they are make a copy of them."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'u': np.arange(n, dtype='uint8'), 'i': np.arange(n), 'I': pd.array(range(n), dtype='UInt8'), 't': np.arange(n).astype('M8[us]'), 'b': np.arange(n) % 2 == 0})
s2 = f1['u'].abs()
s3 = f1['I'].abs()
s4 = +f1['i']
s5 = f1['i'].round()
s6 = np.floor(f1['i'])
s7 = f1['t'].dt.as_unit('us')
s8 = f1['t'].dt.tz_localize(None)
s9 = f1['i'].explode()
s10 = f1['i'].repeat(1)
s11, s12 = f1['i'].align(f1['i'].iloc[:3])
s13 = f1['i'].map(lambda x: x)
s14 = abs(f1['b'])
f15 = f1[['u', 'i']].round(2)
f1['u'].array[1] = 77
f1['i'].array[1] = 77
f1['I'].array[1] = 77
f1['t'].array[1] = pd.Timestamp('2020-01-01')
f1['b'].array[1] = True

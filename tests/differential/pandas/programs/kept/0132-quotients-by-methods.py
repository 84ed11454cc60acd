"""Methods of series divide arrays as NumPy does, where integers by zero are 0; operators, and methods of frames or with one value, put in what pandas has for it."""

import numpy as np
import pandas as pd

f = pd.DataFrame({'i': [3, 1, 2, 0], 'k': [1, 2, -1, 2], 'x': [1.5, np.nan, 0.0, -0.0], 'b': [True, False, True, True]})
v1 = f['k'].floordiv(f['i'])
v2 = f['k'].mod(f['i'])
v3 = f['i'].rfloordiv(f['k'])
v4 = f['i'].rmod(f['k'])
v5 = f['k'].floordiv([0, 1, 2, 3])
v6 = f['k'].mod(np.array([0, 1, 2, 3]))
v7 = f['k'].mod((0, 1, 2, 3))
v8 = f['k'].mod(f['i'], fill_value=0)
v9 = f['k'].floordiv(f['i'].iloc[1:])
v10 = f['x'].floordiv(f['i'])
v11 = f['k'].astype('float32').floordiv(f['x'].astype('float32'))
v12 = f['k'].astype('int8').mod(f['i'].astype('uint8'))
v13 = f['b'].mod(f['i'])
v14 = f['k'].floordiv(f['b'])
v15 = f['k'].floordiv(0)
v16 = f['k'] // f['i']
v17 = f['k'] % [0, 1, 2, 3]
v18 = f[['i', 'k']].mod(f['i'], axis=0)
v19 = f['k'].mod(f['i'].astype('Int64'))
v20 = f['i'].__radd__(other=f['k'])

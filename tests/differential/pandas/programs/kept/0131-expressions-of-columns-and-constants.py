"""An expression finds one dtype for a column and a constant first: of text and of objects beside them there is none."""

import numpy as np
import pandas as pd

k = 2
f = pd.DataFrame({'s': ['X', 'y', None], 'i': [1, 2, 3], 'o': pd.Series([1, 2, 3], dtype=object), 'd': pd.to_timedelta([1, 2, 3], unit='h'), 'j': pd.array([1, None, 3], dtype='Int64')})
v1 = f.eval('o + 1')
v2 = f.eval('2.5 * o')
v3 = f.eval('o + o')
v4 = f.eval('s + "x"')
v5 = f.eval('s * 2')
v6 = f.eval('s + s')
v7 = f.eval('i + @k')
v8 = f.eval('d * 2')
v9 = f.eval('j + 1')
v10 = f.eval('o > 1')

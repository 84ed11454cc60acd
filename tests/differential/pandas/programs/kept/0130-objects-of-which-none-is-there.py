"""Objects that were text are of no kind where none of them is left, whatever they were made of."""

import numpy as np
import pandas as pd

f = pd.DataFrame({'s': ['X', 'y', None], 'i': [1, 2, 3]})
g = f['s'].astype(object)
v1 = g[f['i'] == 9].astype('category')
v2 = g[f['i'] == 3].astype('category')
v3 = g.astype('category')
v4 = g[f['i'] == 9].convert_dtypes()
v5 = g[f['i'] == 3].convert_dtypes()
v6 = f['i'].astype(object)[f['i'] == 9].convert_dtypes()
v7 = g[f['i'] == 9].astype(pd.CategoricalDtype(ordered=True))
v8 = f['s'].astype('category')[f['i'] == 9].str.lower().astype(object).astype('category')

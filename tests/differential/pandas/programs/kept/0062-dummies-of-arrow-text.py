"""`get_dummies` of Arrow's text makes columns of Arrow's booleans."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'d': pd.array(list(np.resize(np.array(['1']), n)), dtype='large_string[pyarrow]')})
f7 = f1.reset_index()
v24 = f7['d'].str.get_dummies(',')

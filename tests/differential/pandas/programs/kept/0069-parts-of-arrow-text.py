"""The parts of Arrow's text are of Arrow's shorter text."""

import numpy as np
import pandas as pd

n = 6
f2 = pd.DataFrame({'a': pd.array(list(np.resize(np.array(['b c', 'd']), n)), dtype='large_string[pyarrow]')})
v6 = f2['a'].str.partition(' ')
v7 = f2['a'].str.rpartition(' ')
v8 = f2['a'].str.split(' ', expand=True)

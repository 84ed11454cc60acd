"""Writing a frame whose columns have labels of several types warns once."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({0: np.arange(3), 'a': np.arange(3)})
f2 = f1 + 1
f2.to_parquet('f')
f3 = pd.concat([f1[f1['a'] > 5], f1[f1['a'] > 7]])
f3.reset_index().to_parquet('g')

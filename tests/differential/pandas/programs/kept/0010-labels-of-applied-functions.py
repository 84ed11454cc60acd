"""Columns of results have labels of the dtype of the frame's."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'d': [7, 7], 'b': np.array(['2', '2'], dtype=object)})
f2 = f1.groupby('b', as_index=False)['d'].apply(len)

"""Labels of several classes, of which text alone is found, are text."""

import numpy as np
import pandas as pd

n = 8
f1 = pd.DataFrame({'c': pd.DatetimeIndex(np.resize(np.array(['2020-02-29']), n))})
f2 = pd.get_dummies(f1['c']).reset_index()
s3 = f2[['index']].idxmax(axis=1)

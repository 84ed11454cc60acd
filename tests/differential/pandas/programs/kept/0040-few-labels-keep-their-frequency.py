"""Few labels keep their frequency."""

import os

import numpy as np
import pandas as pd

n = 6
f2 = pd.DataFrame({'b': np.resize(np.array([3, 120]), n)}, index=pd.date_range('2020-01-01', periods=n))
f4 = f2[f2['b'] == 3]
f5 = f4[f4['b'] < 3]
f6 = f4.iloc[1:2]
f7 = f4.iloc[1:].iloc[:1]
f8 = f2.iloc[::-2].head(1)
f9 = f2.iloc[::2].iloc[::2]
f10 = f9.head(0)

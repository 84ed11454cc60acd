"""Periods that cannot be resampled to others cannot be where there are none either."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'b': pd.Categorical(['x'])[:0]}, index=pd.period_range('2020-01', periods=0, freq='M'))
f2 = f1.resample('W').nunique()

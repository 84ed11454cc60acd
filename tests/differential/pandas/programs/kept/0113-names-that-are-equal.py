"""A result has the name that both operands have, be it an integer of Python's or of NumPy's."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'a': np.arange(6), 'k': np.arange(6)})
f2 = pd.crosstab(f1['k'], f1['a'])
f3 = f2.merge(f2, on=[1])
s4 = f2[1] / f3[1]
s5 = f3[1] > f2[1]
s6 = pd.Series([1, 2], name=1) + pd.Index([1, 2], name=1.0)

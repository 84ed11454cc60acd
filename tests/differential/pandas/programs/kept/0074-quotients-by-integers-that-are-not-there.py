"""What stands under a missing integer is no zero: quotients by it stay integers."""

import numpy as np
import pandas as pd

a = pd.Series([1, 2], index=pd.Index([1, 7], dtype='Int32', name='b'))
b = pd.Series(pd.array([7, 1, None], dtype='Int32'))
b2 = b.iloc[:0]
s34 = a // b2
s35 = a.iloc[:0] // b
s36 = b // a

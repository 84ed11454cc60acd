"""A key of rows alone may stand in a tuple."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'q': np.arange(3)})
f1.loc[f1['q'] != 0,] = 11

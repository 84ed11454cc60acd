"""A column beside one without values is the first as it is, with its dtype."""

import numpy as np
import pandas as pd

n = 4
f1 = pd.DataFrame({'k': np.arange(n)})
f2 = pd.DataFrame({'k': np.full(n, np.nan)})
f3 = f1.combine_first(f2)
f4 = f1.combine_first(f2.iloc[:1])
f5 = f1.iloc[1:].combine_first(f2)

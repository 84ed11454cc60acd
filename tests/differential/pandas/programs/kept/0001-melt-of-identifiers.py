"""A column that is both an identifier and a value has no rows."""

import numpy as np
import pandas as pd

n = 2
f1 = pd.DataFrame({'k': np.arange(n)})
f2 = f1.melt(id_vars=['k'], value_vars=['k'])

"""What is written to the array of a column is seen in its frame, and not in copies."""

import numpy as np
import pandas as pd

n = 12
f1 = pd.DataFrame({'k': np.arange(n)})
f2 = f1.head(-2)
f3 = f1.copy()
f4 = f1.combine_first(f1)
f1['k'].array[10] = 3

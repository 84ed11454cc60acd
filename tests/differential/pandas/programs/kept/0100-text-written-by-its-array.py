"""What is written to an array of text is seen in the column that it is of, and not in frames that were made of its frame."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'d': np.arange(n), 'e': np.array(['x', 'y', 'z'], dtype=object)})
f2 = f1.add_prefix('p_')
f3 = f1.add_prefix('q_')
v4 = f3.shape
s5 = f1['e']
s5.values[1] = 'w'

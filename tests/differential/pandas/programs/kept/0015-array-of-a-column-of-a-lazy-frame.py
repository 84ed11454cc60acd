"""A column of a frame is a view of it, also by its array."""

# fails: a column of a frame that is not computed yet is computed by itself, and what is written to its array past pandas is not seen in the frame

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'k': np.arange(n)})
f2 = f1 + 1
f2['k'].array[1] = 5

"""Keys of rows without another key are levels of the result that nothing is in, and decide in which order pandas unstacks."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'b': np.resize(np.array(['x', None, 'y'], dtype=object), n), 'k': np.roll(np.arange(n), 5), 'e': np.arange(n)})
f2 = f1.groupby(['b', 'k'])['e'].sum().unstack()

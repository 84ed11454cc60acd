"""Keys that are objects are joined by pandas where either side may lack them."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'b': np.array([True, None, True], dtype=object), 'v': [1, 2, 3]})
f2 = f1.merge(f1, on='b', how='outer')
f3 = f1.merge(f1, on='b', how='right')

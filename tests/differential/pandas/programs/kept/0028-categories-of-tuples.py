"""Categories that are tuples beside others."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'d': [4, 4], 'b': np.resize(np.array([(2,), 3], dtype=object), 2)})
s2 = f1['b'].astype('category')
s3 = f1['d'].isin(s2)

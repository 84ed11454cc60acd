"""Arrow's floats tell a negative zero from zero among the values that are looked for."""

import numpy as np
import pandas as pd

n = 3
f1 = pd.DataFrame({'a': pd.array([-3.0, None, 2.0], dtype='double[pyarrow]'), 'b': np.array([-0.0, 0.0, 1.0])})
s2 = (f1['a'] * 0).isin([0])
s3 = f1['b'].isin([0])

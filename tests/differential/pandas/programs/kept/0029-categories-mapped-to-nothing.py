"""Categories that a mapping does not have are missing, though the mapping is of the same categories."""

import pandas as pd

f1 = pd.DataFrame({'a': pd.Categorical(['x', 'y'])})
s2 = f1['a'].map(f1['a'])
s3 = f1['a'].map({'x': 'y', 'y': 'x'})

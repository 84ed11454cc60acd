"""Of objects that are repeated pandas infers a dtype."""

import numpy as np
import pandas as pd

n = 2
f1 = pd.DataFrame({'e': pd.DatetimeIndex(np.resize(np.array(['2020-03-01']), n))})
s2 = f1['e'].astype('object')
s3 = s2.repeat(2)
s4 = pd.Series(['a', 'b'], dtype='object').repeat(2)

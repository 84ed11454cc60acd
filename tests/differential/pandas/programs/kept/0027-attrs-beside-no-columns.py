"""What is merged with a frame without columns may be returned as it is, with its `attrs`."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'k': np.arange(2)})
f1.attrs['s'] = 1
f2 = f1[f1['k'] > 5].merge(f1[[]], left_index=True, right_index=True)
f3 = f1.merge(f1[[]], left_index=True, right_index=True)

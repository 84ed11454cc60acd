"""An index that is joined with another keeps its frequency."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'k': np.arange(n), 'e': np.resize([True, False], n)}, index=pd.date_range('2020-01-01', periods=n))
f2 = f1.fillna(0)
s3 = f2.loc[f2['e'] != True, 'k']
s4 = s3 - f1['k']

"""Labels of groups by objects that are all text are strings, though the key is of objects."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'email': ['a@x', 'b@y', 'c@x', None], 'name': ['p', 'q', 'p', 'r'], 'v': [1, 2, 3, 4]})
s2 = f1['email'].str.split('@').str[1]
s3 = f1.groupby(s2)['v'].sum()
f4 = f1.groupby([s2, 'name']).sum(numeric_only=True)
f5 = f1.groupby(s2, as_index=False)['v'].max()
s6 = f1.groupby(s2, dropna=False).size()
f7 = f1.assign(a=s2)
s8 = f7.groupby('a')['v'].first()
s9 = f7[f7['v'] > 3].groupby('a')['v'].first()
s10 = f7[f7['v'] > 9].groupby('a').size()

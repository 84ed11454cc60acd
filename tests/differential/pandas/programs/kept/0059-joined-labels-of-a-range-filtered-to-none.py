"""Labels of a join are no range where each stands several times, and are none after all rows are gone."""

import numpy as np
import pandas as pd

n = 5
f1 = pd.DataFrame({'a': pd.array(list(np.resize(np.array([7]), n)))})
f1 = f1[f1['a'] == 7]
f1['a'] = 2
s3 = f1['a']
s4 = s3.set_axis(pd.date_range('2020-01-01', periods=len(s3)))
f5 = f1.join(f1.set_index('a'), on='a')
f6 = f5.loc[f5['a'] > 2]

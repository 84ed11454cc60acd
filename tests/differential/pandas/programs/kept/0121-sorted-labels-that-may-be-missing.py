"""What is missing is a label of groups with `dropna=False`, the greatest one, wherever else it would be put last."""

import numpy as np
import pandas as pd

n = 6
f1 = pd.DataFrame({'d': pd.array(list(np.resize(np.array([5]), n))), 'e': pd.array(list(np.resize(np.array([None, True]), n)))})
f2 = f1.iloc[[0, 1]]
f4 = f2.groupby(['e', 'd'], dropna=False).nunique()
v41 = f4.sort_index(ascending=[False, True])
v42 = f4.sort_index()
v43 = f4.sort_index(ascending=False)
f5 = f1.set_index(['e', 'd'])
v51 = f5.sort_index(ascending=[False, True])
v52 = f5.sort_index()
f6 = f1.assign(g=[2.5, None, 1.0, None, 2.5, 0.0])
f7 = f6.groupby(['g', 'd'], dropna=False).size().sort_index(ascending=False)
f8 = f6.groupby(['g', 'd'], dropna=False, sort=False).size().sort_index(ascending=False)
f9 = f6.groupby(['g', 'd'], dropna=False, sort=False).size().sort_index()
f10 = f6.groupby(['g', 'd'], dropna=False).size().head(3).sort_index(ascending=False, na_position='first')
f11 = f6.value_counts(['g', 'd'], dropna=False).sort_index(ascending=False)
f12 = f6.groupby(['g', 'd'], dropna=False).size().sort_index(level=1)
f13 = f6.groupby(['g', 'd'], dropna=False)[['d']].sum().unstack()

"""Intervals of integers that were missing are of floats, also where no row is left of them."""

import numpy as np
import pandas as pd

n = 5
f2 = pd.DataFrame({'c': np.resize(np.array([120]), n), 'a': pd.IntervalIndex.from_breaks(np.arange(n + 1))})
f3 = f2.query('c > 1 and c <= 3')
f5 = f3.join(f2, how='right', rsuffix='_')
f13 = f5[f5['c'] >= 3]
f6 = f2.iloc[:2].join(f2, how='right', rsuffix='_')
f7 = f6[f6['c'] >= 3]
f8 = f6.head(2)
f9 = f2.merge(f2.iloc[:2], on='c', how='outer').tail(3)
f10 = f2.reindex([0, 1, 9]).head(2)
f11 = pd.concat([f2, f2[['c']]]).head(3)
f12 = f2.shift(1).tail(2)
f14 = f2.merge(f2.iloc[:2], left_on='c', right_on='c', how='left').head(1)
f15 = f2.assign(k=np.arange(n)).merge(f2.iloc[:2].assign(k=np.arange(2)), on='k', how='left').head(1)
f16 = f2.assign(k=np.arange(n)).merge(f2.iloc[:2].assign(k=np.arange(2)), on='k', how='left').query('k < 1')
f17 = f2.where(f2['c'] > 300).head(1)
f18 = pd.merge_asof(f2.assign(k=np.arange(n)), f2.iloc[2:].assign(k=np.arange(2, n)), on='k').tail(2)
f20 = f2.iloc[5:2]
f21 = f20.reindex(range(1, 3))
f22 = f21.reindex(f20.index)
f23 = f21.head(0)
f24 = f20[['a']].reindex([0, 1]).iloc[:0]

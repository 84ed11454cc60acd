"""Frames side by side whose labels are the same and have other names have labels without a name."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'d': [1, 2, 3]}, index=pd.RangeIndex(2, -1, -1, name='l'))
f2 = f1.rename_axis('a')
f3 = pd.concat([f1, f2], axis=1)
f4 = pd.concat([f2['d'], f1['d'], f2['d']], axis=1, join='inner')
f5 = f1[f1['d'] > 1]
f6 = pd.concat([f5, f5.rename_axis(None)], axis=1)
f7 = f1.set_index(pd.Index([5, 6, 7], name='l'))
f8 = pd.concat({'x': f7, 'y': f7.rename_axis('b')}, axis=1)
f9 = pd.concat([f7.reset_index(), f7.reset_index().rename_axis('c')], axis=1)

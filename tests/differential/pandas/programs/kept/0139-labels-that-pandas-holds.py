"""Labels of which the engine knows only where they stand: those of two frames over the same rows are not the same for that."""

import numpy as np
import pandas as pd

f = pd.DataFrame({'k': [1, 2, 3]}, index=pd.period_range('2020-01', periods=3))
g = f.set_axis(pd.IntervalIndex.from_breaks([0, 1, 2, 3]))
v1 = pd.concat([f, g], axis=1)
v2 = f['k'] + f.set_axis(pd.period_range('2020-02', periods=3))['k']
h = f.set_axis(pd.CategoricalIndex(['b', 'a', 'b']))
v3 = pd.concat([h, h.set_axis(pd.Index(h.index.codes))], axis=1, join='inner')

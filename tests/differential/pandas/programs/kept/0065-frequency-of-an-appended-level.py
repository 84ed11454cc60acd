"""A level keeps the frequency of the labels that others are appended to."""

import numpy as np
import pandas as pd

n = 5
f1 = pd.DataFrame({'b': np.roll(np.arange(n), 5)})
f2 = f1.set_axis(pd.date_range('2020-03-28', periods=len(f1)))
f4 = f2.set_index(['b'], append=True)
v28 = f4.index.levels

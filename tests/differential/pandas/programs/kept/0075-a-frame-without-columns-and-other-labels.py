"""Frames of which one has no columns are aligned all the same, and levels without a name in common raise."""

import numpy as np
import pandas as pd

f2 = pd.DataFrame({'d': [7, 8, 7]})
f30 = pd.DataFrame({'k': [1, 2], 'v': [True, False]}).set_index(['v', 'k'])
f31 = f2 * f30
f32 = f30 * f2
f33 = pd.DataFrame({'d': [7, 8]}) + pd.DataFrame(index=[0, 1])
f34 = pd.DataFrame({'d': [7, 8]}) + pd.DataFrame(index=[1, 2])

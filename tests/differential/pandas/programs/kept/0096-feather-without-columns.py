"""The labels of no columns that are read from a file are text."""

import numpy as np
import pandas as pd

n = 2
f1 = pd.DataFrame({'e': np.resize(np.array([7]), n), 'k': np.arange(n)}).set_index(['e', 'k'])
f1.reset_index(drop=True).to_feather('file0.feather')
f2 = pd.read_feather('file0.feather')

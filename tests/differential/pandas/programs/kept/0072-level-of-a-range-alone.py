"""What is left of a level that counts is a range."""

import numpy as np
import pandas as pd

n = 1
f1 = pd.DataFrame({'b': np.resize(np.array([120]), n), 'd': np.resize(np.array([120]), n)})
s4 = f1.groupby('d')['b'].rolling(5).min()
v5 = s4.droplevel(0)
f6 = pd.DataFrame({'b': np.arange(4), 'd': [1, 0, 1, 0]})
s7 = f6.groupby('d')['b'].rolling(2).min()
v8 = s7.droplevel(0)

"""A series whose array is asked for has its own labels, not those of a frame that was made of it."""

import numpy as np
import pandas as pd

n = 5
f1 = pd.DataFrame({'b': np.arange(n)}, index=pd.Index(np.resize([2], n)))
s3 = f1['b'].rolling(2).max()
f5 = s3.reset_index()
a11 = s3.array
s6 = f1['b'].cumsum()
f7 = s6.to_frame('x')
f7.index = pd.Index(list('abcde'))
a8 = s6.array
f9 = f1['b'].rolling(2).max().rename('y').reset_index(drop=True).to_frame()
s10 = f9['y']
a11 = s10.array

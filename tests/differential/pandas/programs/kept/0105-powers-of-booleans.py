"""Powers of booleans are integers of 8 bits."""

import numpy as np
import pandas as pd

s1 = pd.Series([True, False, True])
s2 = s1 ** 2
f3 = s1.to_frame('a') ** 2
s4 = f3.eval('a ** 2')
s5 = 2 ** s1
s6 = s1.pow(3)

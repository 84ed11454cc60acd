"""In a query a string is looked up among the values of a column as it is: no timestamp, timedelta or number is equal to one."""

import numpy as np
import pandas as pd

n = 4
f0 = pd.DataFrame({'t': pd.date_range('2020-01-01', periods=n), 'd': pd.to_timedelta(np.arange(n), unit='D'), 'k': np.arange(n), 'c': pd.Categorical(['x', 'y', 'x', None])})
f1 = f0.query('t == "2020-01-01"')
f2 = f0.query('d != "1 days"')
f3 = f0.query('k == "1" or c == "x"')
f4 = f0.query('t > "2020-01-02"')

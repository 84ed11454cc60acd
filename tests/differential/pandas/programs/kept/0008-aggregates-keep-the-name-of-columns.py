"""The name of the columns stays where aggregates are chosen by column."""

import pandas as pd

f1 = pd.DataFrame({'a': [1, 1], 'b': [2, 3]}).rename_axis(columns='k')
f2 = f1.groupby('a').agg({'b': ['count', 'sum']})
f3 = f1.groupby('a').agg({'b': 'count'})

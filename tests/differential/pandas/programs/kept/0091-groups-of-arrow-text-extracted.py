"""Of Arrow's text a group that is missing from a match is empty, and has its dtype."""

import numpy as np
import pandas as pd

n = 4
f1 = pd.DataFrame({'e': pd.array(np.resize(np.array(['b', None, 'cd', '1'], dtype=object), n), dtype='large_string[pyarrow]')})
f2 = f1['e'].str.extract('(?P<p>[a-z])(?P<q>.)?')
s3 = f1['e'].str.extract('[a-z](.)?', expand=False)
f4 = f1['e'].str.extract('[a-z](.)?')
f5 = f1['e'].str.extract('([a-z])(.)?', expand=False)
f6 = f1['e'].str.extract('(?P<p>[a-z])(.)?')
f7 = f1['e'].str.extract('(?P<p>[a-z])(?P<q>.)?', flags=2)
s8 = f1['e'].str.extract('[a-z](?P<p>.)?', expand=False)

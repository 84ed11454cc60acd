"""A file without columns but labels is read by pandas."""

import pandas as pd

f1 = pd.DataFrame(index=pd.Index([1, 2], name='k'))
f1.to_parquet('again.parquet')
f2 = pd.read_parquet('again.parquet')

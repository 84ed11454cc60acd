"""The labels of one column beside its keys are made anew, of whatever dtype those of the frame were."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'d': pd.array(['b', 'b']), 'k': np.arange(2)})
f2 = f1.pivot(columns='d', values='k')
f2['y'] = f1['k']
f3 = f2.groupby('y', as_index=False)['b'].count()
f4 = f2.groupby('y', as_index=False)['b'].agg('mean')
f5 = f2.groupby('y', as_index=False)[['b']].sum()
f6 = pd.DataFrame(np.arange(6).reshape(3, 2)).groupby(0, as_index=False)[1].sum()

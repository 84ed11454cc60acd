"""Rows that are chosen by a list are a copy, and those of a slice a view, where they follow one another evenly too."""

import numpy as np
import pandas as pd

f1 = pd.DataFrame({'k': np.arange(5)})
f2 = f1.loc[[1, 2]]
f3 = f1.iloc[[1, 2]]
f4 = f1.take([1, 2])
f5 = f1.reindex([1, 2])
f6 = f1.iloc[1:3]
f7 = f1[f1['k'] < 3]
f8 = f1.loc[1:3]
f9 = f1.sample(frac=1.0, random_state=0).sort_index()
s1 = f1['k'].loc[[1, 2]]
s2 = f1['k'].iloc[[1, 2]]
s3 = f1['k'][[1, 2]]
f10 = f1.loc[1:4:2]
f11 = f1.iloc[1:4:2]
f12 = f1.iloc[::-1]
s4 = f1["k"].iloc[1::2]
f13 = f1.drop(0)
f14 = f1.drop([0, 1])
f15 = f1.truncate(1, 3)
f16 = f1.groupby(np.array([0, 0, 1, 1, 1])).head(1)
f17 = f1.set_index("k").loc[[1, 2]]
f18 = f1.merge(f1.tail(3), left_index=True, right_index=True)
f19, f20 = f1.align(f1.iloc[[2, 3]], join="inner")
f21 = f1.reindex([1, 2, 3])
f22 = f1.reindex_like(f21)
f23 = f1.nsmallest(2, "k")
f24 = f1.loc[2:2]
f25 = f1.loc[3:1]
f26 = f1.truncate(2, 2)
s5 = f1["k"].loc[2:2]
s6 = f1["k"].truncate(2, 2)
f27 = f1.iloc[[2]]
f28 = f1.filter(items=[2, 3], axis=0)
f1["k"].array[2] = 5
f1['k'].array[3] = 7

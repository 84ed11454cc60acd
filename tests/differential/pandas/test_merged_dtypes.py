"""Dtypes after merges: a side that may lack a partner is wide only where it does, whatever is done with it next."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check

DTYPES = ["bool", "int32", "uint8", "int64", "float32", "str", "category", "Int32", "boolean", "M8[us]"]


def _sides(dtype: str, gap: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    numbers = np.arange(12)
    values = pd.Series(numbers % 2 == 0 if dtype in ("bool", "boolean") else numbers % 5).astype(dtype)
    return pd.DataFrame({"k": numbers, "g": numbers % 3, "v": values}), pd.DataFrame({"k": numbers[::-1] + gap, "w": values, "h": numbers % 4})


MERGES = {
    "by-column": lambda p, a, b, how: a.merge(b, on="k", how=how),
    "by-labels": lambda p, a, b, how: a.set_index("k").join(b.set_index("k"), how=how).reset_index(),
    "by-two-names": lambda p, a, b, how: a.merge(b.rename(columns={"k": "l"}), left_on="k", right_on="l", how=how),
    "several-matches": lambda p, a, b, how: p.concat([a, a]).merge(p.concat([b, b]), on="k", how=how),
    "filtered": lambda p, a, b, how: a.merge(b, on="k", how=how).query("k > 2"),
}


def _put(frame: Any, label: str, value: Any) -> Any:
    frame = frame.copy()
    frame[label] = value
    return frame


USES = {
    "itself": lambda p, a, m: m,
    "dtypes": lambda p, a, m: m.dtypes,
    "grouped": lambda p, a, m: [m.groupby("v").h.sum(), m.groupby("w", as_index=False).size(), m.groupby(["v", "w"]).size().index, m.groupby("w", dropna=False).g.max()],
    "grouped-values": lambda p, a, m: [getattr(m.groupby("g")[["v", "w"]], name)() for name in ("first", "last", "count", "nunique")],
    "spread": lambda p, a, m: m.groupby("g").w.transform("first"),
    "beside": lambda p, a, m: [m.assign(z=m.v, y=m.w), _put(a, "z", m.v), _put(a, "z", m.w.iloc[3:]), _put(m[m.k > 3], "z", m.w)],
    "labels": lambda p, a, m: [m.set_index("v").index, m.set_index("k").index, m.set_index(["v", "w"])],
    "once": lambda p, a, m: [m.v.unique(), m[["v", "w"]].drop_duplicates(), m.v.value_counts()],
    "none": lambda p, a, m: [m[m.k > 99], m[(m.k > 99).astype(object).astype(bool)], m.loc[m.k > 99, ["v", "k"]], m[m.v.astype(object) == "none"]],
    "again": lambda p, a, m: [m.merge(a, on="k", how="outer"), p.concat([m, a])],
    "moved": lambda p, a, m: [m.sort_values("k", kind="stable").v, m.iloc[2:5], m.iloc[[1, 2]], m.v.shift()],
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize("merge", MERGES.values(), ids=MERGES)
@pytest.mark.parametrize("how", ["outer", "right", "left"])
def test_dtypes_after_merges(how: str, merge: Any, use: Any) -> None:
    for dtype in DTYPES:
        for gap in (0, 1):
            check(lambda p, a, b: use(p, a, merge(p, a, b, how)), *_sides(dtype, gap), native=False)


def test_no_rows_by_a_mask_of_other_rows() -> None:
    """Columns of which no row is left keep their dtypes."""
    frame = pd.DataFrame({"i": [1, 2], "f": [0.5, 1.5], "s": ["a", "b"], "b": [True, False]}, index=[3, 4])
    for mask in (pd.Series([False, False], index=[4, 3]), np.array([False, False]), [False, False]):
        check(lambda p, f, mask=mask: [f[mask], f.loc[mask], f.loc[[]], f.iloc[[]], f.reindex([])], frame, native=False)

"""Windows along numbers that are no plain ones: objects, categories, floats of 16 bits, and Arrow's."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check

KINDS: dict[str, Any] = {
    "objects-of-integers": pd.Series([3, 1, 2, 2**40, 0, 5], dtype=object),
    "objects-of-large-integers": pd.Series([3, 1, 2**70, 0, 1, 5], dtype=object),
    "objects-of-floats": pd.Series([1.5, np.nan, 2.5, np.inf, 0.25, -3.0], dtype=object),
    "objects-with-negative-zeros": pd.Series([0.0, -0.0, 0.0, -0.0, 0.0, 1.0], dtype=object),
    "objects-of-booleans": pd.Series([True, False, True, True, False, True], dtype=object),
    "objects-with-none": pd.Series([3, None, 2, 7, None, 5], dtype=object),
    "objects-with-nan": pd.Series([3, np.nan, 2, 7, np.nan, 5], dtype=object),
    "objects-with-NA": pd.Series([3, pd.NA, 2, 7, pd.NA, 5], dtype=object),
    "objects-of-text": pd.Series(["a", "1", "2", "x", "y", "z"], dtype=object),
    "objects-of-digits": pd.Series(["3", "1", "2", "7", "8", "5"], dtype=object),
    "objects-of-decimals": pd.Series([Decimal(1), Decimal(2), Decimal(3), Decimal(4), Decimal(5), Decimal(6)], dtype=object),
    "mixed": pd.Series([1, 2.5, True, None, 3, 4], dtype=object),
    "missing": pd.Series([None, np.nan, None, np.nan, None, None], dtype=object),
    "narrow": pd.Series([1.5, np.nan, -0.0, np.inf, 65504.0, 6e-8], dtype="float16"),
    "categories": pd.Series([3, 1, 2, 3, 3, 1]).astype("category"),
    "categories-with-missing": pd.Series(pd.Categorical([3, None, 2, 3, None, 1])),
    "categories-of-floats": pd.Series(pd.Categorical([1.5, None, -0.0, 1.5, 2.5, -0.0])),
    "categories-of-booleans": pd.Series(pd.Categorical([True, False, True, True, False, True])),
    "categories-of-text": pd.Series(pd.Categorical(["a", "b", "a", "a", "b", "c"])),
    "no-categories": pd.Series(pd.Categorical([None] * 6, categories=[])),
    "arrow-integers": pd.Series(pd.array([3, None, 2, 7, 2**60, 5], dtype="int64[pyarrow]")),
    "arrow-floats": pd.Series(pd.array([1.5, None, np.nan, 7, -0.0, 5], dtype="double[pyarrow]")),
    "arrow-booleans": pd.Series(pd.array([True, None, False, True, True, False], dtype="bool[pyarrow]")),
}
#: What is native of them, with every method.
NATIVE = ("objects-of-integers", "objects-of-booleans", "objects-with-none", "categories", "categories-with-missing", "arrow-integers", "arrow-booleans")
METHODS: dict[str, Any] = {
    "sum": lambda w: w.sum(),
    "mean": lambda w: w.mean(),
    "min": lambda w: w.min(),
    "max": lambda w: w.max(),
    "median": lambda w: w.median(),
    "std": lambda w: w.std(),
    "count": lambda w: w.count(),
    "skew": lambda w: w.skew(),
    "first": lambda w: w.first(),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_windows_along_other_kinds(kind: str, method: str) -> None:
    if method in ("sum", "mean") and (kind == "narrow" or "zeros" in kind):
        # pandas carries sums from one window to the next, and the sign of a zero with them.
        return
    made = METHODS[method]
    data = KINDS[kind].rename("x")
    for many in (6, 1, 0):
        some = data.iloc[:many]
        check(lambda pd, s: made(s.rolling(2)), some, native=kind in NATIVE and many == 6, rtol=1e-9)
        check(lambda pd, s: made(s.rolling(3, min_periods=0)), some, native=False, rtol=1e-9)
        check(lambda pd, s: made(s.to_frame().assign(y=[1.5] * len(s)).rolling(2)), some, native=False, rtol=1e-9)
        if method != "first":
            check(lambda pd, s: made(s.expanding()), some, native=False, rtol=1e-9)
        if method in ("sum", "mean", "std"):
            check(lambda pd, s: made(s.ewm(2)), some, native=False, rtol=1e-9)
        if many == 6:
            check(lambda pd, s: made(s.to_frame().assign(k=[1, 2] * 3).groupby("k")["x"].rolling(2)), some, native=False, rtol=1e-9)
            check(lambda pd, s: made(s.to_frame().assign(y=[1.5] * len(s)).rolling(2, closed="both"), **{}), some, native=False, rtol=1e-9)

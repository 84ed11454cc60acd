"""Which of two zeros pandas chooses in groups and windows: every order of zeros of both signs, other numbers and what is missing."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas
import pytest
from compare import check

_GROUPS = [group for size in (1, 2, 3) for group in itertools.product([0.0, -0.0, 1.0, -1.0, np.nan], repeat=size)]

#: What the engine computes, whichever zeros there are.
NATIVE: dict[str, Any] = {
    "min": lambda pd, df: df.groupby("k")["v"].min(),
    "max": lambda pd, df: df.groupby("k")["v"].max(),
    "min-frame": lambda pd, df: df.groupby("k").min(),
    "first": lambda pd, df: df.groupby("k")["v"].first(),
    "agg": lambda pd, df: df.groupby("k").agg(low=("v", "min"), high=("v", "max")),
    "agg-listed": lambda pd, df: df.groupby("k")["v"].agg(["min", "max", "last"]),
    "transform": lambda pd, df: df.groupby("k")["v"].transform("max"),
    "filtered": lambda pd, df: df[df["k"] % 2 == 0].groupby("k")["v"].min(),
    "computed": lambda pd, df: df.assign(w=df["v"] * -1.0).groupby("k")["w"].min(),
}
#: What is left to pandas where a column has a negative zero.
LEFT: dict[str, Any] = {
    "median": lambda pd, df: df.groupby("k")["v"].median(),
    "quantile": lambda pd, df: df.groupby("k")["v"].quantile(0.25),
    "quantiles": lambda pd, df: df.groupby("k")["v"].quantile([0.0, 0.5, 1.0]),
    "quantile-lower": lambda pd, df: df.groupby("k")["v"].quantile(0.5, interpolation="lower"),
    "cummin": lambda pd, df: df.groupby("k")["v"].cummin(),
    "cummax": lambda pd, df: df.groupby("k")["v"].cummax(),
    "rolling-min": lambda pd, df: df["v"].rolling(2).min(),
    "rolling-max": lambda pd, df: df["v"].rolling(3, min_periods=1).max(),
    "rolling-median": lambda pd, df: df["v"].rolling(3).median(),
    "rolling-quantile": lambda pd, df: df["v"].rolling(3).quantile(0.5, interpolation="lower"),
    "expanding-min": lambda pd, df: df["v"].expanding().min(),
}
_DTYPES = ("float64", "float32", "Float64", "double[pyarrow]")


def zeros(dtype: str) -> Any:
    """Groups of up to three values, in all orders."""
    keys = np.repeat(np.arange(len(_GROUPS)), [len(group) for group in _GROUPS])
    return pandas.DataFrame({"k": keys, "v": pandas.array([value for group in _GROUPS for value in group], dtype=dtype)})


@pytest.mark.parametrize("dtype", _DTYPES)
@pytest.mark.parametrize("program", NATIVE)
def test_the_zero_that_comes_first(program: str, dtype: str) -> None:
    check(NATIVE[program], zeros(dtype))


@pytest.mark.parametrize("dtype", ("float64", "float32"))
@pytest.mark.parametrize("program", LEFT)
def test_the_zero_that_pandas_chooses(program: str, dtype: str) -> None:
    check(LEFT[program], zeros(dtype), native=False)


@pytest.mark.parametrize("program", LEFT)
def test_without_negative_zeros_nothing_is_left_to_pandas(program: str) -> None:
    df = zeros("float64")
    check(LEFT[program], df.assign(v=df["v"].where(df["v"] != 0, 0.0)), rtol=1e-12)

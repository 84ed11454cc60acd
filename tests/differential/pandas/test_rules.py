"""What pandas complains or warns of, and what it does by a rule of its own: never done in its place."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas
import pytest
from compare import check, writes

FRAME = pandas.DataFrame(
    {
        "i": [1, 2, 3],
        "f": [1.5, np.nan, 2.25],
        "n": pandas.array([1, None, 3], dtype="Int64"),
        "t": pandas.date_range("2020-01-01", periods=3),
        "d": pandas.to_timedelta([1, 2, 3], unit="D"),
        "long": pandas.Series([pandas.Timedelta.max] * 3, dtype="m8[ns]"),
    }
)


def warned(program: Any) -> Any:
    """A program with what it warned of."""

    def run(pd: Any, df: Any) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = program(pd, df)
        return [(one.category.__name__, str(one.message)) for one in caught], result

    return run


def with_attrs(pd: Any, df: Any) -> Any:
    left, right = df[["i", "f"]].copy(), df[["i", "n"]].copy()
    left.attrs, right.attrs = {"a": 1}, {"b": 2}
    mixed = left.merge(right).attrs
    right.attrs = {"a": 1}
    return [mixed, left.merge(right).attrs, right.merge(left[["i"]]).attrs]


PROGRAMS: dict[str, Any] = {
    "series-before-frame": lambda pd, df: np.add(df["i"], df[["i", "f"]]),
    "frame-before-series": lambda pd, df: np.add(df[["i", "f"]], df["i"]),
    "drop-both": lambda pd, df: df.drop(index=0, axis=1),
    "rename-both": lambda pd, df: df.rename(columns={"i": "j"}, axis=1),
    "rename-index-both": lambda pd, df: df.rename(index={0: 5}, axis=0),
    "cumsum-too-long": lambda pd, df: df[["d", "long"]].cumsum(),
    "cumsum-too-long-series": lambda pd, df: df["long"].cumsum(),
    "astype-copy": warned(lambda pd, df: df[["i"]].astype("float64", copy=False)),
    "astype-copy-series": warned(lambda pd, df: df["i"].astype("float64", copy=True)),
    "infer-copy": warned(lambda pd, df: df.infer_objects(copy=False)),
    "round-times": warned(lambda pd, df: df.round(1)),
    "round-times-some": warned(lambda pd, df: df.round({"f": 1, "t": 0})),
    "numeric-only": warned(lambda pd, df: df[["i", "f"]].mean(numeric_only=1)),
    "numeric-only-series": warned(lambda pd, df: df["i"].sum(numeric_only=1)),
    "numeric-only-count": warned(lambda pd, df: df[["i", "f"]].count(numeric_only=1)),
    "numeric-only-quantile": warned(lambda pd, df: df[["i", "f"]].quantile(numeric_only=1)),
    "no-columns-and": lambda pd, df: pd.DataFrame(index=[1]) & pd.DataFrame(index=[1, 2]),
    "no-columns-mul": lambda pd, df: df[[]].iloc[:1].mul(df["i"], axis="index"),
    "attrs": with_attrs,
    "merge-right-of-labels": lambda pd, df: df[["i", "f"]].merge(df[["i", "f"]], how="right", left_index=True, right_on="i"),
    "merge-left-of-labels": lambda pd, df: df[["i", "f"]].merge(df[["i", "f"]], how="left", right_index=True, left_on="i"),
    "labels-of-columns": lambda pd, df: [df[1:].columns is not df.columns, df[["i", "f"]].sum().index is not df.columns],
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_rules(program: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAME, native=False)


def test_nan_among_nullable_numbers(configuration: str) -> None:
    with pandas.option_context("future.distinguish_nan_and_na", True):
        check(lambda pd, df: df["n"].replace(np.nan, -1), FRAME, native=False)


def test_bytes_in_another_order(configuration: str) -> None:
    frame = pandas.DataFrame({"le": np.array([1, 2], dtype="<m8[s]"), "be": np.array([1, 2], dtype=">m8[s]")})
    check(lambda pd, df: df.select_dtypes(include=[np.dtype(">m8[s]")]), frame, native=False)


def _put(value: Any) -> Any:
    @writes
    def program(pd: Any, df: Any) -> Any:
        series = df["n"]
        series[df["i"] > 1] = value
        df.loc[df["i"] > 2, "n"] = value
        return series, df

    return program


@pytest.mark.parametrize("value", [pandas.NA, None, 7, np.int64(-3)])
def test_values_put_among_nullable_ones(value: Any, configuration: str) -> None:
    check(_put(value), FRAME)


@pytest.mark.parametrize("value", [1.5, 2.0, True, float("nan"), "a", 2**70])
def test_other_values_put_among_nullable_ones(value: Any, configuration: str) -> None:
    check(_put(value), FRAME, native=False)

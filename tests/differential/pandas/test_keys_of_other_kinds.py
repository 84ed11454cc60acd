"""Keys that are iterators, columns sorted by the values of rows, and signs of booleans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES


def frame() -> pandas.DataFrame:
    return pandas.DataFrame({"a": [3, 1, 2], "b": [1.5, np.nan, 0.5], "c": [0, 5, 9]}, index=["x", "y", "z"])


def failing() -> Iterator[str]:
    yield "a"
    raise RuntimeError("no more")


def test_iterators_as_keys(configuration: str) -> None:
    check(lambda pd, df: df[iter(["a", "c"])], frame())
    check(lambda pd, df: df[(label for label in df.columns if label != "b")], frame())
    check(lambda pd, df: df["a"][iter(["x", "z"])], frame(), native=False)
    check(lambda pd, df: df.set_index(iter([7, 8, 9])), frame())
    check(lambda pd, df: df.set_index(["a", iter("pqr")]), frame())
    check(lambda pd, df: df.set_index([iter("pqr"), "a"], drop=False, append=True), frame())
    check(lambda pd, df: df.set_index(value for value in range(3)), frame())
    # What was read once is given to pandas again.
    check(lambda pd, df: df[iter(["a", "missing"])], frame())
    check(lambda pd, df: df.set_index(["missing", iter("pqr")]), frame())
    check(lambda pd, df: df.set_index(iter("pq")), frame())
    check(lambda pd, df: df[failing()], frame())
    check(lambda pd, df: df.set_index(failing()), frame())


@pytest.mark.parametrize("axis", [1, "columns"])
def test_columns_by_rows(axis: Any, configuration: str) -> None:
    check(lambda pd, df: df.sort_values("x", axis=axis), frame())
    check(lambda pd, df: df.sort_values("y", axis=axis, ascending=False), frame())
    check(lambda pd, df: df.sort_values("y", axis=axis, na_position="first"), frame())
    check(lambda pd, df: df.sort_values(["z", "x"], axis=axis, ascending=[False, True]), frame())
    check(lambda pd, df: df.sort_values("x", axis=axis, ignore_index=True), frame())
    check(lambda pd, df: df.reset_index(drop=True).sort_values(1, axis=axis), frame())
    check(lambda pd, df: df.sort_values("missing", axis=axis), frame())
    check(lambda pd, df: df.sort_values("x", axis=axis, key=lambda s: -s), frame(), native=False)
    doubled = pandas.concat([frame(), frame()])
    check(lambda pd, df: df.sort_values("x", axis=axis), doubled, native=False)
    check(lambda pd, df: df.assign(t="q").sort_values("x", axis=axis), frame(), native=False)


@pytest.mark.parametrize("name", FRAMES)
def test_signs_of_booleans(name: str, configuration: str) -> None:
    check(lambda pd, df: -df["b"], FRAMES[name]())
    check(lambda pd, df: +df["b"], FRAMES[name]())
    check(lambda pd, df: abs(df["b"]), FRAMES[name]())
    check(lambda pd, df: -df[["b", "k"]], FRAMES[name]())
    check(lambda pd, df: -df["b"].astype("boolean"), FRAMES[name]())
    check(lambda pd, df: np.negative(df["b"]), FRAMES[name](), native=False)


def test_an_index_whose_name_is_missing(configuration: str) -> None:
    for name in (pandas.NA, np.nan, pandas.NaT, 0, ""):
        series = pandas.Series([1, 2], index=pandas.Index([5, 6], name=name), name=name)
        check(lambda pd, s: s + 1, series)
        check(lambda pd, s: s + s, series)
    several = pandas.Series([1, 2], index=pandas.MultiIndex.from_arrays([[1, 2], ["a", "b"]], names=[pandas.NA, None]))
    check(lambda pd, s: s * 2, several)


def test_intervals_below_one_another(configuration: str) -> None:
    frame = pandas.DataFrame({"i": pandas.arrays.IntervalArray.from_breaks([0, 1, 2])})
    check(lambda pd, df: pd.concat([df, df], ignore_index=True), frame)

"""Functions with loops over the rows of a group, or of a window that is a series: compiled, beside pandas, which calls them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check

from airloom.functions import rows


@pytest.fixture(autouse=True)
def any_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "LEAST", 0)
    monkeypatch.setattr(rows, "LEAST_WITH_LOOPS", 0)


def numbers(kind: str = "plain") -> pandas.DataFrame:
    frame = pandas.DataFrame(
        {
            "k": [2, 1, 2, 3, 1, 2, 3, 2],
            "m": [1.0, None, 1.0, -0.0, 0.0, None, 1.0, 0.0],
            "s": pandas.array(["b", "a", None, "b", "a", "b", None, "c"], dtype="str"),
            "c": pandas.Categorical(["x", "y", "x", "y", "x", "x", "y", "x"], categories=["z", "y", "x"]),
            "i": [3, -1, 0, 12, 7, 100, -5, 2],
            "f": [1.5, -0.25, 2.675, -3.25, 1e10, 0.125, 4.0, -1.0],
            "b": [True, False, True, True, False, False, True, True],
        }
    )
    awkward = frame.assign(f=[np.nan, 1.0, -0.0, np.inf, np.nan, 2.0, 0.0, -np.inf], i=[1 << 62, 1 << 62, 1 << 62, 0, -1, 5, -(1 << 63), 2])
    return {"plain": frame, "awkward": awkward, "one": frame.iloc[:1], "none": frame.iloc[:0], "labelled": frame.set_axis(list("hgfedcba")), "some": frame.iloc[[7, 1, 4, 0, 2]]}[kind]


def squares(values: Any, factor: float = 1.0) -> Any:
    total = 0.0
    for value in values:
        if value > 0:
            total += value * value * factor
    return total


def added(values: Any) -> Any:
    total = 0
    for value in values:
        total += value
    return total


def rises(values: Any) -> Any:
    count = 0
    for k in range(1, len(values)):
        if values.iloc[k] > values.iat[k - 1]:
            count += 1
    return count


def falls(values: Any) -> Any:
    array = values.to_numpy()
    for k in range(1, values.size):
        if array[k] > array[k - 1]:
            return False
    return True


def last_first(values: Any) -> Any:
    found = values.iloc[-1]
    for k, value in enumerate(values):
        if k == 0:
            found = found - value
    return found


def in_order(values: Any) -> Any:
    """In the order of the rows, which a sum does not tell."""
    made = 0
    for value in values:
        made = made * 0.5 + value
    return made


def one_kind_or_another(values: Any) -> Any:
    for value in values:
        if value > 2:
            return 1.5
    return 1


def least(values: Any) -> Any:
    found = None
    for value in values:
        if found is None or value < found:
            found = value
    return found


def divided(values: Any) -> Any:
    total = 1.0
    for value in values:
        total = total / value
    return total


def nothing(values: Any) -> Any:
    for value in values:
        if value > 5:
            return None
    return 1


def written_to(values: Any) -> Any:
    for k in range(len(values)):
        values.iloc[k] = 0
    return values.sum()


def by_label(values: Any) -> Any:
    total = 0
    for k in range(len(values)):
        total += values[k]
    return total


def outside(values: Any) -> Any:
    total = 0
    for k in range(4):
        total += values.iloc[k]
    return total


def with_methods(values: Any) -> Any:
    total = values.mean()
    for value in values:
        total += value
    return total


def itself(values: Any) -> Any:
    for value in values:
        if value > 1000:
            return 0
    return values


COMPILED = [squares, added, rises, falls, last_first, in_order, one_kind_or_another]
OTHERS = [least, divided, nothing, written_to, by_label, outside, with_methods, itself]

SHAPES: dict[str, Any] = {
    "agg": lambda df, c, f: df.groupby("k")[c].agg(f),
    "apply": lambda df, c, f: df.groupby("k")[c].apply(f),
    "missing-keys": lambda df, c, f: df.groupby("m")[c].agg(f),
    "missing-keys-kept": lambda df, c, f: df.groupby("m", dropna=False)[c].agg(f),
    "text": lambda df, c, f: df.groupby("s")[c].agg(f),
    "unsorted": lambda df, c, f: df.groupby("s", sort=False)[c].agg(f),
    "two-keys": lambda df, c, f: df.groupby(["k", "s"])[c].agg(f),
    "observed": lambda df, c, f: df.groupby("c", observed=True)[c].agg(f),
    "no-index": lambda df, c, f: df.groupby("k", as_index=False)[c].agg(f),
    "named": lambda df, c, f: df.groupby("k").agg(first=(c, f), second=(c, "max")),
    "list": lambda df, c, f: df.groupby("k")[c].agg([f, "sum"]),
    "dict": lambda df, c, f: df.groupby("k").agg({c: f, "k": "count"}),
    "masked": lambda df, c, f: df[df["k"] < 3].groupby("k")[c].agg(f),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("function", COMPILED, ids=lambda function: function.__name__)
def test_groups(function: Any, shape: str, configuration: str) -> None:
    for column in ("i", "f"):
        # Rows that were chosen are not in memory until somebody looks.
        check(lambda pd, df, column=column: SHAPES[shape](df, column, function), numbers(), native=shape != "masked")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", ["plain", "awkward", "one", "none", "labelled", "some"])
@pytest.mark.parametrize("shape", ["agg", "apply", "missing-keys", "two-keys", "named"])
@pytest.mark.parametrize("function", [*COMPILED, *OTHERS], ids=lambda function: function.__name__)
def test_groups_of_awkward_data(function: Any, shape: str, frame: str) -> None:
    for column in ("i", "f", "b"):
        check(lambda pd, df, column=column: SHAPES[shape](df, column, function), numbers(frame), native=False)


def test_groups_without_rows() -> None:
    check(lambda pd, df: df.groupby("c", observed=False)["f"].agg(squares), numbers())
    check(lambda pd, df: df.groupby("c", observed=False)["f"].apply(squares), numbers())


def test_arguments() -> None:
    check(lambda pd, df: df.groupby("k")["f"].agg(squares, 2.5), numbers())
    check(lambda pd, df: df.groupby("k")["f"].apply(squares, factor=3), numbers())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("options", [{"window": 3}, {"window": 3, "min_periods": 1}, {"window": 4, "center": True}, {"window": 2, "closed": "left"}], ids=str)
@pytest.mark.parametrize("function", [*COMPILED, *OTHERS], ids=lambda function: function.__name__)
def test_windows_that_are_series(function: Any, options: dict[str, Any], configuration: str) -> None:
    for frame in ("plain", "awkward", "none", "labelled"):
        for column in ("i", "f"):
            check(lambda pd, df, column=column: df[column].rolling(**options).apply(function), numbers(frame), native=False)


@pytest.mark.parametrize("function", COMPILED, ids=lambda function: function.__name__)
def test_windows_that_are_series_run_compiled(function: Any) -> None:
    check(lambda pd, df: df["f"].rolling(3).apply(function), numbers())
    check(lambda pd, df: df["f"].expanding().apply(function, raw=False), numbers())

"""Timedeltas beside numbers of every dtype, and numbers beside offsets that are always as long."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check

SPANS = ["1D", "NaT", "-5s", "0s", "3h", "7us"]
NUMBERS: dict[str, Any] = {
    "uint64": np.array([1, 2, 3, 0, 2**63, 2**53 + 1], dtype=np.uint64),
    "small-uint64": np.array([1, 2, 3, 4, 5, 6], dtype=np.uint64),
    "uint8": np.array([1, 2, 3, 4, 5, 255], dtype=np.uint8),
    "int64": np.array([1, -2, 3, -4, 5, 7]),
    "int8": np.array([1, -2, 3, -4, 5, -128], dtype=np.int8),
    "float64": np.array([1.5, np.nan, -0.0, 2.5, np.inf, -3.0]),
    "float32": np.array([1.5, 0.1, -1.0, 2.5, 7.0, -3.0], dtype=np.float32),
    "bool": np.array([True, False, True, True, False, True]),
}
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "mul": lambda a, b: a * b,
    "rmul": lambda a, b: b * a,
    "truediv": lambda a, b: a / b,
    "rtruediv": lambda a, b: b / a,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("numbers", NUMBERS)
def test_timedeltas_and_numbers(numbers: str, operator: str) -> None:
    made = OPERATORS[operator]
    for unit in ("us", "ns"):
        frame = pd.DataFrame({"t": pd.to_timedelta(SPANS).as_unit(unit), "n": NUMBERS[numbers]})
        native = numbers == "small-uint64" and operator in ("mul", "rmul", "truediv")
        for many in (6, 1, 0):
            some = frame.iloc[:many]
            check(lambda pd, df: made(df["t"], df["n"]), some, native=native)
            check(lambda pd, df: made(df["t"], NUMBERS[numbers][: len(df)]), some, native=False)
            check(lambda pd, df: made(df[["t"]], df[["n"]].set_axis(["t"], axis=1)), some, native=native and many > 0)
        check(lambda pd, df: made(df["t"], NUMBERS[numbers][2]), frame, native=False)


VALUES: dict[str, Any] = {
    "hour": pd.offsets.Hour(2),
    "second": pd.offsets.Second(-3),
    "nano": pd.offsets.Nano(7),
    "day": pd.offsets.Day(1),
    "month": pd.offsets.MonthEnd(),
    "timedelta": pd.Timedelta("3h"),
    "of-python": datetime.timedelta(days=1),
    "of-numpy": np.timedelta64(5, "s"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("numbers", NUMBERS)
def test_numbers_and_a_span(numbers: str, value: str, operator: str) -> None:
    made = OPERATORS[operator]
    if (numbers, value) == ("uint64", "hour") and operator in ("mul", "rmul"):
        # Where no integer holds the nanoseconds of the hours, `pandas.testing` cannot tell whether they are equal.
        return
    data = pd.Series(NUMBERS[numbers], name="n")
    for many in (6, 1, 0):
        check(lambda pd, s: made(s, VALUES[value]), data.iloc[:many], native=False)
        check(lambda pd, df: made(df, VALUES[value]), data.iloc[:many].to_frame(), native=False)
        check(lambda pd, df: made(df, VALUES[value]), data.iloc[:many].to_frame().assign(m=1.5), native=False)

"""Timestamps and timedeltas beside rows of them, beside what is missing, and beside what they are never equal to."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check


def times(unit: str = "us", zone: str | None = None) -> pd.DataFrame:
    values = pd.DatetimeIndex(np.array(["2020-02-29", "NaT", "1969-12-31", "2000-01-01T12:30:15"], dtype=f"M8[{unit}]"))
    frame = pd.DataFrame({"one": values, "two": values[::-1]}, index=list("wxyz"))
    return frame if zone is None else frame.apply(lambda column: column.dt.tz_localize(zone))


def spans(unit: str = "us") -> pd.DataFrame:
    values = pd.to_timedelta(["1D", "NaT", "-5s", "0s"]).as_unit(unit)
    return pd.DataFrame({"one": values, "two": values[::-1]})


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "radd": lambda a, b: b + a,
    "sub": lambda a, b: a - b,
    "rsub": lambda a, b: b - a,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
}
#: One value for each of two columns.
ROWS: dict[str, Any] = {
    "timedeltas": pd.Series(pd.to_timedelta(["1h", "NaT"]), index=["one", "two"]),
    "seconds": pd.Series(pd.to_timedelta(["1h", "-1s"]).as_unit("s"), index=["one", "two"]),
    "timestamps": pd.Series(pd.to_datetime(["2020-01-01", "NaT"]), index=["one", "two"]),
    "index": pd.TimedeltaIndex(["1h", "NaT"]),
    "array": np.array([3600, "NaT"], dtype="m8[s]"),
    "list": [pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")],
    "datetimes": pd.DatetimeIndex(["2020-01-01", "2020-02-29"]),
    "periods": pd.PeriodIndex(["2020-01", "2020-02"], freq="M"),
    "numbers": [1, 2],
    "mixed": [pd.Timestamp("2020-01-01"), "x"],
    "three": pd.TimedeltaIndex(["1h", "2h", "3h"]),
}
#: What is native of them.
NATIVE = ("timedeltas", "seconds", "timestamps", "index", "array", "datetimes")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("row", ROWS)
def test_rows_of_time(row: str, name: str, configuration: str) -> None:
    for frame in (times(), times("ns"), spans(), spans("ns")):
        check(lambda pd, df: OPERATORS[name](df, ROWS[row]), frame, native=row in NATIVE and name not in ("radd", "rsub") or row == "timedeltas")
    check(lambda pd, df: OPERATORS[name](df, ROWS[row]), times(zone="UTC"), native=False)


MISSING: dict[str, Any] = {
    "NaT": pd.NaT,
    "timedelta": np.timedelta64("NaT"),
    "timedelta-s": np.timedelta64("NaT", "s"),
    "timestamp": np.datetime64("NaT"),
    "timestamp-ns": np.datetime64("NaT", "ns"),
}


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("name", OPERATORS)
def test_what_is_missing(name: str, missing: str, configuration: str) -> None:
    for frame in (times(), times("s"), spans(), spans("ns")):
        check(lambda pd, df: OPERATORS[name](df["one"], MISSING[missing]), frame)
        check(lambda pd, df: OPERATORS[name](df, MISSING[missing]), frame)
    check(lambda pd, df: OPERATORS[name](df["one"], MISSING[missing]), times(zone="UTC"), native=False)


OTHERS: dict[str, Any] = {
    "date": datetime.date(2020, 2, 29),
    "object": object(),
    "period": pd.Period("2020-02-29", "D"),
    "interval": pd.Interval(0, 1),
    "text": "no time",
    "number": 3,
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", ["eq", "ne", "lt"])
def test_what_time_never_equals(name: str, other: str, configuration: str) -> None:
    for frame in (times(), spans("ns"), times(zone="Europe/Berlin")):
        check(lambda pd, df: OPERATORS[name](df["one"], OTHERS[other]), frame, native=name != "lt")
        check(lambda pd, df: OPERATORS[name](df, OTHERS[other]), frame, native=name != "lt")


def test_periods_and_intervals_beside_time(configuration: str) -> None:
    periods = pd.period_range("2020-01", periods=4, freq="M")
    for name in ("eq", "ne", "lt"):
        for frame in (times(), spans()):
            check(lambda pd, df, name=name: OPERATORS[name](df["one"], periods), frame, native=name != "lt")
            check(lambda pd, df, name=name: OPERATORS[name](df["one"], pd.Series(periods, index=df.index)), frame, native=name != "lt")


def test_scalars_beside_other_columns(configuration: str) -> None:
    frame = pd.DataFrame({"i": [1, 2], "f": [0.5, np.nan]})
    for other in (datetime.date(2020, 1, 1), pd.Period("2020"), 1j, object(), None, "x", len):
        for name in OPERATORS:
            check(lambda pd, df, name=name, other=other: OPERATORS[name](df, other), frame, native=False)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OPERATORS)
def test_lists_beside_columns(name: str, configuration: str) -> None:
    later = [pd.Timestamp("2020-03-01"), pd.Timestamp("1970-01-01"), pd.Timestamp("1960-01-01"), pd.Timestamp("2000-01-01 12:30:15")]
    for frame in (times(), times("ns"), times("s")):
        check(lambda pd, df: OPERATORS[name](df["one"], later), frame, native=name in ("eq", "ne", "lt", "sub"))
        check(lambda pd, df: OPERATORS[name](df["one"], [pd.Timedelta("1h")] * 4), frame, native=False)
    check(lambda pd, df: OPERATORS[name](df["one"], later), times(zone="UTC"), native=False)
    check(lambda pd, df: OPERATORS[name](df["one"], [pd.Timedelta("1h")] * 4), spans(), native=name in ("eq", "ne", "lt", "add", "sub"))


@pytest.mark.parametrize("dtype", ["str", "string", "string[python]"])
@pytest.mark.parametrize("name", ["eq", "ne", "lt", "add", "radd"])
def test_lists_beside_text(name: str, dtype: str, configuration: str) -> None:
    text = pd.Series(["a", None, "c"], dtype=dtype)
    for values in (["a", "b", "d"], ["a", "b", None], ["a", "b", np.nan], [None, None, None], ["a"], ["a", 1, "c"]):
        check(lambda pd, s, values=values: OPERATORS[name](s, values), text, native=False)
    check(lambda pd, s: OPERATORS[name](s, ["a", "b", "d"]), text, native=name in ("eq", "ne", "lt"))

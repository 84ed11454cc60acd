"""Timestamps and timedeltas beside objects of Python, row by row: what comes of it are objects, and pandas warns of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check
from pandas.tseries import offsets
from test_offset_values import OPERATORS

TIMES = ["2020-01-31", "NaT", "2020-03-07 02:30", "1999-12-31 23:59:59", "2020-02-29"]
OBJECTS: dict[str, list[Any]] = {
    "months": [offsets.MonthEnd(), offsets.MonthEnd(), offsets.MonthEnd(2), offsets.MonthBegin(), offsets.MonthEnd(normalize=True)],
    "days": [offsets.Day(2), offsets.BDay(), offsets.Week(weekday=2), offsets.YearEnd(), offsets.QuarterBegin()],
    "hours": [offsets.Hour(1), pd.Timedelta("1D"), pd.NaT, offsets.Second(-3), pd.Timedelta("-2h")],
    "finer": [offsets.Nano(3), pd.Timedelta(1), pd.Timedelta("1ms"), offsets.Hour(1), pd.NaT],
    "plain": [pd.DateOffset(months=1), pd.DateOffset(days=1, hours=2), pd.DateOffset(years=-1), pd.DateOffset(day=3), pd.DateOffset()],
    "one-by-one": [offsets.Easter(), offsets.CDay(), offsets.BusinessHour(), offsets.LastWeekOfMonth(), offsets.Day()],
    "missing": [pd.NaT] * 5,
    "nothing": [offsets.Day(), None, offsets.Day(), np.nan, offsets.Day()],
    "times": [pd.Timestamp("2020-01-01"), pd.Timedelta("1D"), offsets.Day(), pd.Timestamp("2020-01-01"), pd.NaT],
    "numbers": [1, 2, 3, 4, 5],
    "text": ["a", "b", "c", "d", "e"],
}
#: Objects that the engine adds to timestamps of any unit.
NATIVE = ("months", "days")


def objects(items: list[Any]) -> Any:
    made = np.empty(len(items), object)
    made[:] = items
    return made


def told(program: Callable[..., Any]) -> Callable[..., Any]:
    """What a program returns, and what it warns of."""

    def run(pd: Any, *frames: Any) -> Any:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            result = program(pd, *frames)
            result._mgr  # noqa: B018
        return result, [(warning.category, str(warning.message)) for warning in said]

    return run


@pytest.mark.parametrize("zone", [None, "UTC", "US/Eastern"])
@pytest.mark.parametrize("unit", ["s", "us", "ns"])
@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("name", OBJECTS)
def test_objects_beside_timestamps(name: str, operator: str, unit: str, zone: str | None) -> None:
    times = pd.Series(pd.DatetimeIndex(TIMES).as_unit(unit).tz_localize(zone), name="t", index=list("vwxyz"))
    items, made = OBJECTS[name], OPERATORS[operator]
    native = name in NATIVE and operator in ("add", "radd", "sub")
    for many in (5, 1, 0):
        some = times.iloc[:many]
        check(told(lambda pd, s: made(s, objects(items[:many]))), some, native=native and many > 0)
        check(told(lambda pd, s: made(s, pd.Series(objects(items[:many]), index=s.index, name="o"))), some, native=native and many > 0)
        check(told(lambda pd, s: made(s, pd.Index(objects(items[:many]), name="t"))), some, native=native and many > 0)
        check(told(lambda pd, s: made(s, items[:many])), some, native=False)
        check(told(lambda pd, s: made(s.to_frame(), pd.Series(objects(items[:many]), index=s.index).to_frame("t"))), some, native=native and many > 0 and operator != "method")
    check(told(lambda pd, s: made(s, pd.Series(objects(items), index=list("zyxwv")))), times, native=False)
    check(told(lambda pd, s: made(s, objects(items[:2]))), times, native=False)
    check(told(lambda pd, s: made(s[s.notna()], objects(items[:4]))), times, native=False)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("name", OBJECTS)
def test_objects_beside_timedeltas(name: str, operator: str) -> None:
    spans = pd.Series(pd.to_timedelta(["1D", "NaT", "-5s", "0s", "3h"]).as_unit("us"))
    made = OPERATORS[operator]
    for many in (5, 1):
        check(told(lambda pd, s: made(s, objects(OBJECTS[name][:many]))), spans.iloc[:many], native=False)


@pytest.mark.parametrize("zone", [None, "US/Eastern"])
@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("name", OBJECTS)
def test_rows_of_objects(name: str, operator: str, zone: str | None) -> None:
    times = pd.DatetimeIndex(TIMES[:2]).tz_localize(zone)
    made = OPERATORS[operator]
    for frame in (pd.DataFrame({"a": times, "b": times[::-1]}), pd.DataFrame([times]), pd.DataFrame({"a": times, "b": [1, 2]}), pd.DataFrame({"a": times})):
        some = OBJECTS[name][: len(frame.columns)]
        check(told(lambda pd, df: made(df, objects(some))), frame, native=False)
        check(told(lambda pd, df: made(df, some)), frame, native=False)
        check(told(lambda pd, df: made(df, pd.Index(objects(some)))), frame, native=False)
        check(told(lambda pd, df: made(df, pd.Series(objects(some), index=df.columns))), frame, native=False)
    if name in NATIVE and operator in ("add", "radd", "sub"):
        check(told(lambda pd, df: made(df, objects(OBJECTS[name][:1]))), pd.DataFrame({"a": times}))
        check(told(lambda pd, df: made(df.add(objects(OBJECTS[name][:1])), pd.Timedelta(0))), pd.DataFrame({"a": times}), native=False)


PAIRS: dict[str, Callable[[Any], Any]] = {
    "timestamps": lambda df: df["t"],
    "timedeltas": lambda df: df["d"],
    "objects": lambda df: df["t"].astype(object),
    "timedeltas-as-objects": lambda df: df["d"].astype(object),
    "frame": lambda df: df[["t"]],
    "frame-of-objects": lambda df: df[["t"]].astype(object),
}


@pytest.mark.parametrize("right", PAIRS)
@pytest.mark.parametrize("left", PAIRS)
@pytest.mark.parametrize("operator", ["add", "radd", "sub", "rsub", "eq"])
def test_time_held_as_objects(operator: str, left: str, right: str) -> None:
    if left.startswith("frame") != right.startswith("frame"):
        # Columns of a frame beside rows of a series have nothing in common.
        return
    made = OPERATORS[operator]
    frame = pd.DataFrame({"t": pd.DatetimeIndex(TIMES), "d": pd.to_timedelta(["1D", "NaT", "-5s", "0s", "3h"]).as_unit("us")})
    for many in (5, 1, 0):
        check(told(lambda pd, df: made(PAIRS[left](df), PAIRS[right](df))), frame.iloc[:many], native=False)

"""Offsets that pandas goes through value by value: each value is moved once, and every row has what pandas has, warnings included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from pandas.tseries import offsets

import airloom
import airloom.pandas

OFFSETS: dict[str, Any] = {
    "easter": offsets.Easter(),
    "easter-before": offsets.Easter(-2, normalize=True),
    "business-hour": offsets.BusinessHour(3),
    "custom-hour": offsets.CustomBusinessHour(),
    "week-of-month": offsets.WeekOfMonth(week=1, weekday=2),
    "last-week": offsets.LastWeekOfMonth(weekday=3),
    "year-of-weeks": offsets.FY5253(weekday=2, startingMonth=3, variation="last"),
    "quarter-of-weeks": offsets.FY5253Quarter(weekday=2, startingMonth=3, variation="nearest", qtr_with_extra_week=1),
    "day": offsets.DateOffset(day=3),
    "weekday": offsets.DateOffset(months=1, weekday=2),
    "finer": offsets.DateOffset(hour=3, nanoseconds=5),
    "holidays": offsets.CustomBusinessDay(holidays=["2020-01-02"]),
    "business-day-and-hours": offsets.BusinessDay(2, offset=pandas.Timedelta("1h")),
    "far": offsets.Easter(2000),
}
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda value, offset: value + offset,
    "radd": lambda value, offset: offset + value,
    "sub": lambda value, offset: value - offset,
    "rsub": lambda value, offset: offset - value,
    "method": lambda value, offset: value.add(offset),
    "eq": lambda value, offset: value == offset,
}
TIMES = ["2020-01-01", "NaT", "2020-03-07 02:30", "2020-01-01", "1999-12-31 23:59:59", "2019-11-03 01:30"]


@pytest.mark.parametrize("zone", [None, "UTC", "US/Eastern"])
@pytest.mark.parametrize("unit", ["s", "us", "ns"])
@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("offset", OFFSETS)
def test_offsets(offset: str, operator: str, unit: str, zone: str | None) -> None:
    times = pandas.DatetimeIndex(TIMES).as_unit(unit).tz_localize(zone, ambiguous=True if zone else "raise")
    made = OPERATORS[operator]
    check(lambda pd: made(pd.Series(times, name="t", index=list("abcdea")), OFFSETS[offset]), native=False)
    check(lambda pd: made(pd.DataFrame({"t": times}), OFFSETS[offset]), native=False)
    check(lambda pd: made(pd.DataFrame({"t": times, "u": times}), OFFSETS[offset]), native=False)
    check(lambda pd: made(pd.Series(times, name="t")[[False, True] * 3], OFFSETS[offset]), native=False)
    check(lambda pd: made(pd.Series(times[:0], name="t"), OFFSETS[offset]), native=False)


@pytest.mark.parametrize("offset", ["easter", "holidays", "day"])
def test_values_are_moved_once(offset: str) -> None:
    days = np.datetime64("2020-01-01") + np.arange(60_000) % 700 * np.timedelta64(1, "D")
    with airloom.strict(), pytest.warns(pandas.errors.PerformanceWarning):
        found = (airloom.pandas.Series(days) + OFFSETS[offset]).to_numpy()
    with pytest.warns(pandas.errors.PerformanceWarning):
        expected = (pandas.Series(days[:700]) + OFFSETS[offset]).to_numpy()
    assert (found == np.resize(expected, len(days))).all()

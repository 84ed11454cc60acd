"""Intervals and periods compared with each other, with values of theirs, and with what they are never equal to."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "reflected": lambda a, b: b == a,
    "method": lambda a, b: a.eq(b),
}
DAYS = pd.DatetimeIndex(["2020-01-01", "2020-01-02", "2020-02-29", "2021-01-01", "2021-01-02"])
ZONED = DAYS.tz_localize("US/Eastern")
SPANS = pd.TimedeltaIndex(["-1D", "0s", "1D", "2D", "3D"])
INTERVALS: dict[str, Any] = {
    "integers": pd.IntervalIndex.from_breaks([-3, 0, 1, 5, 2**62]),
    "left": pd.IntervalIndex.from_breaks([-3, 0, 1, 5, 9], closed="left"),
    "floats": pd.IntervalIndex.from_arrays([-0.0, np.nan, 1.5, -np.inf], [0.0, np.nan, 2.5, np.inf]),
    "timestamps": pd.IntervalIndex.from_breaks(DAYS),
    "zoned": pd.IntervalIndex.from_breaks(ZONED),
    "timedeltas": pd.IntervalIndex.from_breaks(SPANS),
}
VALUES: dict[str, Any] = {
    "interval": pd.Interval(0, 1),
    "interval-left": pd.Interval(0, 1, closed="left"),
    "interval-of-floats": pd.Interval(0.0, 1.5),
    "interval-of-days": pd.Interval(DAYS[0], DAYS[1]),
    "interval-of-zoned-days": pd.Interval(ZONED[0], ZONED[1]),
    "interval-of-timedeltas": pd.Interval(SPANS[0], SPANS[1]),
    "period": pd.Period("2020-02", "M"),
    "period-of-days": pd.Period("2020-02-01", "D"),
    "none": None,
    "nan": np.nan,
    "NaT": pd.NaT,
    "NA": pd.NA,
    "decimal": Decimal("NaN"),
    "number": 1,
    "float": 1.5,
    "text": "x",
    "text-of-a-month": "2020-02",
    "text-of-an-interval": "(0, 1]",
    "timestamp": DAYS[0],
    "date": datetime.date(2020, 2, 1),
    "timedelta": SPANS[0],
    "offset": pd.offsets.MonthEnd(),
    "object": object(),
    "tuple": (0, 1),
}
PERIODS: dict[str, Any] = {
    "months": pd.PeriodIndex(["2020-01", "NaT", "1969-12", "2020-02"], freq="M"),
    "days": pd.PeriodIndex(["2020-01-01", "NaT", "1969-12-31", "2020-02-01"], freq="D"),
    "weeks": pd.PeriodIndex(["2020-01-01", "NaT", "1969-12-31", "2020-02-01"], freq="W-SUN"),
    "hours": pd.PeriodIndex(["2020-01-01 01:00", "NaT", "1969-12-31", "2020-02-01"], freq="5h"),
}
HELD = {**INTERVALS, **PERIODS}


def is_odd(found: str, value: str) -> bool:
    """Whether pandas does not compare these two."""
    return (found in PERIODS and value == "NA") or value in ("tuple", "decimal")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("name", HELD)
def test_compared_with_a_value(name: str, value: str) -> None:
    for word, made in OPERATORS.items():
        native = word in ("eq", "ne", "method") and not is_odd(name, value)
        for frame in (pd.Series(HELD[name], name="x"), pd.Series(HELD[name][:1]), pd.Series(HELD[name][:0]), pd.Series(HELD[name]).to_frame("x")):
            check(lambda pd, data: made(data, VALUES[value]), frame, native=native and not (value == "NA" and frame.ndim == 2))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("right", HELD)
@pytest.mark.parametrize("left", HELD)
def test_compared_with_others(left: str, right: str) -> None:
    mine, theirs = HELD[left], HELD[right][::-1]
    for word, made in OPERATORS.items():
        native = word in ("eq", "ne")
        check(lambda pd, a, b: made(a, b), pd.Series(mine, name="x"), pd.Series(theirs, name="y"), native=native)
        check(lambda pd, a, b: made(a, b), pd.Series(mine).to_frame("x"), pd.Series(theirs).to_frame("x"), native=native)
        check(lambda pd, a: made(a, theirs), pd.Series(mine, name="x"), native=native)
        check(lambda pd, a: made(a, theirs.array), pd.Series(mine, name="x"), native=native)
        check(lambda pd, a: made(a, list(theirs)), pd.Series(mine, name="x"), native=False)
        check(lambda pd, a, b: made(a, b), pd.Series(mine, index=list("abcd")), pd.Series(theirs), native=False)
        check(lambda pd, a: made(a[a.notna()], a[a.notna()]), pd.Series(mine, name="x"), native=False)
        check(lambda pd, a: made(a, theirs[:2]), pd.Series(mine), native=False)


OTHERS: dict[str, Any] = {
    "integers": [1, 2, 3, 4],
    "floats": [1.5, np.nan, -0.0, np.inf],
    "booleans": [True, False, True, False],
    "text": ["a", "b", None, "d"],
    "timestamps": DAYS[:4],
    "zoned": ZONED[:4],
    "timedeltas": SPANS[:4],
    "objects": pd.Series([pd.Interval(0, 1), None, "x", pd.Period("2020-02", "M")], dtype=object),
    "categories": pd.Categorical(["a", "b", None, "a"]),
    "intervals-as-categories": pd.Categorical(INTERVALS["integers"]),
    "nullable": pd.array([1, None, 3, 4], dtype="Int64"),
    "arrow": pd.array([1, None, 3, 4], dtype="int64[pyarrow]"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", HELD)
def test_compared_with_other_dtypes(name: str, other: str) -> None:
    for made in OPERATORS.values():
        check(lambda pd, a, b: made(a, b), pd.Series(HELD[name]), pd.Series(OTHERS[other]), native=False)
        check(lambda pd, a, b: made(b, a), pd.Series(HELD[name]), pd.Series(OTHERS[other]), native=False)
        check(lambda pd, a: made(a, OTHERS[other]), pd.Series(HELD[name]), native=False)

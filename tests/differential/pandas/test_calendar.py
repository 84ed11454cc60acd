"""Timestamps and timedeltas with offsets of the calendar, with units that differ, and with numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check

OFFSETS: dict[str, Any] = {
    **{
        f"{name}{n:+d}": lambda pd, n=n, name=name: getattr(pd.offsets, name)(n)
        for name in "MonthEnd MonthBegin BMonthEnd BMonthBegin QuarterEnd QuarterBegin BQuarterEnd BQuarterBegin YearEnd YearBegin BYearEnd BYearBegin Week BDay Day SemiMonthEnd SemiMonthBegin CDay CBMonthEnd CBMonthBegin".split()
        for n in (0, 1, -1, 3, -7)
    },
    "hour": lambda pd: pd.offsets.Hour(5),
    "minute": lambda pd: pd.offsets.Minute(-5),
    "normalized": lambda pd: pd.offsets.MonthEnd(1, normalize=True),
    "fiscal-quarter": lambda pd: pd.offsets.QuarterEnd(2, startingMonth=1),
    "fiscal-year": lambda pd: pd.offsets.YearEnd(-1, month=4),
    "year-begin-in-june": lambda pd: pd.offsets.YearBegin(1, month=6),
    "wednesday": lambda pd: pd.offsets.Week(1, weekday=2),
    "wednesday-before": lambda pd: pd.offsets.Week(-2, weekday=2),
    "wednesday-from-here": lambda pd: pd.offsets.Week(0, weekday=2),
    "months": lambda pd: pd.DateOffset(months=1),
    "years-and-days": lambda pd: pd.DateOffset(years=-1, days=3),
    "two-of-both": lambda pd: pd.DateOffset(2, months=1, hours=5),
    "days": lambda pd: pd.DateOffset(days=1),
    "plain": lambda pd: pd.DateOffset(),
    "three-plain": lambda pd: pd.DateOffset(-3),
    "half-months-at-another-day": lambda pd: pd.offsets.SemiMonthEnd(2, day_of_month=28),
    "half-months-from-another-day": lambda pd: pd.offsets.SemiMonthBegin(-1, day_of_month=5),
    "many-working-days": lambda pd: pd.offsets.BDay(23),
}


def _timestamps(unit: str = "us", zone: str | None = None) -> pd.DataFrame:
    days = np.arange(np.datetime64("2019-12-20"), np.datetime64("2021-03-10")).astype(f"M8[{unit}]") + np.timedelta64(3723, "s")
    made = pd.Series(np.append(days, np.datetime64("NaT"))).dt.as_unit(unit)
    if zone is not None:
        made = made.dt.tz_localize(zone)
    return pd.DataFrame({"t": made, "d": np.resize(np.array([1, 86_400, "NaT", -5], dtype="m8[s]"), len(made))})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("offset", OFFSETS)
def test_offsets(offset: str, configuration: str) -> None:
    frame = _timestamps()
    check(lambda pd, df: df["t"] + OFFSETS[offset](pd), frame)
    check(lambda pd, df: df["t"] - OFFSETS[offset](pd), frame)
    check(lambda pd, df: OFFSETS[offset](pd) + df["t"], frame.iloc[:3])


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "Europe/Berlin", "+01:15"])
@pytest.mark.parametrize("offset", ["MonthEnd+1", "Day-1", "BDay+3", "hour", "months", "days", "normalized"])
def test_offsets_in_a_zone(offset: str, zone: str, configuration: str) -> None:
    check(lambda pd, df: df["t"] + OFFSETS[offset](pd), _timestamps("ns", zone).iloc[:60])


def test_units_in_a_zone(configuration: str) -> None:
    check(lambda pd, df: df["t"].astype("datetime64[ns, Asia/Tokyo]"), _timestamps("us", "UTC"))


@pytest.mark.parametrize("offset", ["MonthBegin+0", "YearEnd+1", "months", "hour"])
def test_offsets_of_a_frame(offset: str, configuration: str) -> None:
    check(lambda pd, df: df[["t"]] + OFFSETS[offset](pd), _timestamps())


#: Offsets without arithmetic of the engine: moved value by value, or left to pandas.
OTHERS: dict[str, Any] = {
    "least-of-all": lambda pd, df: pd.Series(np.array([-(2**63) + 1, 5]).view("M8[s]")) - pd.Timedelta(1, "s"),
    "least-span": lambda pd, df: pd.Series(np.array([-(2**63) + 1, 5]).view("m8[s]")) - pd.Timedelta(1, "s"),
    "custom": lambda pd, df: df["t"] + pd.offsets.CustomBusinessDay(2, weekmask="Sun Mon"),
    "holidays": lambda pd, df: df["t"] + pd.offsets.CustomBusinessDay(2, holidays=["2020-01-01"]),
    "hours": lambda pd, df: df["t"] + pd.offsets.BusinessHour(2),
    "far": lambda pd, df: df["t"] + pd.offsets.YearEnd(2000),
    "finer": lambda pd, df: df["t"] + pd.DateOffset(nanoseconds=3),
    "replaced": lambda pd, df: df["t"] + pd.DateOffset(day=3),
    "from": lambda pd, df: pd.offsets.Day() - df["t"],
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", OTHERS)
def test_offsets_without_arithmetic_of_the_engine(program: str, configuration: str) -> None:
    check(OTHERS[program], _timestamps(), native=False)


TIME: dict[str, Any] = {
    "finer-span": lambda pd, df: df["t"] + pd.Timedelta(5, "ns"),
    "coarser-column": lambda pd, df: df["t"] + df["d"],
    "spans-of-units": lambda pd, df: df["d"] - pd.Timedelta(5, "ms"),
    "nothing": lambda pd, df: df["t"] + pd.NaT,
    "less-nothing": lambda pd, df: df["t"] - pd.NaT,
    "span-nothing": lambda pd, df: pd.NaT + df["d"],
    "tick": lambda pd, df: df["d"] + pd.offsets.Minute(3),
    "half": lambda pd, df: df["d"] * 0.5,
    "times-column": lambda pd, df: df["d"] * df["d"].dt.days,
    "times-floats": lambda pd, df: df["d"] * (df["d"].dt.days + 0.25),
    "parts": lambda pd, df: df["d"] / 3,
    "whole-parts": lambda pd, df: df["d"] // 3,
    "float-parts": lambda pd, df: df["d"] / 2.5,
    "float-whole-parts": lambda pd, df: df["d"] // 2.5,
    "by-nothing": lambda pd, df: df["d"] / 0,
    "left-of": lambda pd, df: df["d"] % 7,
    "ratio": lambda pd, df: df["d"] / df["d"],
    "ratio-to-zero": lambda pd, df: df["d"] / pd.Timedelta(0),
    "goes-into": lambda pd, df: df["d"] // pd.Timedelta("1min"),
    "goes-into-itself": lambda pd, df: df["d"].dropna() // df["d"].dropna(),
    "left-of-span": lambda pd, df: df["d"].dropna() % pd.Timedelta("7s"),
    "into": lambda pd, df: pd.Timedelta("1D") // df["d"],
    "of-a-span": lambda pd, df: pd.Timedelta("1D") / df["d"],
    "numbers-of-a-span": lambda pd, df: df["t"].dt.day * pd.Timedelta("1h"),
    "floats-of-a-span": lambda pd, df: (df["t"].dt.day / 7) * np.timedelta64(3, "s"),
    "negative": lambda pd, df: -df["d"],
    "absolute": lambda pd, df: df["d"].abs(),
    "positive": lambda pd, df: +df["d"],
    "compared-none": lambda pd, df: df["t"] == None,  # noqa: E711
    "compared-nat": lambda pd, df: df["t"] < pd.NaT,
    "compared-number": lambda pd, df: df["t"] != 5,
    "compared-finer": lambda pd, df: df["t"] > pd.Timestamp("2020-06-01 00:00:00.000000001"),
    "compared-zone": lambda pd, df: df["t"] == pd.Timestamp("2020-06-01", tz="UTC"),
    "compared-span": lambda pd, df: df["d"] >= pd.Timedelta(5, "ns"),
    "compared-units": lambda pd, df: df["t"] == df["t"].dt.as_unit("ns"),
    "frame-span": lambda pd, df: df[["t"]] - pd.Timedelta("1D"),
    "frame-python-span": lambda pd, df: df[["d"]] + __import__("datetime").timedelta(hours=1),
    "compared-numbers": lambda pd, df: df["t"] == df["t"].dt.day,
    "compared-spans": lambda pd, df: df["d"] != df["t"],
    "numbers-compared": lambda pd, df: df["t"].dt.year != df["t"],
    "ufunc": lambda pd, df: np.add(df["d"], np.timedelta64(1, "s")),
    "ufunc-turned": lambda pd, df: np.subtract(np.datetime64("2021-01-01", "us"), df["t"]),
    "ufunc-compared": lambda pd, df: np.less(df["d"], np.timedelta64(1, "h")),
}


@pytest.mark.parametrize("program", TIME)
@pytest.mark.parametrize("frame", ["all", "some", "none"])
def test_time(program: str, frame: str, configuration: str) -> None:
    check(TIME[program], {"all": _timestamps(), "some": _timestamps().iloc[3:7], "none": _timestamps().iloc[:0]}[frame])

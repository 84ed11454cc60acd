"""Steps of the calendar in zones whose clocks are set forward and back, and without a zone; what lies between known values along a column of time."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any

import polars as pl
import pytest
from compare import LENIENT, assert_same, same, same_or_left

c = pl.col
ZONES = [None, "UTC", "Europe/Warsaw", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"]
STEPS = ["1h", "-30m", "1d", "-1d", "1w", "1mo", "-1mo", "3mo", "1y", "1q", "1d12h", "-1mo2d", "90m", "1s", "5ms", "0d"]
CALENDAR: dict[str, pl.Expr] = {
    **{f"offset by {step}": c.t.dt.offset_by(step) for step in STEPS},
    **{f"truncated to {step}": c.t.dt.truncate(step) for step in ("1d", "1w", "1mo", "1q", "1y", "12h", "1h", "15m")},
    "start of the month": c.t.dt.month_start(),
    "end of the month": c.t.dt.month_end(),
}


def times(zone: str | None, unit: Any) -> pl.LazyFrame:
    """Times far from every change of the clocks, and some near to it; and null."""
    draw = random.Random(5)
    plain = [datetime(2020, 1, 31, 12, 30), datetime(2024, 2, 29, 5), datetime(1969, 12, 31, 23, 59, 59), None, *(datetime(2021, 1, 1) + timedelta(minutes=draw.randrange(3 * 525_600)) for _ in range(30))]
    made = pl.Series("t", plain, dtype=pl.Datetime(unit))
    return pl.LazyFrame({"t": made if zone is None else made.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)})


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("name", CALENDAR)
def test_steps_of_the_calendar(name: str, zone: str | None) -> None:
    for unit in ("ms", "us", "ns"):
        lazy = times(zone, unit)
        for cut in (lazy, lazy.head(0), lazy.slice(3, 1)):
            same_or_left(cut.select(result=CALENDAR[name]))
    # Far from the changes of the clocks nothing is left to Polars.
    same(pl.LazyFrame({"t": pl.Series([datetime(2022, 1, 15, 13, 14, 15), None]).dt.replace_time_zone(zone)}).select(result=CALENDAR[name]))


@pytest.mark.parametrize("name", CALENDAR)
def test_where_clocks_change(name: str) -> None:
    around = [datetime(2023, 3, 26) + timedelta(minutes=10 * at) for at in range(30)] + [datetime(2023, 10, 28, 22) + timedelta(minutes=10 * at) for at in range(40)]
    for moment in around:
        same_or_left(pl.LazyFrame({"t": pl.Series([moment]).dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Warsaw")}).select(result=CALENDAR[name]))


@pytest.mark.parametrize("zone", ["Europe/Warsaw", "Asia/Kathmandu"])
@pytest.mark.parametrize("period", ["1h", "90m", "25h"])
def test_windows_in_zones(zone: str, period: str) -> None:
    moments = pl.Series([datetime(2023, 3, 25, 20) + timedelta(minutes=20 * at) for at in range(60)]).dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    lazy = pl.LazyFrame({"t": moments, "i": range(60)})
    same(lazy.rolling("t", period=period).agg(c.i.sum(), n=pl.len()))
    same(lazy.with_columns(v=c.i.rolling_sum_by("t", period), w=c.i.max().rolling("t", period=period)))


@pytest.mark.parametrize("zone", ["Europe/Warsaw", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC"])
@pytest.mark.parametrize("every", ["1d", "2d", "1w", "1mo", "1q"])
def test_days_and_months_in_zones(zone: str, every: str) -> None:
    draw = random.Random(3)
    for begin in (datetime(2023, 3, 20), datetime(2023, 10, 20), datetime(1969, 12, 1)):
        moments = pl.Series(sorted(begin + timedelta(minutes=draw.randrange(40_000)) for _ in range(60))).dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
        lazy = pl.LazyFrame({"t": moments, "i": range(60), "k": [at % 3 for at in range(60)]})
        for closed in ("left", "right"):
            same(lazy.group_by_dynamic("t", every=every, closed=closed, include_boundaries=True).agg(c.i.sum(), n=pl.len()))
            same(lazy.group_by_dynamic("t", every=every, closed=closed, label="right", group_by="k").agg(c.i.max()))


KINDS: list[Any] = [pl.Int64, pl.UInt32, pl.Date, pl.Datetime("us"), pl.Datetime("ms", "Europe/Warsaw")]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_between_known_values(kind: Any) -> None:
    for seed in range(30):
        draw = random.Random(seed)
        height = draw.choice([0, 1, 2, 8, 30])
        values: list[Any] = [draw.choice([None, None, draw.uniform(-9, 9), draw.randrange(-9, 9), -0.0]) for _ in range(height)]
        positions = [draw.randrange(20) for _ in range(height)] if seed % 3 else draw.sample(range(100), height)
        if seed % 2:
            positions.sort()
        along = pl.Series(positions, dtype=pl.Int64).cast(pl.Int32).cast(kind) if kind == pl.Date else pl.Series(positions, dtype=pl.Int64).cast(kind)
        frame = pl.DataFrame({"k": pl.Series([at % 2 for at in range(height)], dtype=pl.Int64), "v": pl.Series(values, dtype=pl.Float64, strict=False), "t": along})
        for query in (frame.lazy().select(c.v.interpolate_by("t")), frame.lazy().select(c.v.cast(pl.Int64).interpolate_by("t")), frame.lazy().with_columns(c.v.interpolate_by("t").over("k"))):
            same_or_left(query)


def test_between_far_positions() -> None:
    same(pl.LazyFrame({"v": [0.0, None, None, 10.0], "t": [-(2**63), 0, 5, 2**63 - 1]}).select(c.v.interpolate_by("t")))
    same(pl.LazyFrame({"v": [0.0, None, None, 10.0], "t": [2**60, 2**60 + 1, 2**60 + 3, 2**60 + 10]}).select(c.v.interpolate_by("t")))
    same(pl.LazyFrame({"v": [1.0, None, 3.0, None], "t": [1, 1, 1, 1]}).select(c.v.interpolate_by("t")))


@pytest.mark.parametrize("zone", ["Europe/Paris", "Australia/Lord_Howe", "UTC", None])
def test_times_later_than_the_tables_of_zones(zone: str | None) -> None:
    lazy = pl.LazyFrame({"t": [datetime(year, month, 15) for year in (2037, 2038, 2099, 2100, 2150) for month in (1, 7)]})
    zoned = lazy.select(c.t.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)) if zone else lazy
    for query in (
        lazy.select(c.t.dt.replace_time_zone(zone)),
        zoned.select(c.t.dt.hour()),
        zoned.select(c.t.dt.replace_time_zone(None)),
        zoned.filter(c.t.dt.year() < 2090).select(c.t.dt.offset_by("80y")),
        zoned.filter(c.t.dt.year() < 2090).select(c.t.dt.replace(year=2101)),
        zoned.select(c.t.dt.truncate("1mo")),
    ):
        assert_same(query.collect(engine=LENIENT), query.collect())


def test_counts_of_units_that_do_not_fit_are_null() -> None:
    lazy = pl.LazyFrame({"t": [datetime(2263, 1, 1), datetime(1600, 1, 1), datetime(2000, 1, 1), None]})
    same(lazy.select(c.t.dt.timestamp("ns"), d=c.t.dt.date().dt.timestamp("ns"), e=c.t.dt.epoch("ns")))

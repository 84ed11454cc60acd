"""Steps of the calendar in zones whose clocks are set forward and back, and without a zone; what lies between known values along a column of time."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from compare import same, same_or_left
from frames import FRAMES

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


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("interpolation", ["nearest", "lower", "higher"])
def test_quantiles_of_times(frame: str, interpolation: Any) -> None:
    lazy = FRAMES[frame].lazy()
    made = {f"{name}{share}": c(name).quantile(share, interpolation) for name in "te" for share in (0.0, 0.3, 0.5, 1.0)}
    same(lazy.select(**made))
    same(lazy.group_by("k", maintain_order=True).agg(**made))


@pytest.mark.parametrize("frame", FRAMES)
def test_series_of_one_value(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    for one in ([{"a": 1, "b": "x"}], [None]):
        given = pl.Series(one, dtype=pl.Struct({"a": pl.Int64, "b": pl.String}))
        same(lazy.select("k", v=pl.when(c.b).then(pl.lit(given)).otherwise(pl.struct(a="i", b="s"))))
    same(lazy.select("k", v=pl.lit(pl.Series([[1, 2]], dtype=pl.Array(pl.Int64, 2)))))


NEIGHBOURS: dict[str, pl.Expr] = {
    **{f"difference of {name}": c(name).diff() for name in ("d", "t", "e", "u", "n", "j")},
    "difference of times of day": c.t.dt.time().diff(),
    "difference by two": c.t.diff(2),
    "difference back": c.d.diff(-1),
    "difference in groups": c.t.diff().over("k"),
    "difference in a zone": c.t.dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Warsaw").diff(),
    "longer than": (c.t.diff() > pl.duration(hours=6)).fill_null(True).cum_sum().over("k"),
    "seconds between": c.t.diff().dt.total_seconds(),
    "shifted, with a time": c.t.shift(1, fill_value=datetime(2000, 1, 1)),
    "shifted, with a duration": c.e.shift(-1, fill_value=timedelta(1)),
    "least of three times": c.t.rolling_min(3, min_samples=1),
    "greatest of three days": c.d.rolling_max(3, min_samples=2),
    "greatest of three durations": c.e.rolling_max(3, min_samples=1, center=True),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", NEIGHBOURS)
def test_neighbours(name: str, frame: str) -> None:
    same(FRAMES[frame].lazy().select("k", result=NEIGHBOURS[name]))


MORE: dict[str, pl.Expr] = {
    "duration by an integer": c.e * c.j,
    "integer by a duration": 2 * c.e,
    "part of a duration": c.e / 7,
    "part of a duration, by a column": c.e / c.j,
    "length of a duration": c.e.abs(),
    "day as text": c.d.cast(pl.String),
    "time as text": c.t.cast(pl.String),
    "time as text, thousandths": c.t.cast(pl.Datetime("ms")).cast(pl.String),
    "made of parts": pl.datetime(2020, 2, c.k, c.k, 5, 6, 7),
    "made of columns": pl.datetime(c.u.clip(1, 9999), 1, 1, c.j.abs(), c.k),
    "replaced, with another default": c.k.replace_strict({1: 10, 2: 20}, default=0),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", MORE)
def test_more_functions(name: str, frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same_or_left(lazy.select(result=MORE[name]))
    same(lazy.filter(c.d.is_not_null() & (c.d > date(1000, 1, 1))).select(result=MORE[name]))


@pytest.mark.parametrize("frame", FRAMES)
def test_shares_of_values(frame: str) -> None:
    # In which order they come Polars leaves open.
    same(FRAMES[frame].lazy().select(c.s.value_counts(normalize=True)).unnest("s").sort("s"))


@pytest.mark.parametrize("frame", FRAMES)
def test_columns_of_several_dtypes_become_rows(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.unpivot(on=["k", "x"], index="s"), ordered=False)
    same(lazy.unpivot(on=["n", "j"], index=["s", "b"]), ordered=False)
    same(lazy.unpivot(on=["n", "u"]), ordered=False)


def test_lists_of_equal_lengths_become_rows_together() -> None:
    lazy = pl.LazyFrame({"a": [[1, 2], [], None, [3]], "b": [["x", "y"], [], None, [None]], "k": [1, 2, 3, 4]})
    same(lazy.explode("a", "b"))
    same(lazy.explode("a", "b", empty_as_null=True))
    same_or_left(pl.LazyFrame({"a": [[1, 2], [3]], "b": [["x"], ["y"]]}).explode("a", "b"))
    same_or_left(pl.LazyFrame({"a": [[1], []], "b": [["x"], ["y"]]}).explode("a", "b"))
    same_or_left(pl.LazyFrame({"a": [[1], []], "b": [["x"], None]}).explode("a", "b"))
    same_or_left(pl.LazyFrame({"a": [[1], None], "b": [["x"], ["y"]]}).explode("a", "b"))

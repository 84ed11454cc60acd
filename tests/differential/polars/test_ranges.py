"""Numbers, dates and timestamps in equal steps; values repeated; positions of values in columns of lists and structs."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any, Literal, get_args

import polars as pl
import pytest
from compare import same, same_or_left
from frames import FRAMES, INF, NAN

c = pl.col

Closed = Literal["both", "left", "right", "none"]
CLOSED: tuple[Any, ...] = get_args(Closed)


@pytest.mark.parametrize("closed", CLOSED)
def test_numbers_at_equal_distances(closed: Closed) -> None:
    for start, end in ((0, 1), (0.1, 0.7), (5, -3), (2, 2), (-0.0, 1e300), (0.1, INF), (NAN, 1.0)):
        for count in (0, 1, 2, 3, 7, 10):
            same(pl.LazyFrame().select(pl.linear_space(start, end, count, closed=closed)))
    lazy = pl.LazyFrame({"a": [0.0, None, 1.5, 0.1, -2.0], "b": [1, 2, None, -7, 10**9], "n": pl.Series([3, 1, 2, None, 0], dtype=pl.UInt8)})
    for frame in (lazy, lazy.head(0), lazy.head(1)):
        same(frame.select(pl.linear_spaces("a", "b", "n", closed=closed)))
        same(frame.select(pl.linear_spaces("b", "a", 4, closed=closed)))
        same(frame.select(pl.linear_spaces("b", "a", 4, closed=closed, as_array=True)))


@pytest.mark.parametrize("closed", CLOSED)
def test_times_between_literals(closed: Closed) -> None:
    for step in ("1d", "2w", "1mo", "1q", "1y"):
        same(pl.LazyFrame().select(pl.date_range(date(2019, 11, 30), date(2021, 3, 1), step, closed=closed)))
    for step in ("7h", "1d", "1mo", "1d3h", "90m"):
        for zone in (None, "UTC", "Europe/Warsaw"):
            same(pl.LazyFrame().select(pl.datetime_range(datetime(2020, 3, 27), datetime(2020, 4, 2, 5), step, closed=closed, time_zone=zone)))
    same(pl.LazyFrame().select(pl.datetime_range(date(2020, 1, 1), date(2020, 1, 1), "1h", closed=closed, time_unit="ms")))
    same(pl.LazyFrame().select(pl.datetime_range(date(2020, 1, 2), date(2020, 1, 1), "1h", closed=closed)))
    same(pl.LazyFrame().select(pl.time_range(time(1), time(23, 30), "45m", closed=closed)))
    same(pl.LazyFrame().select(t=pl.date_range(date(2020, 1, 1), date(2020, 1, 5), closed=closed)).filter(c.t > date(2020, 1, 2)))
    same(pl.LazyFrame().select(pl.date_range(date(2020, 1, 1), date(2020, 1, 5), closed=closed).count(), one=pl.lit(1)))


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("step", ["1d", "2d", "1w"])
def test_times_between_columns(step: str, closed: Closed) -> None:
    edge = date(2020, 2, 27)
    days = pl.LazyFrame({"a": [edge, edge, None, edge, date(1969, 12, 30)], "b": [date(2020, 3, 12), edge, edge, date(2020, 2, 1), date(1970, 1, 13)]})
    for frame in (days, days.head(0), days.head(1), days.slice(2, 1)):
        same(frame.select(pl.date_ranges("a", "b", step, closed=closed)))
        same(frame.select(pl.datetime_ranges("a", "b", step, closed=closed)))
        same(frame.select(pl.datetime_ranges("a", "b", "7h30m", closed=closed, time_unit="ns")))
        same(frame.select(pl.datetime_ranges(c.a.cast(pl.Datetime("ms")) + pl.duration(hours=5, time_unit="ms"), "b", step, closed=closed)))


@pytest.mark.parametrize("frame", FRAMES)
def test_one_value_for_all_rows_repeated(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.select(pl.repeat(3, pl.len())))
    same(lazy.select("k", s=pl.repeat(c.s.first(), pl.len()), n=pl.repeat(None, pl.len(), dtype=pl.Int8)))
    same(lazy.filter(c.i > pl.repeat(2, pl.len(), dtype=pl.Int64)))


NESTED: dict[str, tuple[pl.Series, list[Any]]] = {
    "lists": (pl.Series([[1, 2], None, [], [None], [1, None], [1, 2]], dtype=pl.List(pl.Int64)), [[1, 2], [], [None], [1, None], [3], None]),
    "texts": (pl.Series([["a", ""], None, ["ł"], []], dtype=pl.List(pl.String)), [["ł"], ["a"], []]),
    "lists of lists": (pl.Series([[[1], []], [None], None, [[2, None]]], dtype=pl.List(pl.List(pl.Int64))), [[[1], []], [None], [[2, None]], [[]]]),
    "arrays": (pl.Series([[1, 2], None, [3, None]], dtype=pl.Array(pl.Int64, 2)), [[3, None], [1, 2], [2, 1]]),
    "structs": (pl.Series([{"a": 1, "b": "x"}, None, {"a": None, "b": None}, {"a": 1, "b": None}]), [{"a": 1, "b": None}, {"a": None, "b": None}, {"a": 2, "b": "x"}]),
}


@pytest.mark.parametrize("name", NESTED)
def test_positions_of_nested_values(name: str) -> None:
    series, wanted = NESTED[name]
    for given in (series, series.head(0), series.reverse()):
        lazy = pl.LazyFrame({"a": given, "k": pl.Series([at % 2 for at in range(len(given))], dtype=pl.Int64)})
        for value in wanted:
            same(lazy.select(c.a.index_of(pl.lit(value, dtype=given.dtype))))
        same(lazy.group_by("k", maintain_order=True).agg(c.a.index_of(pl.lit(wanted[0], dtype=given.dtype))))


def test_structs_with_further_fields() -> None:
    lazy = pl.LazyFrame({"a": [1, None, 3], "s": [{"x": 1, "y": "u"}, None, {"x": None, "y": ""}]})
    for frame in (lazy, lazy.head(0), lazy.slice(1, 1)):
        same(frame.select(c.s.struct.with_fields(z=c.a * 2)))
        same(frame.select(c.s.struct.with_fields(x=c.a, w=pl.lit("w"))))


@pytest.mark.parametrize("closed", CLOSED)
def test_narrow_numbers_at_equal_distances(closed: Closed) -> None:
    lazy = pl.LazyFrame({"a": [0.0, None, 1.5, 0.1, -2.0], "b": [1, 2, None, -7, 1e9], "n": [3, 1, 2, None, 0]}, schema={"a": pl.Float32, "b": pl.Float32, "n": pl.Int64})
    for frame in (lazy, lazy.head(0), lazy.head(1)):
        same(frame.select(pl.linear_spaces("a", "b", "n", closed=closed)))
        same(frame.select(pl.linear_spaces("b", "a", 4, closed=closed, as_array=True)))


@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Kathmandu", "Europe/London", "America/New_York"])
@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_timestamps_between_columns_in_zones(zone: str | None, unit: Literal["ms", "us", "ns"]) -> None:
    edges = {
        "start": [datetime(2020, 1, 1, 3), datetime(2021, 3, 20, 12), datetime(2021, 10, 20, 12), None],
        "end": [datetime(2020, 1, 5, 2), datetime(2021, 4, 2), datetime(2021, 11, 20), datetime(2021, 1, 1)],
    }
    lazy = pl.LazyFrame(edges).with_columns(pl.all().dt.replace_time_zone(zone).dt.cast_time_unit(unit)).collect().lazy()
    for step in ("1d", "2d", "1w", "1h"):
        for closed in CLOSED:
            same(lazy.select(pl.datetime_ranges("start", "end", step, closed=closed)))
    # Half past two is shown twice, or not at all, on some days of some zones.
    half = pl.LazyFrame({"start": [datetime(2021, 3, 10, 2, 30)], "end": [datetime(2021, 11, 20)]}).with_columns(pl.all().dt.replace_time_zone(zone)).collect().lazy()
    same_or_left(half.select(pl.datetime_ranges("start", "end", "1d")))

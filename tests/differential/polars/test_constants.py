"""What is one value, or nothing, for all rows: comparisons with null, columns of nothing, keys of groups, single rows; and casts of what is nested."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import polars as pl
import pytest
from compare import same, same_or_left
from frames import FRAMES, NAN

c = pl.col


@pytest.mark.parametrize("frame", FRAMES)
def test_comparisons_with_null_and_beyond_the_range_of_a_dtype(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    for literal in (pl.lit(None, dtype=pl.UInt64), pl.lit(300, dtype=pl.UInt64), pl.lit(-300)):
        same(lazy.select(a=c.n != literal, b=c.n <= literal, d=c.n.eq_missing(literal), e=c.n.ne_missing(literal)))
        same(lazy.filter(c.n < literal))


@pytest.mark.parametrize("frame", FRAMES)
def test_keys_that_are_one_value(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.group_by(pl.lit(1).alias("one")).agg(c.j.sum(), pl.len()))
    same(lazy.group_by("k", one=pl.lit("a"), maintain_order=True).agg(c.j.sum()))
    same(lazy.group_by(least=c.i.min(), maintain_order=True).agg(c.s.first()))


@pytest.mark.parametrize("dtype", [pl.Boolean, pl.Int8, pl.Float32, pl.String, pl.Date, pl.Datetime("ms"), pl.List(pl.Int64), pl.Struct({"a": pl.Int8}), pl.Decimal(10, 2)])
def test_columns_of_nothing_become_something(dtype: Any) -> None:
    for height in (0, 1, 3):
        lazy = pl.LazyFrame({"a": pl.Series([None] * height, dtype=pl.Null), "k": range(height)})
        same(lazy.with_columns(b=c.a.cast(dtype)))
        same(lazy.select(c.a.cast(dtype).first()))


NESTED = {
    "lists": (pl.Series([[1, None], None, [], [2**62]], dtype=pl.List(pl.Int64)), [pl.List(pl.Float64), pl.List(pl.Int8), pl.List(pl.String), pl.List(pl.UInt64)]),
    "floats": (pl.Series([[1.5, None, NAN], None, [], [-0.0]], dtype=pl.List(pl.Float64)), [pl.List(pl.Float32), pl.List(pl.Int64)]),
    "lists of lists": (pl.Series([[[1], None], None, [[]]], dtype=pl.List(pl.List(pl.Int32))), [pl.List(pl.List(pl.Int64)), pl.List(pl.List(pl.Float64))]),
    "structs": (pl.Series([{"a": 1, "b": True}, None, {"a": None, "b": None}, {"a": 300, "b": False}]), [pl.Struct({"a": pl.Float64, "b": pl.Int8}), pl.Struct({"a": pl.Int8, "b": pl.Boolean})]),
    "lists of structs": (pl.Series([[{"a": 1}, None], None, []], dtype=pl.List(pl.Struct({"a": pl.Int64}))), [pl.List(pl.Struct({"a": pl.Float64}))]),
}


@pytest.mark.parametrize("name", NESTED)
def test_casts_of_what_is_nested(name: str) -> None:
    series, wanted = NESTED[name]
    for given in (series, series.head(0), series.head(1), series.slice(1, 1)):
        for dtype in wanted:
            for strict in (True, False):
                same(pl.LazyFrame({"a": given}).select(c.a.cast(dtype, strict=strict)))


def test_casts_to_text_and_times() -> None:
    same(FRAMES["plain"].lazy().select(c.b.cast(pl.String), one=pl.lit(True).cast(pl.String)))
    for unit in ("ms", "us", "ns"):
        given = pl.Series([datetime(2020, 2, 29, 23, 59, 59, 999000), None, datetime(1969, 12, 31, 1), datetime(1970, 1, 1)], dtype=pl.Datetime(unit))
        same(pl.LazyFrame({"a": given}).select(c.a.cast(pl.Time)))


@pytest.mark.parametrize("frame", FRAMES)
def test_one_row_by_its_position(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    for position in (0, -1, 3):
        same(lazy.select(c.s.gather(position)))
        same(lazy.select(c.s.gather(position).str.len_chars()))
        same(lazy.select(c.j.gather(position).sum()))
    for query in (lazy.select("k", c.s.gather(0)), lazy.with_columns(c.s.gather(0))):
        same_or_left(query)


def test_numbers_and_times_at_equal_distances() -> None:
    for start, end in ((date(2020, 1, 1), date(2020, 1, 9)), (datetime(2020, 1, 1), datetime(2020, 1, 3, 1))):
        for count in (0, 1, 4):
            same(pl.LazyFrame().select(pl.linear_space(start, end, count)))
    same(pl.LazyFrame().select(pl.linear_space(pl.lit(0.1, dtype=pl.Float32), pl.lit(3, dtype=pl.Float32), 7, closed="none")))


def test_comparisons_of_what_is_computed_with_null() -> None:
    lazy = FRAMES["plain"].lazy()
    unknown = pl.lit(NAN, dtype=pl.Float64).cast(pl.Int64, strict=False)
    same(lazy.filter(c.i.clip(c.i, c.j) <= unknown))
    same(lazy.group_by("k", maintain_order=True).agg((unknown > c.s.str.count_matches("a").cast(pl.Int64)).all()))


@pytest.mark.parametrize("frame", FRAMES)
def test_one_value_that_is_filtered(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    for one in (pl.lit(2), pl.lit("a"), c.i.first(), c.s.max()):
        for kept in (c.j > 0, c.b, c.j.reverse() == 2, c.k.is_null()):
            same(lazy.select(one.filter(kept)))
            same(lazy.select(one.filter(kept).count()))
            same(lazy.group_by("k", maintain_order=True).agg(all=one.filter(kept), first=one.filter(kept).first(), n=one.filter(kept).len()))


LISTS = pl.Series([[1, None], None, [], [3], [None]], dtype=pl.List(pl.Int64))


def test_columns_that_become_longer() -> None:
    for given in (LISTS, LISTS.head(0), LISTS.head(1), LISTS.slice(1, 1), LISTS.slice(2, 1), LISTS.cast(pl.List(pl.String))):
        lazy = pl.LazyFrame({"a": given})
        for empty_as_null in (True, False):
            for keep_nulls in (True, False):
                same(lazy.select(c.a.explode(empty_as_null=empty_as_null, keep_nulls=keep_nulls)))
                same(lazy.select(b=c.a.list.sort().explode(empty_as_null=empty_as_null, keep_nulls=keep_nulls)).filter(c.b.is_not_null()))
    same(pl.LazyFrame({"a": pl.Series([[1, 2], None, [3, None]], dtype=pl.Array(pl.Int64, 2))}).select(c.a.explode(empty_as_null=True)))
    for frame in FRAMES.values():
        for count in (0, 3):
            same(frame.lazy().select(c.i.extend_constant(pl.lit(7, dtype=pl.Int64), count)))
            same(frame.lazy().select(c.s.extend_constant("ł", count)))
            same(frame.lazy().select(c.n.extend_constant(-128, count)))
            same_or_left(frame.lazy().select(c.n.extend_constant(200, count)))
            same(frame.lazy().select(c.x.extend_constant(None, count)))


@pytest.mark.parametrize("frame", FRAMES)
def test_values_repeated_in_lists(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    times = (c.u % 4).cast(pl.UInt32)
    same(lazy.select(a=c.s.repeat_by(times), b=c.i.repeat_by(2), d=pl.lit("x").repeat_by(times), e=c.x.repeat_by(pl.lit(None, dtype=pl.UInt32))))


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt64, pl.Float64])
def test_arithmetic_of_arrays(dtype: Any) -> None:
    left = pl.Series([[1, None], None, [5, 6], [100, 127], [0, 0]], dtype=pl.Array(dtype, 2))
    right = pl.Series([[3, 4], [1, 1], None, [100, 1], [0, 7]], dtype=pl.Array(dtype, 2))
    lazy = pl.LazyFrame({"a": left, "b": right})
    for frame in (lazy, lazy.head(0), lazy.head(1), lazy.slice(1, 1)):
        for result in (c.a + c.b, c.a - c.b, c.a * c.b):
            same(frame.select(result))
        if dtype is not pl.Float64:
            same(frame.select(c.a % c.b))
    narrow = pl.Series([[], None, []], dtype=pl.Array(pl.Int8, 0))
    same(pl.LazyFrame({"a": narrow, "b": pl.Series([None, [], []], dtype=narrow.dtype)}).select(minus=c.a - c.b, rest=c.a % c.b))

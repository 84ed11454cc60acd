"""Means and medians of times and of nothing, arithmetic on fields of structs, the least and the greatest of wide and of narrow numbers, floats that are cut."""

from __future__ import annotations

import operator
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any

import polars as pl
import pytest
from compare import LENIENT, assert_same, same

c = pl.col

LAZY = pl.LazyFrame(
    {
        "k": [1, 1, 2, 2, 3],
        "d": [date(2020, 1, 1), date(2020, 1, 4), date(1969, 5, 5), None, None],
        "t": [datetime(2020, 1, 1, 5, 6, 7, 8), datetime(2020, 1, 4), datetime(1960, 1, 1, 3, 3, 3, 1), datetime(1970, 1, 1), None],
        "e": [timedelta(1), timedelta(seconds=3, microseconds=7), timedelta(seconds=-3, microseconds=2), timedelta(0), None],
        "m": [time(1, 2), time(3), time(4, 5, 6, 7), None, None],
        "n": [None] * 5,
        "s": [{"p": 1, "q": 2}, {"p": None, "q": 3}, None, {"p": 5, "q": 0}, {"p": -7, "q": 3}],
        "u": [{"p": 1.5, "q": 2.0}, {"p": -0.0, "q": None}, None, {"p": 1e300, "q": 3.0}, {"p": 0.0, "q": 0.0}],
        "w": pl.Series([2**100, -5, None, -(2**127), 2**64], dtype=pl.Int128),
    }
)
FRAMES = {"all": LAZY, "none": LAZY.head(0), "one": LAZY.head(1), "null": LAZY.tail(1)}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("word", ["mean", "median"])
@pytest.mark.parametrize("column", ["d", "t", "e", "m"])
def test_the_middle_of_times(column: str, word: str, frame: str) -> None:
    lazy, made = FRAMES[frame], getattr(c(column), word)()
    same(lazy.select(made))
    same(lazy.select(getattr(c(column).filter(c.k < 3), word)()))
    same(lazy.select(made.over("k")))
    same(lazy.group_by("k", maintain_order=True).agg(made))


def test_counts_that_are_no_floats_are_left_to_polars() -> None:
    query = LAZY.select(c.t.dt.cast_time_unit("ns").mean(), median=c.t.dt.cast_time_unit("ns").median())
    assert_same(query.collect(engine=LENIENT), query.collect())


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod])
def test_arithmetic_field_by_field(operation: Callable[..., Any], frame: str) -> None:
    lazy = FRAMES[frame]
    same(lazy.select(operation(c.s, c.s)))
    same(lazy.select(operation(pl.struct(p=c.k, q=c.k), c.s)))
    same(lazy.select(operation(c.u, c.u)))


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.mod])
def test_arithmetic_of_nothing(operation: Callable[..., Any]) -> None:
    for lazy in FRAMES.values():
        same(lazy.select(operation(c.n, c.n)))


@pytest.mark.parametrize("frame", FRAMES)
def test_the_least_and_the_greatest(frame: str) -> None:
    lazy = FRAMES[frame]
    for value in (c.w, c.w.cast(pl.UInt128, strict=False)):
        same(lazy.select(least=value.min(), greatest=value.max(), over=value.min().over("k")))
        same(lazy.group_by("k", maintain_order=True).agg(least=value.min(), greatest=value.max()))
    same(lazy.group_by("k", maintain_order=True).agg(c.w).select(c.w.list.sum()))


def test_quotients_of_sql() -> None:
    context = pl.SQLContext(f=LAZY)
    same(context.execute("select extract(century from d) as c, extract(decade from d) as d, extract(millennium from d) as m from f"))
    same(context.execute("select k // 2 as a, k // 0 as b, (0 - k) // 2 as c, k // (k - 2) as d from f"))


AWKWARD = pl.LazyFrame(
    {
        "k": [1, 1, 1, 2, 3, 3],
        "x": [0.29, -2.675, float("inf"), None, 1e16, -0.29],
        "y": pl.Series([0.57, 1.15, 4.35, None, 3e38, -0.0], dtype=pl.Float32),
        "h": pl.Series([1.5, float("nan"), None, None, 65504.0, -0.0], dtype=pl.Float16),
        "w": pl.Series([5, 2**100 + 3, None, None, -1, 7], dtype=pl.Int128),
        "n": [None] * 6,
    }
)


@pytest.mark.parametrize("lazy", [AWKWARD, AWKWARD.head(0), AWKWARD.head(1), AWKWARD.filter(c.k == 2)])
def test_narrow_wide_and_no_numbers(lazy: pl.LazyFrame) -> None:
    values = {
        "least": c.x.arg_min(),
        "greatest": c.y.arg_max(),
        "narrow": c.h.min(),
        "narrow too": c.h.max(),
        "and": c.w.bitwise_and(),
        "or": c.w.bitwise_or(),
        "xor": c.w.bitwise_xor(),
        "mean": c.n.mean(),
        "deviation": c.n.std(),
    }
    for name, value in values.items():
        same(lazy.select(value.alias(name)))
        same(lazy.group_by("k", maintain_order=True).agg(value.alias(name)))
    for digits in (0, 1, 2, 3, 7):
        same(lazy.select(c.x.truncate(digits), y=c.y.truncate(digits)))
        same(lazy.select(c.y.round(digits), away=c.y.round(digits, mode="half_away_from_zero")))


def test_several_least_floats_are_left_to_polars() -> None:
    for values in ([0.0, -0.0, 0.0], [1.0, 1.0], [float("nan"), 1.0]):
        query = pl.LazyFrame({"x": values}).select(c.x.arg_min(), b=c.x.arg_max())
        assert_same(query.collect(engine=LENIENT), query.collect())

"""One value for all rows, which Polars takes for a column of one row; literal lists and structs; literal series that bring their own rows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import polars as pl
import pytest
from compare import LENIENT, assert_same, same
from frames import FRAMES, NAN

c = pl.col

#: What is one value for all rows.
SINGLE: dict[str, pl.Expr] = {
    "literal": pl.lit(3),
    "null": pl.lit(None, dtype=pl.Int64),
    "NaN": pl.lit(NAN, dtype=pl.Float64) + c.y.max(),
    "sum": c.i.sum(),
    "first float": c.x.first(),
    "count": pl.len(),
}

OVER_ONE: dict[str, Callable[[pl.Expr], pl.Expr]] = {
    "sum": lambda one: one.sum(),
    "mean": lambda one: one.mean(),
    "min": lambda one: one.min(),
    "max": lambda one: one.max(),
    "first": lambda one: one.first(),
    "last": lambda one: one.last(),
    "count": lambda one: one.count(),
    "len": lambda one: one.len(),
    "n_unique": lambda one: one.n_unique(),
    "std": lambda one: one.std(),
    "median": lambda one: one.median(),
    "quantile": lambda one: one.quantile(0.3),
    "null_count": lambda one: one.null_count(),
    "product": lambda one: one.product(),
    "implode": lambda one: one.implode(),
    "reverse": lambda one: one.reverse(),
    "shift": lambda one: one.shift(1),
    "rank": lambda one: one.rank("min"),
    "sort": lambda one: one.sort(),
    "cum_count": lambda one: one.cum_count(),
    "fill forward": lambda one: one.fill_null(strategy="forward"),
    "is_duplicated": lambda one: one.is_duplicated(),
    "is_first_distinct": lambda one: one.is_first_distinct(),
}


@pytest.mark.parametrize("frame", ["empty", "one", "plain"])
@pytest.mark.parametrize("value", SINGLE)
@pytest.mark.parametrize("name", OVER_ONE)
def test_functions_over_one_value(name: str, value: str, frame: str) -> None:
    lazy, result = FRAMES[frame].lazy(), OVER_ONE[name](SINGLE[value])
    same(lazy.select(result=result), close=True)
    same(lazy.select("k", result=result), close=True)
    same(lazy.group_by("k", maintain_order=True).agg(result=result), close=True)
    same(lazy.select(result=result.over("k")), close=True)


LITERALS: dict[str, pl.Expr] = {
    "integers": pl.lit([1, None, 3]),
    "texts": pl.lit(["a", "", None, "ł"]),
    "floats": pl.lit([1.5, NAN, -0.0]),
    "dates": pl.lit([date(2020, 2, 29), None]),
    "nothing": pl.lit([], dtype=pl.List(pl.Int64)),
    "lists": pl.lit([[1], [], None]),
    "struct": pl.lit({"a": 1, "b": "x"}),
    "structs": pl.lit([{"a": 1}, None]),
    "array": pl.lit([1, 2], dtype=pl.Array(pl.Int8, 2)),
    "struct without fields": pl.lit({}, dtype=pl.Struct([])),
    "no struct without fields": pl.lit(None, dtype=pl.Struct([])),
}


@pytest.mark.parametrize("frame", ["empty", "plain"])
@pytest.mark.parametrize("name", LITERALS)
def test_nested_literals(name: str, frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.select(result=LITERALS[name]))
    same(lazy.select("k", result=LITERALS[name]))
    same(lazy.with_columns(result=LITERALS[name]).filter(c.k == 1))
    same(lazy.group_by("k", maintain_order=True).agg(result=LITERALS[name]))


def test_structs_without_fields() -> None:
    lazy = pl.LazyFrame({"k": [1, 2, 1], "e": pl.Series([{}, None, {}], dtype=pl.Struct([]))})
    same(lazy)
    same(lazy.filter(c.k == 1))
    same(lazy.select("e", n=c.e.is_null()).sort("n"))
    same(pl.concat([lazy, lazy]))


@pytest.mark.parametrize("name", OVER_ONE)
def test_literal_series_without_a_frame(name: str) -> None:
    numbers = pl.lit(pl.Series([4, 2, None, 4]))
    same(pl.LazyFrame().select(result=OVER_ONE[name](numbers)), close=True)
    same(FRAMES["plain"].lazy().select(result=OVER_ONE[name](numbers), one=pl.lit(1)), close=True)


def test_literal_series_bring_their_rows() -> None:
    same(pl.LazyFrame().select(pl.Series("a", [1, 2, None]), pl.lit(5).alias("b")))
    same(pl.LazyFrame().select(a=pl.Series("a", [1, 2, None]) + pl.lit(pl.Series([4, 5, 6]))))
    same(pl.LazyFrame().select(pl.Series("a", [], dtype=pl.Int8)))
    same(FRAMES["plain"].lazy().select(pl.Series("a", ["x", None])))
    same(pl.LazyFrame().select(a=pl.lit(pl.Series([3, 2, 3])).filter(pl.lit(True))))
    for query in (pl.LazyFrame({"x": [1]}).select("x", pl.Series("b", [], dtype=pl.Int8)), pl.LazyFrame().select(a=pl.lit(pl.Series([1, 2])).sum(), b=pl.lit(pl.Series([1])))):
        assert_same(query.collect(engine=LENIENT), query.collect())


@pytest.mark.parametrize("frame", FRAMES)
def test_one_condition_for_all_rows(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.select(c.x.filter(pl.lit(True))))
    same(lazy.select(c.s.filter(c.j.sum() > 3)))
    same(lazy.group_by("k", maintain_order=True).agg(c.s.filter(c.j.sum() > 3)))
    same(lazy.group_by("k", maintain_order=True).agg(c.i.filter(c.j.max() > 3).sum()))


def test_one_value_that_may_raise_is_computed_once() -> None:
    # Once for each row, this would take minutes.
    lazy = pl.LazyFrame({"s": [str(at % 7) for at in range(20_000)], "x": range(20_000)})
    total = c.s.cast(pl.Int64).sum()
    same(lazy.with_columns(total=total + c.x))
    same(lazy.filter(c.x > total - 59_000))
    same(lazy.select(c.x, share=total.over(c.x % 2), total=total))
    same(lazy.head(0).with_columns(total=total + c.x))
    same(lazy.with_columns(s=pl.lit("none")).with_columns(total=total + c.x))

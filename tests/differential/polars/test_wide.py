"""Integers of 128 bits and floats of 16: columns that only move, keys, comparisons, order, and casts of integers."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from compare import LENIENT, assert_same, same
from frames import INF, NAN

import airloom.polars

c = pl.col

VALUES: dict[type[pl.DataType], list[Any]] = {
    pl.Int128: [3, None, -(2**127), 2**127 - 1, 2**64, -(2**64), 2**64 - 1, -1, 3, 0],
    pl.UInt128: [3, None, 0, 2**128 - 1, 2**64, 2**127, 2**64 - 1, 7, 3, 2**63],
    pl.Float16: [1.5, None, NAN, -0.0, 0.0, INF, -INF, 65504.0, 1.5, 6e-8],
}
DTYPES = list(VALUES)
CUTS = {"empty": slice(0, 0), "one": slice(0, 1), "null": slice(1, 2), "all": slice(None)}


def frame(dtype: type[pl.DataType], cut: str) -> pl.LazyFrame:
    given = VALUES[dtype][CUTS[cut]]
    turned = given[3:] + given[:3]
    return pl.LazyFrame({"k": pl.Series([at % 3 for at in range(len(given))], dtype=pl.Int64), "a": pl.Series(given, dtype=dtype), "b": pl.Series(turned, dtype=dtype)})


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_columns_move(dtype: type[pl.DataType], cut: str) -> None:
    lazy = frame(dtype, cut)
    same(lazy)
    same(lazy.filter(c.k != 1))
    same(pl.concat([lazy, lazy]))
    same(lazy.select(result=pl.when(c.k == 1).then("a").otherwise("b")))
    same(lazy.select(null=c.a.is_null(), filled=c.a.fill_null(c.b), shifted=c.b.shift(1), one=pl.lit(3, dtype=dtype), none=pl.lit(None, dtype=dtype)))
    same(lazy.group_by("k", maintain_order=True).agg(c.a.first(), n=c.b.count(), different=c.b.n_unique()))


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_keys_comparisons_and_order(dtype: type[pl.DataType], cut: str) -> None:
    lazy = frame(dtype, cut)
    pair = c.a, c.b
    same(lazy.select(eq=pair[0] == pair[1], ne=c.a != c.b, lt=c.a < c.b, le=c.a <= c.b, gt=c.a > c.b, ge=c.a >= c.b, equal=c.a.eq_missing(c.b), differ=c.a.ne_missing(c.b), between=c.k.is_between(0, 1)))
    for descending in (False, True):
        for nulls_last in (False, True):
            same(lazy.sort("a", descending=descending, nulls_last=nulls_last, maintain_order=True))
            same(lazy.sort("k", "b", descending=[descending, not descending], nulls_last=nulls_last, maintain_order=True))
    same(lazy.unique("a", keep="first", maintain_order=True))
    same(lazy.group_by("a", maintain_order=True).agg(pl.len()))
    same(lazy.join(lazy, left_on="a", right_on="b", maintain_order="left_right"))
    for how in ("left", "full", "semi", "anti"):
        same(lazy.join(lazy, left_on="a", right_on="b", how=how, nulls_equal=True), ordered=how in ("semi", "anti"))
    same(lazy.with_columns(n=c.k.sum().over("a")))


INTEGERS = (pl.Int8, pl.Int64, pl.UInt8, pl.UInt64, pl.Int128, pl.UInt128)


@pytest.mark.parametrize("before", INTEGERS)
@pytest.mark.parametrize("after", INTEGERS)
def test_casts_of_integers(before: Any, after: Any) -> None:
    given = [None, 0, 1, -1, 127, 128, 255, 256, -128, -129, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 2**127 - 1, 2**127, -(2**127), 2**128 - 1]
    held = pl.Series("a", [value for value in given if value is None or fits(value, before)], dtype=before).to_frame().lazy()
    if before in (pl.Int128, pl.UInt128) or after in (pl.Int128, pl.UInt128):
        same(held.select(c.a.cast(after, strict=False)))
        same(held.select(c.a.cast(after)))
        same(held.head(4).select(c.a.cast(after)))


def fits(value: int, dtype: Any) -> bool:
    bits = int(str(dtype).rpartition("t")[2])
    return 0 <= value < 2**bits if str(dtype).startswith("U") else -(2 ** (bits - 1)) <= value < 2 ** (bits - 1)


def test_literals() -> None:
    for power in (0, 8, 31, 63, 64, 100, 126):
        for value in (2**power, -(2**power), 2**power - 1):
            same(pl.LazyFrame().select(pl.lit(value)))
            same(pl.LazyFrame().select(pl.lit(value, dtype=pl.Int128)))
    same(pl.LazyFrame().select(pl.lit(2**128 - 1, dtype=pl.UInt128)))


def test_integers_of_both_signs_are_compared() -> None:
    lazy = pl.LazyFrame({"i": [None, -1, 2**63 - 1, 0], "u": pl.Series([1, 2**64 - 1, 2**63 - 1, None], dtype=pl.UInt64)})
    same(lazy.select(lt=c.i < c.u, eq=c.i == c.u, ge=c.i >= c.u))


def test_what_computes_is_refused() -> None:
    for dtype in DTYPES:
        lazy = frame(dtype, "all")
        narrow = (c.a + c.b, c.a.sum()) if dtype is pl.Float16 else ()
        for result in (c.a.mean(), c.a.rank(), c.a.product(), *narrow):
            query = lazy.select(result)
            assert airloom.polars.translate(query).function is None
            assert_same(query.collect(engine=LENIENT), query.collect())

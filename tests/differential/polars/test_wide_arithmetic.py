"""Arithmetic of integers of 128 bits: sums, differences, products, quotients, bits; and bits of booleans."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from compare import LENIENT, assert_same, same

c = pl.col

LARGE: list[Any] = [0, 1, -1, 2**63, -(2**63), 2**64, 2**64 - 1, -(2**64), 2**127 - 1, -(2**127), 10**30, None, 7, -7]
SMALL: list[Any] = [0, 1, -1, 5, -7, 2**62, -(2**62), None, 3]
DTYPES = (pl.Int128, pl.UInt128)
BITS = [f"bitwise_{word}" for word in ("count_ones", "count_zeros", "leading_ones", "leading_zeros", "trailing_ones", "trailing_zeros")]


def pairs(values: list[Any], dtype: type[pl.DataType]) -> pl.LazyFrame:
    given = [value if value is None or dtype is pl.Int128 else abs(value) for value in values]
    left, right = zip(*itertools.product(given, given), strict=True)
    return pl.LazyFrame({"a": left, "b": right}, schema={"a": dtype, "b": dtype})


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul])
def test_what_wraps(dtype: type[pl.DataType], operation: Callable[..., Any]) -> None:
    lazy = pairs(LARGE, dtype)
    for frame in (lazy, lazy.head(0), lazy.head(1)):
        same(frame.select(x=operation(c.a, c.b)))
        same(frame.select(x=operation(c.a, 3)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operation", [operator.floordiv, operator.mod, operator.truediv])
def test_quotients(dtype: type[pl.DataType], operation: Callable[..., Any]) -> None:
    lazy = pairs(SMALL, dtype)
    for frame in (lazy, lazy.head(0)):
        same(frame.select(x=operation(c.a, c.b)))
        same(frame.select(x=operation(c.a, 3)))
    # Where 64 bits are not enough, Polars goes on.
    large = pairs(LARGE, dtype)
    query = large.select(x=operation(c.a, c.b))
    assert_same(query.collect(engine=LENIENT), query.collect())


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_and_floats(dtype: type[pl.DataType]) -> None:
    lazy = pairs(LARGE, dtype)
    for frame in (lazy, lazy.head(0), lazy.head(1), lazy.filter(c.a.is_null())):
        same(frame.select(c.a.sum(), some=c.b.filter(c.a > 0).sum()))
        same(frame.group_by(k=c.b.is_null(), maintain_order=True).agg(c.a.sum()))
    same(pairs(SMALL, dtype).select(c.a.cast(pl.Float64), b=c.b.cast(pl.Float32)))


@pytest.mark.parametrize("word", BITS)
def test_bits(word: str) -> None:
    for dtype in DTYPES:
        same(pairs(LARGE, dtype).select(getattr(c.a, word)()))
    same(pl.LazyFrame({"b": [True, False, None]}).select(getattr(c.b, word)()))


@pytest.mark.parametrize("word", ["bitwise_and", "bitwise_or", "bitwise_xor"])
def test_bits_of_booleans_are_combined(word: str) -> None:
    lazy = pl.LazyFrame({"k": [1, 1, 1, 2, 2, 3], "b": [True, False, True, True, True, None]})
    for frame in (lazy, lazy.head(0), lazy.tail(1), lazy.head(1)):
        same(frame.select(getattr(c.b, word)()))
        same(frame.filter(c.b.is_not_null()).group_by("k", maintain_order=True).agg(getattr(c.b, word)()))
        query = frame.group_by("k", maintain_order=True).agg(getattr(c.b, word)())
        assert_same(query.collect(engine=LENIENT), query.collect())


def test_decimals_are_compared_in_the_narrowest_type() -> None:
    numbers = [Decimal("1.25"), Decimal("-99999999.99"), Decimal("99999999.99"), Decimal("0.00"), None]
    lazy = pl.LazyFrame({"d": numbers, "e": numbers[::-1]}, schema={"d": pl.Decimal(10, 2), "e": pl.Decimal(20, 5)})
    for other in (Decimal("0.05"), Decimal("24"), Decimal("123456789012.5"), Decimal("-0.001"), Decimal("1.250"), Decimal("9" * 30), c.e, c.e.max(), pl.lit(None, dtype=pl.Decimal(10, 2))):
        same(lazy.select(a=c.d < other, b=c.d >= other, e=c.d == other, f=c.d.ne_missing(other)))
    same(lazy.filter(c.d.is_between(Decimal("-1.5"), Decimal("10000000000.125"))))

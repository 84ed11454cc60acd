"""Means and medians of dates, timestamps, durations and times: those of their counts, as floats, without what is finer than the unit."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.quantiles import quantile
from airloom.polars.expressions.registry import Context
from airloom.polars.failing import fail_where
from airloom.polars.reading import Expression
from airloom.polars.spans import uncounted
from airloom.polars.values import Value, folded, rowwise

#: Integers up to this are floats exactly, and so are their sums.
_EXACT = float(2**53)
#: How many of a unit a day has.
_DAYS = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def middle(one: Expression, operand: Value, context: Context) -> Value | None:
    """The mean or the median of a column of times; none where its dtype is another. Where counts or their sum are no floats exactly, the program fails, and Polars rounds in its own way."""
    day = _day(operand.dtype, one.dtype)
    if day is None:
        return None

    def count(node: Node) -> Node:
        number = ir.mul(ir.cast(node, ir.i64), ir.const(day))
        return fail_where(ir.is_true(ir.ge(ir.abs(ir.cast(number, ir.f64)), ir.const(_EXACT))), number, "times whose counts are no floats exactly")

    back = uncounted(one.dtype)

    def make(array: Node) -> Node:
        wide = ir.map((array,), lambda element: ir.cast(element, ir.f64))
        if one.name == "agg.median":
            made = quantile(0.5, "linear")(wide)
        else:
            large = ir.ge(ir.sum(ir.map((wide,), ir.abs), skip="null"), ir.const(_EXACT))
            made = fail_where(ir.is_true(large), ir.mean(wide, skip="null"), "times whose sum is no float exactly")
        return back(ir.cast(ir.trunc(made), ir.i64))

    return folded(one.dtype, context.over, make, rowwise(pl.Int64(), count, operand))


def _day(before: pl.DataType, after: pl.DataType) -> int | None:
    """By what counts are multiplied; none where these are no times, or of different units."""
    if isinstance(before, pl.Date) and isinstance(after, pl.Datetime) and after.time_zone is None:
        return _DAYS[after.time_unit]
    return 1 if before == after and dtypes.is_of(before, pl.Datetime, pl.Duration, pl.Time) and getattr(before, "time_zone", None) is None else None


def of_nothing(one: Expression, arguments: Sequence[Value]) -> Value | None:
    """What is made of a column of nothing but null: null, too; none where a column is another."""
    if any(not dtypes.is_of(argument.dtype, pl.Null) for argument in arguments) or not dtypes.is_of(one.dtype, pl.Null):
        return None
    kind = dtypes.type_of(one.dtype)
    return rowwise(one.dtype, lambda *_nodes: ir.null(kind), *arguments)

"""Spans of time and of integers, in the units of the column that they are laid along."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.failing import fail_where
from airloom.polars.reading import Span
from airloom.polars.refusals import Refused
from airloom.polars.values import Over, Value, Windows, folded, rowwise

#: How many of a unit a day has.
_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def is_even(dtype: pl.DataType) -> bool:
    """Whether a dtype is of timestamps whose days are all equally long: where clocks are not set forward and back."""
    return isinstance(dtype, pl.Datetime) and dtype.time_zone in (None, "UTC")


def is_zoned(dtype: pl.DataType) -> bool:
    """Whether a dtype is of timestamps that are read on clocks that may be set forward and back."""
    return isinstance(dtype, pl.Datetime) and not is_even(dtype)


#: The last days, since 1970, of which Polars knows how the clocks of zones are set; from then on it leaves them as they are.
_KNOWN = 47_480


def known_to_clocks(at: Value) -> Value:
    """Timestamps, of which the program fails where they are later than Polars' tables of zones."""
    if not isinstance(at.dtype, (pl.Date, pl.Datetime)):
        return at
    return rowwise(at.dtype, lambda node: fail_where(is_late(node, at.dtype), node, "a time later than Polars' tables of zones"), at)


def is_late(node: Node, dtype: pl.DataType) -> Node:
    """Whether a date or a timestamp is later than Polars' tables of zones."""
    last = _KNOWN * (_DAY[dtype.time_unit] if isinstance(dtype, pl.Datetime) else 1)
    return ir.is_true(ir.gt(ir.cast(node, ir.i64), ir.const(last)))


def units(span: Span, dtype: pl.DataType, what: str) -> int:
    """A span as a number of units of a column; refused where it is no fixed number of them."""
    sign = -1 if span.negative else 1
    if span.counts != dtypes.is_of(dtype, *dtypes.INTEGERS):
        raise Refused(f"{what} along a column of dtype {dtype} is not translated")
    if span.counts:
        return sign * span.nanoseconds
    days = 7 * span.weeks + span.days
    if span.months:
        raise Refused(f"{what} of {span.months} months is not translated")
    if isinstance(dtype, pl.Date) and span.nanoseconds == 0:
        return sign * days
    if isinstance(dtype, pl.Datetime) and (is_even(dtype) or not days):
        unit = _DAY["ns"] // _DAY[dtype.time_unit]
        if span.nanoseconds % unit == 0:
            return sign * (days * _DAY[dtype.time_unit] + span.nanoseconds // unit)
    raise Refused(f"{what} along a column of dtype {dtype} is not translated")


def windows(index: Value, period: Span, offset: Span, closed: str, what: str) -> Windows:
    """The window of each row: from an offset on, as long as a period."""
    if closed not in ("left", "right", "both", "none"):
        raise Refused(f"{what} with `closed` {closed!r} is not translated")
    length, begin = units(period, index.dtype, what), units(offset, index.dtype, what)
    if length <= 0:
        raise Refused(f"{what} with a `period` that is not positive is not translated")

    def bounds(array: Node) -> tuple[Node, Node]:
        lower = ir.map((array,), lambda at: ir.add(at, ir.const(begin), overflow="raise"))
        upper = ir.map((array,), lambda at: ir.add(at, ir.const(begin + length), overflow="raise"))
        return ir.search(array, lower, right=closed in ("right", "none")), ir.search(array, upper, right=closed in ("right", "both"))

    # The program fails before a null gets here.
    return Windows(rowwise(pl.Int64(), lambda at: ir.coalesce(at, ir.const(0)), counted(index)), bounds)


def in_order(index: Value, keys: Iterable[Value]) -> Value:
    """The column, of which the program fails where it is not in order, or null: Polars raises then."""
    kind = dtypes.type_of(index.dtype)
    before = folded(index.dtype, Over(tuple(keys)), lambda array: ir.shift(array, 1, ir.null(kind)), index, reduces=False)
    wrong = rowwise(pl.Boolean(), lambda now, last: ir.or_(ir.is_null(now), ir.is_true(ir.lt(now, last))), index, before)
    return rowwise(index.dtype, lambda misplaced, node: fail_where(misplaced, node, "an index of windows that is null or out of order"), wrong, index)


def counted(index: Value) -> Value:
    """A column as the number of its units."""
    return rowwise(pl.Int64(), lambda at: at if at.type.required == ir.i64 else ir.cast(at, ir.i64), index)


def uncounted(dtype: pl.DataType) -> Callable[[Node], Node]:
    """From a number of units back to the column's own type."""
    kind = dtypes.type_of(dtype)
    narrow = ir.i32 if isinstance(dtype, pl.Date) else ir.i64
    if dtypes.is_of(dtype, *dtypes.INTEGERS):
        return lambda number: number if kind == ir.i64 else ir.cast(number, kind)
    return lambda number: ir.cast(number if narrow == ir.i64 else ir.cast(number, narrow), kind)

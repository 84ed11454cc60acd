"""Dates and durations: added and subtracted, and durations by numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.reading import Expression
from airloom.polars.values import Value, rowwise


def date_and_duration(one: Expression, arguments: Sequence[Value], *, later: bool) -> Value:
    """A date some time later or earlier: a date again, that of the day which has begun."""
    unit = arguments[1].dtype.time_unit  # type: ignore[attr-defined]

    def make(day: Node, by: Node) -> Node:
        start = ir.cast(day, ir.timestamp(unit))
        return ir.cast(ir.dt_add(start, by if later else ir.neg(by)), ir.date)

    return rowwise(one.dtype, make, *arguments)


def between_dates(one: Expression, arguments: Sequence[Value]) -> Value:
    """How long after a date another one is."""
    unit = one.dtype.time_unit  # type: ignore[attr-defined]
    kind = ir.timestamp(unit)
    return rowwise(one.dtype, lambda later, earlier: ir.dt_since(ir.cast(later, kind), ir.cast(earlier, kind)), *arguments)


def duration_and_integer(one: Expression, arguments: Sequence[Value], make: Callable[[Node, Node], Node]) -> Value | None:
    """What is made of the counts of a duration and of an integer, as a duration; none where they are something else."""
    kinds = [argument.dtype for argument in arguments]
    durations = [isinstance(dtype, pl.Duration) for dtype in kinds]
    if durations.count(True) != 1 or not all(is_duration or dtypes.is_of(dtype, *dtypes.INTEGERS) for dtype, is_duration in zip(kinds, durations, strict=True)):
        return None
    if any(dtypes.is_of(dtype, pl.UInt64) for dtype in kinds) or one.dtype != kinds[durations.index(True)]:
        return None
    kind = dtypes.type_of(one.dtype)
    return rowwise(one.dtype, lambda left, right: ir.cast(make(ir.cast(left, ir.i64), ir.cast(right, ir.i64)), kind), *arguments)

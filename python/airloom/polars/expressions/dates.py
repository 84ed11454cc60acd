"""Dates and durations, added and subtracted."""

from __future__ import annotations

from collections.abc import Sequence

from airloom import ir
from airloom._native import Node
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

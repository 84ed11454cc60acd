"""Dates and timestamps in equal steps: between two literals, as rows of their own, and between two columns, as lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.plain import series_beside
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression, Span
from airloom.polars.refusals import Refused
from airloom.polars.spans import counted, is_even, uncounted, units
from airloom.polars.values import Value, rowwise

_RANGES: dict[str, Callable[..., pl.Expr]] = {"range.DateRange": pl.date_range, "range.DatetimeRange": pl.datetime_range, "range.TimeRange": pl.time_range}


@expression(*_RANGES)
def _range(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    step, closed, rest = one.parameters[0], one.parameters[1], one.parameters[2:]
    if len(one.arguments) != 2 or (rest and rest[-1] != "start_end_interval"):
        raise Refused(f"`{one.name.partition('.')[2]}` is translated only from a start to an end")
    unit = {"time_unit": one.dtype.time_unit} if isinstance(one.dtype, pl.Datetime) else {}
    return range_of_literals(one, lambda start, end: _RANGES[one.name](start, end, _written(Span(*step)), closed=closed, **unit), context)


def range_of_literals(one: Expression, make: Callable[..., pl.Expr], context: Context) -> Value:
    """A range between literals is a literal series: how months are counted, and clocks that are set forward, Polars knows."""
    edges = [_constant(part) for part in one.arguments]
    if any(edge is None for edge in edges):
        raise Refused(f"`{one.name.partition('.')[2]}` of {one.dtype} is translated only between two literals")
    try:
        given = pl.select(make(*edges)).to_series()
    except pl.exceptions.PolarsError as error:
        raise Refused(f"`{one.name.partition('.')[2]}` of these literals fails in Polars") from error
    return series_beside(given, one, context)


def _constant(one: Expression) -> pl.Expr | None:
    """An expression of literals alone, as Polars has it; none where something else is in it."""
    match one.name:
        case "literal" if not isinstance(one.dtype, pl.Datetime) or one.dtype.time_unit != "ns":
            value: Any = one.parameters[0]
            return pl.lit(value, dtype=one.dtype)
        case "cast" | "temporal.ReplaceTimeZone" | "alias":
            below = _constant(one.arguments[0])
            if below is None or one.name == "alias":
                return below
            if one.name == "cast":
                return below.cast(one.dtype)
            if one.parameters[1] != "raise" or one.arguments[1].parameters != ("raise",):
                return None
            assert isinstance(one.dtype, pl.Datetime)
            return below.dt.replace_time_zone(one.dtype.time_zone)
    return None


def _written(span: Span) -> str:
    """A span as Polars reads it."""
    parts = {"mo": span.months, "w": span.weeks, "d": span.days, "ns": span.nanoseconds}
    return f"{'-' if span.negative else ''}{''.join(f'{count}{unit}' for unit, count in parts.items() if count)}" or "0ns"


@expression("range.DateRanges", "range.DatetimeRanges")
def _ranges(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    step, closed, rest = Span(*one.parameters[0]), one.parameters[1], one.parameters[2:]
    assert isinstance(one.dtype, pl.List)
    inner, kind = dtypes.inner_of(one.dtype), dtypes.type_of(one.dtype)
    # Days in a zone are counted on its clocks, and may be longer or shorter than others.
    zoned = isinstance(inner, pl.Datetime) and inner.time_zone is not None and not is_even(inner) and not step.nanoseconds and bool(step.days or step.weeks)
    along: pl.DataType = pl.Datetime(inner.time_unit) if zoned and isinstance(inner, pl.Datetime) else inner
    every = units(step, along, "a range")
    if len(arguments) != 2 or any(argument.dtype != inner for argument in arguments) or every <= 0 or (rest and rest[-1] != "start_end_interval"):
        raise Refused(f"`{one.name.partition('.')[2]}` of {' and '.join(str(argument.dtype) for argument in arguments)} is not translated")
    back = uncounted(along)
    if zoned:
        assert isinstance(inner, pl.Datetime)
        back = _localized(back, inner.time_zone or "")
    has_start, has_end = closed in ("both", "left"), closed in ("both", "right")

    def make(start: Node, end: Node) -> Node:
        length = ir.coalesce(ir.sub(end, start, overflow="raise"), ir.const(-1))
        # How many steps there are up to the end, and the last of them only where it may reach the end.
        steps = ir.floordiv(length, ir.const(every), zero="raise")
        last = steps if has_end else ir.select(ir.eq(ir.mul(steps, ir.const(every)), length), ir.sub(steps, ir.const(1)), steps)
        count = ir.greatest(ir.add(last, ir.const(1 if has_start else 0)), ir.const(0))
        begin = ir.const(0 if has_start else 1)
        first = ir.coalesce(start, ir.const(0))
        made = ir.map((ir.iota(count),), lambda at: back(ir.add(first, ir.mul(ir.add(at, begin), ir.const(every)))))
        return ir.select(ir.or_(ir.is_null(start), ir.is_null(end)), ir.null(kind), ir.cast(ir.arr_list(made), kind))

    edges = [rowwise(along, ir.dt_wall, argument) for argument in arguments] if zoned else arguments
    return rowwise(one.dtype, make, *(counted(edge) for edge in edges))


def _localized(back: Callable[[Node], Node], zone: str) -> Callable[[Node], Node]:
    """A reading of the clocks of a zone as a timestamp. Where they show it not at all, or twice, the program fails, as Polars does."""
    return lambda number: ir.dt_localize(back(number), zone)

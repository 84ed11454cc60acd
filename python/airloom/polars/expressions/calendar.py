"""Steps of the calendar, and how long something takes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.logic import literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Value, rowwise

#: Steps as Polars writes them, and what the graph calls them.
_STEPS = {"y": "year", "q": "quarter", "mo": "month", "w": "week", "d": "day", "h": "hour", "m": "minute", "s": "second", "ms": "milli", "us": "micro", "ns": "nano"}
_OF_DATES = ("year", "quarter", "month", "week", "day")
#: How many of a unit a second has.
SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}


@expression("temporal.Truncate")
def _truncate(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    count, step = _step(one, arguments, "`dt.truncate`")
    if not same_steps(count, step):
        raise Refused(f"`dt.truncate` to {value_text(literal_of(arguments[1], '`dt.truncate` to a step'))} is not translated")
    return rowwise(one.dtype, lambda node: ir.dt_step(node, step, every=count), arguments[0])  # type: ignore[arg-type]


_SECONDS = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


@expression("temporal.Round")
def _round(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    count, step = _step(one, arguments, "`dt.round`")
    dtype = arguments[0].dtype
    if count <= 0 or step not in _SECONDS or not isinstance(dtype, pl.Datetime):
        raise Refused(f"`dt.round` of {dtype} to {value_text(literal_of(arguments[1], '`dt.round` to a step'))} is not translated")
    length, kind = count * _SECONDS[step] * SECOND[dtype.time_unit], dtypes.type_of(dtype)

    def make(node: Node) -> Node:
        # Halves are rounded up.
        late = ir.add(ir.cast(node, ir.i64), ir.const(length // 2), overflow="raise")
        return ir.cast(ir.mul(ir.floordiv(late, ir.const(length)), ir.const(length)), kind)

    return rowwise(one.dtype, make, arguments[0])


#: How many months and years 1970 is from year 0.
_EPOCH = {"year": 1970, "quarter": 1970 * 4, "month": 1970 * 12}


def same_steps(count: int, step: str) -> bool:
    """Whether steps begin where Polars' do: it counts all of them from 1970, the graph counts months and years from year 0."""
    return count > 0 and _EPOCH.get(step, 0) % count == 0


@expression("temporal.OffsetBy")
def _offset_by(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    count, step = _step(one, arguments, "`dt.offset_by`")
    return rowwise(one.dtype, lambda node: ir.dt_shift(node, ir.const(count), step), arguments[0])  # type: ignore[arg-type]


@expression("temporal.MonthStart")
def _month_start(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if not dtypes.is_of(arguments[0].dtype, pl.Date):
        raise unsupported(one, arguments)
    return rowwise(one.dtype, lambda node: ir.dt_step(node, "month"), arguments[0])


@expression("temporal.MonthEnd")
def _month_end(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if not dtypes.is_of(arguments[0].dtype, pl.Date):
        raise unsupported(one, arguments)
    return rowwise(one.dtype, lambda node: ir.dt_shift(ir.dt_shift(ir.dt_step(node, "month"), ir.const(1), "month"), ir.const(-1), "day"), arguments[0])


def _step(one: Expression, arguments: Sequence[Value], what: str) -> tuple[int, str]:
    """The number and the name of a step of a date, or of a datetime without a zone."""
    dtype = arguments[0].dtype
    text = literal_of(arguments[1], f"{what} with a step")
    found = re.fullmatch(r"(-?\d+)(y|q|mo|w|d|h|m|s|ms|us|ns)", text) if isinstance(text, str) else None
    if found is None:
        raise Refused(f"{what} with the step {value_text(text)} is not translated")
    step = _STEPS[found[2]]
    if isinstance(dtype, pl.Date) and step in _OF_DATES:
        return int(found[1]), step
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is None and (found[2] not in SECOND or SECOND[found[2]] <= SECOND[dtype.time_unit]):
        return int(found[1]), step
    raise Refused(f"{what} of {dtype} with the step {value_text(text)} is not translated")


_TOTALS = {"temporal.TotalDays": 86_400, "temporal.TotalHours": 3_600, "temporal.TotalMinutes": 60, "temporal.TotalSeconds": 1}
#: Totals that are finer than a second, by how many of them it has.
_FINE = {"temporal.TotalMilliseconds": 10**3, "temporal.TotalMicroseconds": 10**6, "temporal.TotalNanoseconds": 10**9}


@expression(*_FINE)
def _fine_total(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (fractional,) = one.parameters
    dtype = arguments[0].dtype
    if fractional or not isinstance(dtype, pl.Duration):
        raise Refused(f"`{one.name}` of {dtype} with `fractional` {value_text(fractional)} is not translated")
    before, after = SECOND[dtype.time_unit], _FINE[one.name]
    if after >= before:
        return rowwise(one.dtype, lambda node: ir.mul(ir.cast(node, ir.i64), ir.const(after // before)), arguments[0])
    return rowwise(one.dtype, lambda node: ir.truncdiv(ir.cast(node, ir.i64), ir.const(before // after)), arguments[0])


@expression(*_TOTALS)
def _total(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (fractional,) = one.parameters
    dtype = arguments[0].dtype
    if not isinstance(dtype, pl.Duration):
        raise Refused(f"`{one.name}` of {dtype} with `fractional` {value_text(fractional)} is not translated")
    if fractional:
        length = float(_TOTALS[one.name] * SECOND[dtype.time_unit])
        # As Polars divides by one number: by its reciprocal.
        return rowwise(one.dtype, lambda node: ir.mul(ir.cast(ir.cast(node, ir.i64), ir.f64), ir.const(1.0 / length)), arguments[0])
    units = _TOTALS[one.name] * SECOND[dtype.time_unit]
    return rowwise(one.dtype, lambda node: ir.truncdiv(ir.cast(node, ir.i64), ir.const(units)), arguments[0])

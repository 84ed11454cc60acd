"""Steps of the calendar, and how long something takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.failing import fail_where
from airloom.polars.expressions.logic import literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.spans import is_even, is_late
from airloom.polars.values import Value, rowwise

#: Steps as Polars writes them, and what the graph calls them.
_STEPS = {"y": "year", "q": "quarter", "mo": "month", "w": "week", "d": "day", "h": "hour", "m": "minute", "s": "second", "ms": "milli", "us": "micro", "ns": "nano"}
_OF_DATES = ("year", "quarter", "month", "week", "day")
#: How many of a unit a second has.
SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}
_FINEST = {"milli": 10**3, "micro": 10**6, "nano": 10**9}


@expression("temporal.Truncate")
def _truncate(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    count, step = _step(one, arguments, "`dt.truncate`")
    if not same_steps(count, step):
        raise Refused(f"`dt.truncate` to {value_text(literal_of(arguments[1], '`dt.truncate` to a step'))} is not translated")
    return rowwise(one.dtype, on_the_wall(one.dtype, lambda node: ir.dt_step(node, step, every=count)), arguments[0])  # type: ignore[arg-type]


def on_the_wall(dtype: pl.DataType, make: Callable[[Node], Node]) -> Callable[[Node], Node]:
    """What is made of the reading of a clock. Where the clocks of the zone show the new reading not at all, or twice, the program fails: Polars knows which it is."""
    zone = dtype.time_zone if isinstance(dtype, pl.Datetime) else None
    if zone is None:
        return make

    def zoned(node: Node) -> Node:
        once = ir.dt_localize(make(ir.dt_wall(node)), zone, ambiguous="null", nonexistent="null")
        missing = ir.and_(ir.is_null(once), ir.not_(ir.is_null(node)))
        return fail_where(missing if is_even(dtype) else ir.or_(missing, ir.or_(is_late(node, dtype), is_late(once, dtype))), once, "a time that the clocks of its zone show twice or never, or that is later than Polars' tables of zones")

    return zoned


_SECONDS = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}


@expression("temporal.Round")
def _round(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    count, step = _step(one, arguments, "`dt.round`")
    dtype = arguments[0].dtype
    if count <= 0 or step not in _SECONDS or not isinstance(dtype, pl.Datetime) or dtype.time_zone is not None:
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
    text = literal_of(arguments[1], "`dt.offset_by` with a step")
    if not isinstance(text, str) or re.fullmatch(rf"-?({_PART})+", text) is None:
        raise Refused(f"`dt.offset_by` with the step {value_text(text)} is not translated")
    # The sign is that of all parts. Months come first, then days, then time that passes.
    shifts: dict[str, int] = {}
    for number, unit in re.findall(_PART, text):
        step, times = _BROADER.get(unit, (_STEPS[unit], 1))
        shifts[step] = shifts.get(step, 0) + (-1 if text[0] == "-" else 1) * int(number) * times
    for step in shifts:
        _check_step(arguments[0].dtype, step, f"`dt.offset_by` of {arguments[0].dtype} with the step {value_text(text)}")
    value = arguments[0]
    for step in _STEPS.values():
        if step in shifts:
            value = rowwise(one.dtype, _shifted(one.dtype, step, shifts[step]), value)
    return value


#: A part of a step, and the units that are a number of months.
_PART = r"(\d+)(y|q|mo|ms|us|ns|w|d|h|m|s)"
_BROADER = {"y": ("month", 12), "q": ("month", 3)}


def _shifted(dtype: pl.DataType, step: str, count: int) -> Callable[[Node], Node]:
    make: Callable[[Node], Node] = lambda node: ir.dt_shift(node, ir.const(count), step)  # type: ignore[arg-type]
    return on_the_wall(dtype, make) if step in _OF_DATES else make


@expression("temporal.MonthStart")
def _month_start(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    return rowwise(one.dtype, on_the_wall(one.dtype, _to_month_start(one, arguments)), arguments[0])


@expression("temporal.MonthEnd")
def _month_end(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    first = _to_month_start(one, arguments)
    return rowwise(one.dtype, on_the_wall(one.dtype, lambda node: ir.dt_shift(ir.dt_shift(first(node), ir.const(1), "month"), ir.const(-1), "day")), arguments[0])


def _to_month_start(one: Expression, arguments: Sequence[Value]) -> Callable[[Node], Node]:
    """The first day of a month; the time of day stays."""
    dtype = arguments[0].dtype
    if isinstance(dtype, pl.Date):
        return lambda node: ir.dt_step(node, "month")
    if not isinstance(dtype, pl.Datetime):
        raise unsupported(one, arguments)
    return lambda node: ir.dt_add(ir.dt_step(node, "month"), ir.dt_since(node, ir.dt_step(node, "day")))


def _step(one: Expression, arguments: Sequence[Value], what: str) -> tuple[int, str]:
    """The number and the name of a step of a date or datetime."""
    text = literal_of(arguments[1], f"{what} with a step")
    found = re.fullmatch(r"(-?\d+)(y|q|mo|w|d|h|m|s|ms|us|ns)", text) if isinstance(text, str) else None
    if found is None:
        raise Refused(f"{what} with the step {value_text(text)} is not translated")
    step = _STEPS[found[2]]
    _check_step(arguments[0].dtype, step, f"{what} of {arguments[0].dtype} with the step {value_text(text)}")
    return int(found[1]), step


def _check_step(dtype: pl.DataType, step: str, what: str) -> None:
    """Refuses steps that a column cannot take."""
    if isinstance(dtype, pl.Date) and step in _OF_DATES:
        return
    if isinstance(dtype, pl.Datetime) and _FINEST.get(step, 1) <= SECOND[dtype.time_unit]:
        return
    raise Refused(f"{what} is not translated")


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

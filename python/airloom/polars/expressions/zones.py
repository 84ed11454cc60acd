"""Units and zones of timestamps, timestamps as numbers, and timestamps made of parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.calendar import SECOND
from airloom.polars.expressions.logic import literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.failing import fail_where
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.spans import is_late, is_zoned
from airloom.polars.values import Value, rowwise


@expression("temporal.CastTimeUnit")
def _unit(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    before = arguments[0].dtype
    if not isinstance(before, (pl.Datetime, pl.Duration)):
        raise unsupported(one, arguments)
    kind = dtypes.type_of(one.dtype)
    if before == one.dtype:
        return arguments[0]
    assert isinstance(one.dtype, (pl.Datetime, pl.Duration))
    coarser = SECOND[before.time_unit] // SECOND[one.dtype.time_unit]
    if isinstance(before, pl.Duration) and coarser > 1:
        # Durations lose what is finer, on either side of zero; timestamps are rounded down.
        return rowwise(one.dtype, lambda node: ir.cast(ir.truncdiv(ir.cast(node, ir.i64), ir.const(coarser)), kind), arguments[0])
    return rowwise(one.dtype, lambda node: ir.cast(node, kind), arguments[0])


@expression("temporal.TimeStamp")
def _timestamp(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (unit,) = one.parameters
    dtype = arguments[0].dtype
    if isinstance(dtype, pl.Date):
        units = 86_400 * SECOND[unit]
        return rowwise(one.dtype, lambda node: ir.mul(ir.cast(node, ir.i64), ir.const(units), overflow="null"), arguments[0])
    if not isinstance(dtype, pl.Datetime):
        raise unsupported(one, arguments)
    return rowwise(one.dtype, _scaled(SECOND[dtype.time_unit], SECOND[unit]), arguments[0])


def _scaled(before: int, after: int) -> Any:
    """A count of one unit in another; what does not divide is rounded down, and what is too great is null."""
    if after >= before:
        return lambda node: ir.mul(ir.cast(node, ir.i64), ir.const(after // before), overflow="null")
    return lambda node: ir.floordiv(ir.cast(node, ir.i64), ir.const(before // after))


@expression("temporal.ConvertTimeZone")
def _convert(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (zone,) = one.parameters
    dtype = arguments[0].dtype
    if not isinstance(dtype, pl.Datetime):
        raise unsupported(one, arguments)
    kind = dtypes.type_of(one.dtype)
    if dtype.time_zone is None:
        # A reading without a zone is one of UTC.
        return rowwise(one.dtype, lambda node: ir.dt_to_zone(ir.dt_localize(node, "UTC"), zone) if zone != "UTC" else ir.cast(ir.dt_localize(node, "UTC"), kind), arguments[0])
    return rowwise(one.dtype, lambda node: ir.dt_to_zone(node, zone), arguments[0])


@expression("temporal.ReplaceTimeZone")
def _replace(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    zone, nonexistent = one.parameters
    ambiguous = literal_of(arguments[1], "`replace_time_zone` with `ambiguous`")
    dtype = arguments[0].dtype
    if not isinstance(dtype, pl.Datetime):
        raise unsupported(one, arguments)
    if ambiguous not in ("raise", "earliest", "latest", "null") or nonexistent not in ("raise", "null"):
        raise Refused(f"`replace_time_zone` with `ambiguous` {value_text(ambiguous)} and `non_existent` {value_text(nonexistent)} is not translated")

    def make(node: Node) -> Node:
        wall = node if dtype.time_zone is None else ir.dt_wall(node)
        return wall if zone is None else ir.dt_localize(wall, zone, ambiguous=ambiguous, nonexistent=nonexistent)

    return rowwise(one.dtype, make, arguments[0])


@expression("temporal.Combine")
def _combine(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    day, time = (argument.dtype for argument in arguments)
    if not isinstance(one.dtype, pl.Datetime) or one.dtype.time_zone is not None or not isinstance(time, pl.Time):
        raise unsupported(one, arguments)
    if not (isinstance(day, pl.Date) or (isinstance(day, pl.Datetime) and day.time_zone is None)):
        raise unsupported(one, arguments)
    unit = one.dtype.time_unit
    kind, length = dtypes.type_of(one.dtype), ir.duration(unit)
    divisor = 10**9 // SECOND[unit]

    def make(at: Node, clock: Node) -> Node:
        date = at if isinstance(day, pl.Date) else ir.dt_date(at)
        passed = ir.cast(ir.floordiv(ir.cast(clock, ir.i64), ir.const(divisor)), length)
        return ir.dt_add(ir.cast(date, kind), passed)

    return rowwise(one.dtype, make, *arguments)


@expression("temporal.Duration")
def _duration(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if not isinstance(one.dtype, pl.Duration) or not all(dtypes.is_of(argument.dtype, *dtypes.SIGNED) for argument in arguments):
        raise unsupported(one, arguments)
    unit = SECOND[one.dtype.time_unit]
    # Weeks, days, hours, minutes, seconds, milliseconds, microseconds, nanoseconds.
    factors = [604_800 * unit, 86_400 * unit, 3_600 * unit, 60 * unit, unit, unit // 10**3, unit // 10**6, unit // 10**9]
    given = [argument for argument, factor in zip(arguments, factors, strict=True) if argument.literal != (0,) or argument is arguments[0]]
    if any(factor == 0 for argument, factor in zip(arguments, factors, strict=True) if argument in given):
        raise Refused(f"`duration` in {one.dtype} of parts that are finer is not translated")
    kept = [factor for argument, factor in zip(arguments, factors, strict=True) if argument in given]
    kind = dtypes.type_of(one.dtype)

    def make(*parts: Node) -> Node:
        total = ir.const(0)
        for part, factor in zip(parts, kept, strict=True):
            total = ir.add(total, ir.mul(ir.cast(part, ir.i64), ir.const(factor)))
        return ir.cast(total, kind)

    return rowwise(one.dtype, make, *given)


@expression("temporal.DatetimeFunction")
def _datetime(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    unit, zone = one.parameters
    parts = arguments[:7]
    if zone is not None or not isinstance(one.dtype, pl.Datetime) or not all(dtypes.is_of(part.dtype, *dtypes.INTEGERS) for part in parts):
        raise Refused(f"`datetime` of {', '.join(str(part.dtype) for part in parts)} in the zone {value_text(zone)} is not translated")
    kind, second = dtypes.type_of(one.dtype), SECOND[one.dtype.time_unit]
    if one.dtype.time_unit == "ms" and parts[6].literal != (0,):
        raise Refused("`datetime` in milliseconds with microseconds is not translated")
    return rowwise(one.dtype, lambda *given: _of_parts([ir.cast(part, ir.i64) for part in given], kind, unit, second, second // 10**6), *parts)


def _of_parts(parts: Sequence[Node], kind: ir.Type, unit: Literal["ms", "us", "ns"], second: int, finest: int) -> Node:
    """The timestamp of a year, a month, a day, an hour, a minute, a second, and parts of a second of `finest` units each; null where one of them is. Of a day or a time of day that is not there Polars has
    an opinion of its own: the program fails.
    """
    day = ir.cast(ir.dt_make(*parts[:3]), kind)
    passed, outside, missing = ir.const(0), ir.const(False), ir.const(False)
    for part in parts:
        missing = ir.or_(missing, ir.is_null(part))
    factors, ends = (3_600 * second, 60 * second, second, finest), (24, 60, 60, second // finest if finest else 10**6)
    for part, factor, end in zip(parts[3:], factors, ends, strict=True):
        passed = ir.add(passed, ir.mul(part, ir.const(factor)))
        outside = ir.or_(outside, ir.is_true(ir.or_(ir.lt(part, ir.const(0)), ir.ge(part, ir.const(end)))))
    made = ir.dt_add(day, ir.cast(passed, ir.duration(unit)))
    return fail_where(ir.and_(ir.not_(missing), ir.or_(ir.is_null(day), outside)), ir.select(missing, ir.null(kind), made), "a day or a time of day that is not there")


#: Parts of a timestamp, in the order in which `dt.replace` takes others for them.
_PARTS: tuple[Literal["year", "month", "day", "hour", "minute", "second"], ...] = ("year", "month", "day", "hour", "minute", "second")


@expression("temporal.Replace")
def _replace_parts(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value, *parts, ambiguous = arguments
    dtype = value.dtype
    given = [part for part in parts if part.literal != (None,)]
    if dtype != one.dtype or not isinstance(dtype, (pl.Date, pl.Datetime)) or not all(dtypes.is_of(part.dtype, *dtypes.INTEGERS) for part in given):
        raise unsupported(one, arguments)
    zone = dtype.time_zone if isinstance(dtype, pl.Datetime) else None
    word = ambiguous.literal[0] if ambiguous.literal is not None else None
    if zone is not None and word not in ("raise", "earliest", "latest", "null"):
        raise Refused(f"`dt.replace` with `ambiguous` {value_text(word)} in the zone {value_text(zone)} is not translated")
    if isinstance(dtype, pl.Datetime) and dtype.time_unit == "ms" and parts[6] in given:
        raise Refused("`dt.replace` of microseconds of a timestamp in milliseconds is not translated")
    positions = [at for at, part in enumerate(parts) if part in given]

    def make(node: Node, *others: Node) -> Node:
        known = dict(zip(positions, others, strict=True))
        wall = node if zone is None else ir.dt_wall(node)

        def part(at: int, own: Node) -> Node:
            return ir.coalesce(ir.cast(known[at], ir.i64), own) if at in known else own

        dates = [part(at, ir.cast(ir.dt_part(wall, _PARTS[at]), ir.i64)) for at in range(3)]
        if isinstance(dtype, pl.Date):
            made = ir.dt_make(*dates)
            return fail_where(ir.and_(ir.is_null(made), ir.not_(ir.is_null(node))), ir.select(ir.is_null(node), ir.null(ir.date), made), "a day that is not there")
        assert isinstance(dtype, pl.Datetime)
        second = SECOND[dtype.time_unit]
        times = [part(at, ir.cast(ir.dt_part(wall, _PARTS[at]), ir.i64)) for at in range(3, 6)]
        # What is finer than a second is counted in units, or replaced by microseconds.
        own = ir.floormod(ir.cast(wall, ir.i64), ir.const(second))
        fine = ir.coalesce(ir.mul(ir.cast(known[6], ir.i64), ir.const(second // 10**6)), own) if 6 in known else own
        plain = dtypes.type_of(pl.Datetime(dtype.time_unit))
        made = _of_parts([*dates, *times, fine], plain, dtype.time_unit, second, 1)
        made = ir.select(ir.is_null(node), ir.null(plain), made)
        made = fail_where(is_late(made, dtype), made, "a time later than Polars' tables of zones") if is_zoned(dtype) else made
        return made if zone is None else ir.dt_localize(made, zone, ambiguous=word or "raise")

    return rowwise(one.dtype, make, value, *given)

"""Parts of dates, times and timestamps."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.failing import fail_where
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Value, rowwise

#: Parts of a date, and what the graph calls them.
_OF_DATES = {
    "temporal.Year": "year",
    "temporal.IsoYear": "iso_year",
    "temporal.Quarter": "quarter",
    "temporal.Month": "month",
    "temporal.Week": "week",
    "temporal.Day": "day",
    "temporal.OrdinalDay": "day_of_year",
    "temporal.DaysInMonth": "days_in_month",
}
_OF_TIMES = {
    "temporal.Hour": "hour",
    "temporal.Minute": "minute",
    "temporal.Second": "second",
    "temporal.Millisecond": "milli",
    "temporal.Microsecond": "micro",
    "temporal.Nanosecond": "nano",
}


@expression(*_OF_DATES)
def _of_date(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    return _part(one, arguments, _OF_DATES[one.name], pl.Date, pl.Datetime)


@expression(*_OF_TIMES)
def _of_time(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    return _part(one, arguments, _OF_TIMES[one.name], pl.Time, pl.Datetime)


@expression("temporal.WeekDay")
def _weekday(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    # Monday is 1 to Polars, and 0 to the graph.
    return _part(one, arguments, "weekday", pl.Date, pl.Datetime, more=1)


def _part(one: Expression, arguments: Sequence[Value], part: str, *classes: type[pl.DataType], more: int = 0) -> Value:
    if not dtypes.is_of(arguments[0].dtype, *classes):
        raise unsupported(one, arguments)
    kind = dtypes.type_of(one.dtype)

    def make(node: Node) -> Node:
        found = ir.dt_part(node, part)  # type: ignore[arg-type]
        return _in_range(arguments[0].dtype, node, ir.cast(ir.add(found, more) if more else found, kind, mode="wrap"))

    return rowwise(one.dtype, make, arguments[0])


#: The years that Polars' calendar has; what lies beyond has no parts.
_FIRST_YEAR, _LAST_YEAR = -262_143, 262_142
#: Units of a day, for datetimes that reach beyond these years.
_UNITS = {"ms": 86_400_000, "us": 86_400_000_000}


def _in_range(dtype: pl.DataType, node: Node, found: Node) -> Node:
    """A part of a date, or null where the date is beyond Polars' calendar."""
    if isinstance(dtype, pl.Datetime):
        if dtype.time_unit not in _UNITS:
            return found
        units, number = _UNITS[dtype.time_unit], ir.cast(node, ir.i64)
    elif isinstance(dtype, pl.Date):
        units, number = 1, ir.cast(node, ir.i64)
    else:
        return found
    first, after = _days(_FIRST_YEAR) * units, _days(_LAST_YEAR + 1) * units
    known = ir.and_(ir.ge(number, ir.const(first)), ir.lt(number, ir.const(after)))
    return ir.select(known, found, ir.null(found.type.required))


def _days(year: int) -> int:
    """The days from 1970 to the first day of a year, in the calendar that has always been."""
    before = year - 1
    return before * 365 + before // 4 - before // 100 + before // 400 - 719_162


@expression("temporal.Date", "temporal.Time")
def _half(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    before = arguments[0].dtype
    if not isinstance(before, pl.Datetime) or before.time_zone is not None:
        raise unsupported(one, arguments)
    make: Callable[..., Node] = ir.dt_date if one.name == "temporal.Date" else ir.dt_time
    return rowwise(one.dtype, make, arguments[0])


@expression("temporal.IsLeapYear")
def _leap_year(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    def make(year: Node) -> Node:
        fourth, hundredth, last = (ir.eq(ir.floormod(year, ir.const(count, ir.i32)), ir.const(0, ir.i32)) for count in (4, 100, 400))
        return ir.and_(fourth, ir.or_(ir.not_(hundredth), last))

    return _of_year(one, arguments, make)


@expression("temporal.Century", "temporal.Millennium")
def _century(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    years = 100 if one.name == "temporal.Century" else 1000
    return _of_year(one, arguments, lambda year: ir.add(ir.floordiv(ir.sub(year, ir.const(1, ir.i32)), ir.const(years, ir.i32)), ir.const(1, ir.i32)))


def _of_year(one: Expression, arguments: Sequence[Value], make: Callable[[Node], Node]) -> Value:
    dtype = arguments[0].dtype
    if not dtypes.is_of(dtype, pl.Date, pl.Datetime):
        raise unsupported(one, arguments)
    return rowwise(one.dtype, lambda node: _in_range(dtype, node, make(ir.dt_part(node, "year"))), arguments[0])


@expression("temporal.ToString")
def _to_string(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (form,) = one.parameters
    dtype = arguments[0].dtype
    codes = _OF_DATE_CODES if isinstance(dtype, pl.Date) else _OF_DATE_CODES | _OF_TIME_CODES
    plain = isinstance(dtype, pl.Date) or (isinstance(dtype, pl.Datetime) and dtype.time_zone is None)
    if not plain or not isinstance(form, str) or not set(re.findall(r"%(.)", form)) <= codes or form.endswith("%"):
        raise Refused(f"`dt.to_string` of {dtype} with the format {value_text(form)} is not translated")

    return rowwise(one.dtype, formatted(form), arguments[0])


def formatted(form: str) -> Callable[[Node], Node]:
    """What writes a date or timestamp by a format. Years of other than four digits are written by rules of Polars' own: there the program fails."""

    def make(node: Node) -> Node:
        year = ir.dt_part(node, "year")
        return fail_where(ir.or_(ir.lt(year, ir.const(0, ir.i32)), ir.gt(year, ir.const(9999, ir.i32))), ir.dt_format(node, form), "a year of other than four digits")

    return make


#: Codes that Polars and the graph write alike.
_OF_DATE_CODES = {"Y", "m", "d", "j", "y", "F", "D", "a", "A", "b", "B", "u", "w", "V", "G", "e", "%"}
_OF_TIME_CODES = {"H", "M", "S", "T", "R", "I", "p"}

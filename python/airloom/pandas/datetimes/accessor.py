"""The accessor `dt`: parts and steps of timestamps and of timedeltas."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas
from pandas.api.extensions import no_default
from pandas.core.dtypes.dtypes import DatetimeTZDtype
from pandas.errors import Pandas4Warning
from pandas.tseries.frequencies import to_offset
from pandas.tseries.offsets import Day, Tick
from pandas.util._exceptions import find_stack_level

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.indexes.from_columns import set_labels
from airloom.pandas.internals import materialize
from airloom.pandas.ops import cast
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column, DeferredDtype, Frame, ObjectView, Question, RangeLabels, Vector
from airloom.pandas.plan.nullness import may_be_null
from airloom.pandas.refusals import Refused, value_text

#: How many of a unit are a second.
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
#: What `strftime` writes alike everywhere.
CODES = frozenset("YmdHMSfjybBaApI%")


def timestamps(vector: Vector) -> Expression:
    """The timestamps of a vector; refused where it is something else."""
    column = elementwise.known(vector.column)
    if not types.is_time(column.dtype):
        raise Refused(f"`dt` of dtype `{column.dtype}`")
    return column.expression


def moments(vector: Vector, *, of_day: bool = False) -> Expression:
    """The timestamps of a vector, or the timestamps or dates of Arrow's; dates are refused where the time of day is asked for."""
    column = elementwise.known(vector.column)
    if not types.is_arrow_time(column.dtype):
        return timestamps(vector)
    if of_day and types.type_of(column.dtype) == ir.optional(ir.date):
        raise Refused(f"the time of day of dtype `{column.dtype}`")
    return column.expression


def spans(vector: Vector) -> Expression:
    """The timedeltas of a vector; refused where it is something else."""
    column = elementwise.known(vector.column)
    if not types.is_duration(column.dtype):
        raise Refused(f"`dt` of dtype `{column.dtype}`")
    return column.expression


def part(value: Expression, name: str) -> Expression:
    return call("dt_part", value, part=name)


def number(value: int) -> Literal:
    return Literal(value, ir.i32)


def as_number(vector: Vector, expression: Expression, dtype: str = "int32") -> Vector:
    """Integers, which are floats where any is missing; Arrow's all have 64 bits."""
    if types.is_arrow(vector.dtype):
        return vector.with_column(call("cast", expression, to=ir.optional(ir.i64)), types.ARROW_INT64)
    plain = np.dtype(dtype)
    column = Column(expression, DeferredDtype(plain, types.FLOAT64, Question(vector.rows, call("is_null", expression))))
    return Vector(vector.rows, column, vector.name, vector.index)


def as_truth(vector: Vector, expression: Expression) -> Vector:
    if types.is_arrow(vector.dtype):
        return vector.with_column(expression, types.ARROW_BOOL)
    return vector.with_column(call("is_true", expression), types.BOOL)


#: Parts that dates do not have.
_OF_DAY = frozenset(("hour", "minute", "second", "micro"))


def _register_part(name: str, which: str, instead: str | None = None) -> None:
    @operation(f"dt.{name}")
    def read(vector: Vector) -> Vector:
        made = as_number(vector, part(moments(vector, of_day=which in _OF_DAY), which))
        if instead is not None:
            if types.is_arrow(vector.dtype):
                raise Refused(f"`{name}` of `{vector.dtype}`: use `{instead}`")
            message = f"Series.dt.{name} is deprecated and will be removed in a future version. Use Series.dt.{instead} instead."
            warnings.warn(message, Pandas4Warning, stacklevel=find_stack_level())
        return made


for _name in ("year", "month", "day", "hour", "minute", "second", "quarter", "day_of_year", "days_in_month"):
    _register_part(_name, _name)
_register_part("microsecond", "micro")
_register_part("day_of_week", "weekday")
_register_part("dayofweek", "weekday", "day_of_week")
_register_part("weekday", "weekday", "day_of_week")
_register_part("dayofyear", "day_of_year", "day_of_year")
_register_part("daysinmonth", "days_in_month", "days_in_month")


@operation("dt.nanosecond")
def nanosecond(vector: Vector) -> Vector:
    return as_number(vector, call("floormod", part(timestamps(vector), "nano"), number(1000), zero="null"))


@operation("dt.is_leap_year")
def is_leap_year(vector: Vector) -> Vector:
    year = part(moments(vector), "year")

    def divisible(by: int) -> Expression:
        return call("eq", call("floormod", year, number(by), zero="null"), number(0))

    return as_truth(vector, elementwise.either(elementwise.both(divisible(4), elementwise.negated(divisible(100))), divisible(400)))


def _first(value: Expression) -> Expression:
    return call("eq", part(value, "day"), number(1))


def _last(value: Expression) -> Expression:
    return call("eq", part(value, "day"), part(value, "days_in_month"))


def _register_edge(name: str, months: tuple[int, ...], edge: Any) -> None:
    @operation(f"dt.{name}")
    def test(vector: Vector) -> Vector:
        value = moments(vector)
        found = edge(value)
        if months:
            found = elementwise.both(found, call("is_in", part(value, "month"), *map(number, months)))
        return as_truth(vector, found)


for _name, _months, _edge in (
    ("is_month_start", (), _first),
    ("is_month_end", (), _last),
    ("is_quarter_start", (1, 4, 7, 10), _first),
    ("is_quarter_end", (3, 6, 9, 12), _last),
    ("is_year_start", (1,), _first),
    ("is_year_end", (12,), _last),
):
    _register_edge(_name, _months, _edge)


def _steady(vector: Vector) -> None:
    """Refuses zones in which a step of the clock may be none of time."""
    zone = getattr(vector.dtype, "tz", None)
    if zone is not None and types.zone_name(zone) != "UTC":
        raise Refused(f"rounding in the time zone `{zone}`, which has clock changes: use UTC")


def _stepped(vector: Vector, frequency: Any, to: str, ambiguous: Any, nonexistent: Any) -> Vector:
    value = timestamps(vector)
    _steady(vector)
    if ambiguous != "raise" or nonexistent != "raise":
        raise Refused("`ambiguous` or `nonexistent`")
    try:
        offset = to_offset(frequency)
    except (ValueError, TypeError) as error:
        raise Refused(f"invalid frequency `{value_text(frequency)}`") from error
    if isinstance(offset, Day):
        nanos = offset.n * 86_400 * 10**9
    elif isinstance(offset, Tick):
        nanos = offset.nanos
    else:
        raise Refused(f"frequency `{value_text(frequency)}`, which is not fixed")
    tick = 10**9 // PER_SECOND[types.unit_of(vector.dtype)]
    if nanos <= 0 or nanos % tick:
        raise Refused(f"frequency `{value_text(frequency)}`, which is finer than the unit of `{vector.dtype}`")
    for unit, size in (("day", 86_400 * 10**9), ("hour", 3_600 * 10**9), ("minute", 60 * 10**9), ("second", 10**9), ("milli", 10**6), ("micro", 10**3), ("nano", 1)):
        if nanos % size == 0:
            # Near the ends of time a step may lead past them.
            year = part(value, "year")
            far = elementwise.negated(elementwise.both(call("gt", year, number(1680)), call("lt", year, number(2260))))
            if types.unit_of(vector.dtype) == "ns" and elementwise.any_row(vector.rows, call("is_true", far)):
                raise Refused(f"timestamps near the bounds of `{vector.dtype}`")
            return vector.with_column(call("dt_step", value, unit=unit, every=nanos // size, to=to), vector.dtype)
    raise Refused(f"invalid frequency `{value_text(frequency)}`")


def _register_step(name: str, to: str) -> None:
    @operation(f"dt.{name}")
    def step(vector: Vector, freq: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Vector:
        return _stepped(vector, freq, to, ambiguous, nonexistent)


for _name, _to in (("floor", "floor"), ("ceil", "ceil"), ("round", "nearest")):
    _register_step(_name, _to)


@operation("dt.normalize")
def normalize(vector: Vector) -> Vector:
    return _stepped(vector, "D", "floor", "raise", "raise")


def _written(vector: Vector, format: str) -> Vector:
    value = timestamps(vector)
    year = part(value, "year")
    usual = elementwise.both(call("ge", year, number(1000)), call("le", year, number(9999)))
    if elementwise.any_row(vector.rows, call("is_true", elementwise.negated(usual))):
        raise Refused("years that do not have four digits")
    return vector.with_column(call("dt_format", value, format=format), types.STR)


@operation("dt.strftime")
def strftime(vector: Vector, date_format: Any) -> Vector:
    if not isinstance(date_format, str) or not set(re.findall("%(.?)", date_format, re.S)) <= CODES or not date_format.isascii():
        raise Refused("a `date_format` with directives that depend on the platform")
    return _written(vector, date_format)


@operation("dt.month_name")
def month_name(vector: Vector, locale: Any = None) -> Vector:
    if locale is not None:
        raise Refused(f"`locale={value_text(locale)}`")
    return _written(vector, "%B")


@operation("dt.day_name")
def day_name(vector: Vector, locale: Any = None) -> Vector:
    if locale is not None:
        raise Refused(f"`locale={value_text(locale)}`")
    return _written(vector, "%A")


@operation("dt.date")
def date(vector: Vector) -> Vector:
    if types.is_arrow(vector.dtype):
        return vector.with_column(call("dt_date", moments(vector)) if types.type_of(vector.dtype) != ir.optional(ir.date) else moments(vector), types.DATE)
    value = timestamps(vector)
    if not run.count(vector.rows) or (may_be_null(vector.rows, value) and not elementwise.any_row(vector.rows, elementwise.negated(call("is_null", value)))):
        # pandas takes them for timestamps.
        raise Refused("no dates at all")
    # Objects for whoever looks at them, and dates until then.
    return Vector(vector.rows, Column(call("dt_date", value), types.OBJECT, shown=ObjectView(types.DATE, pandas.NaT)), vector.name, vector.index)


@operation("dt.isocalendar")
def isocalendar(vector: Vector) -> Frame:
    value = timestamps(vector)
    columns = []
    for made, dtype in (
        (part(value, "iso_year"), pandas.Int32Dtype()),
        (part(value, "week"), pandas.UInt32Dtype()),
        (call("add", part(value, "weekday"), number(1)), pandas.UInt32Dtype()),
    ):
        type = types.type_of(dtype)
        columns.append(Column(call("cast", made, to=type, mode="wrap"), dtype))
    return _labelled_anew(Frame(vector.rows, columns, pandas.Index(["year", "week", "day"]), vector.index))


def _labelled_anew(frame: Frame) -> Frame:
    """pandas sets the labels of a frame of parts anew, and makes a range of integers that are one."""
    index = frame.index
    if isinstance(index, RangeLabels) or len(index.columns) > 1 or not types.is_integer(materialize.decided(index.columns[0]).dtype):
        return frame
    return set_labels(frame, materialize.restored_index(frame.rows, index), True, False, no_default)


@operation("dt.tz_localize")
def tz_localize(vector: Vector, tz: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Vector:
    value = timestamps(vector)
    if ambiguous != "raise" or nonexistent != "raise":
        raise Refused("`ambiguous` or `nonexistent`")
    zoned = isinstance(vector.dtype, DatetimeTZDtype)
    if tz is None:
        return vector.with_column(call("dt_wall", value), _naive(vector.dtype)) if zoned else Vector(vector.rows, vector.column.copy(), vector.name, vector.index)
    if zoned:
        raise Refused("`tz_localize` of tz-aware timestamps")
    dtype = _zoned(vector.dtype, tz)
    made = call("dt_localize", value, zone=types.zone_name(dtype.tz), ambiguous="null", nonexistent="null")
    if types.zone_name(dtype.tz) != "UTC":
        lost = elementwise.both(call("is_null", made), elementwise.negated(call("is_null", value)))
        column = elementwise.checked(vector.rows, made, dtype, lost, f"timestamps that are ambiguous or do not exist in `{dtype.tz}`")
        return Vector(vector.rows, column, vector.name, vector.index)
    return vector.with_column(made, dtype)


@operation("dt.tz_convert")
def tz_convert(vector: Vector, tz: Any) -> Vector:
    value = timestamps(vector)
    if not isinstance(vector.dtype, DatetimeTZDtype):
        raise Refused("`tz_convert` of tz-naive timestamps")
    if tz is None:
        return vector.with_column(call("dt_wall", call("dt_to_zone", value, zone="UTC")), _naive(vector.dtype))
    dtype = _zoned(vector.dtype, tz)
    return vector.with_column(call("dt_to_zone", value, zone=types.zone_name(dtype.tz)), dtype)


def _naive(dtype: Any) -> Any:
    return np.dtype(f"M8[{types.unit_of(dtype)}]")


def _zoned(dtype: Any, zone: Any) -> DatetimeTZDtype:
    if not isinstance(zone, str):
        raise Refused(f"a time zone of type `{type(zone).__name__}`: use its name")
    try:
        made = DatetimeTZDtype(types.unit_of(dtype), zone)
    except Exception as error:
        raise Refused(f"unknown time zone `{value_text(zone)}`") from error
    if types.type_of(made) is None:
        raise Refused("a time zone without a name")
    return made


@operation("dt.as_unit")
def as_unit(vector: Vector, unit: Any) -> Vector:
    if unit not in PER_SECOND:
        raise Refused(f"`unit={value_text(unit)}`")
    column = elementwise.known(vector.column)
    if isinstance(column.dtype, DatetimeTZDtype) or types.is_arrow(column.dtype):
        raise Refused(f"another unit of `{column.dtype}`")
    target = np.dtype(f"{column.dtype.kind}8[{unit}]")
    if PER_SECOND[unit] < PER_SECOND[types.unit_of(column.dtype)]:
        raise Refused(f"`unit={value_text(unit)}`, which is coarser than that of `{column.dtype}`")
    return Vector(vector.rows, cast.converted(column, vector.rows, target).copy(), vector.name, vector.index)


@operation("dt.unit")
def unit(vector: Vector) -> str:
    column = elementwise.known(vector.column)
    if types.is_arrow(column.dtype):
        raise Refused(f"the unit of `{column.dtype}`")
    return str(types.unit_of(column.dtype))


@operation("dt.tz")
def zone(vector: Vector) -> Any:
    timestamps(vector)
    return getattr(vector.dtype, "tz", None)


def _per_second(vector: Vector) -> int:
    """How many of the unit of timedeltas are a second; refused where a vector is something else."""
    spans(vector)
    return PER_SECOND[types.unit_of(vector.dtype)]


def _count(value: Expression) -> Expression:
    return call("cast", value, to=ir.optional(ir.i64))


def _divided(value: Expression, by: int) -> tuple[Expression, Expression]:
    """How often a number goes into a count, and what is left."""
    divisor = Literal(by, ir.i64)
    return call("floordiv", value, divisor, zero="null"), call("floormod", value, divisor, zero="null")


def _as_small(value: Expression) -> Expression:
    return call("cast", value, to=ir.optional(ir.i32), mode="wrap")


@operation("dt.days")
def days(vector: Vector) -> Vector:
    per_day = _per_second(vector) * 86_400
    return as_number(vector, _divided(_count(spans(vector)), per_day)[0], "int64")


@operation("dt.seconds")
def seconds(vector: Vector) -> Vector:
    per = _per_second(vector)
    left = _divided(_count(spans(vector)), per * 86_400)[1]
    return as_number(vector, _as_small(_divided(left, per)[0]))


@operation("dt.microseconds")
def microseconds(vector: Vector) -> Vector:
    per = _per_second(vector)
    left = _divided(_count(spans(vector)), per)[1]
    if per >= 10**6:
        left = _divided(left, per // 10**6)[0]
    else:
        left = call("mul", left, Literal(10**6 // per, ir.i64))
    return as_number(vector, _as_small(left))


@operation("dt.nanoseconds")
def nanoseconds(vector: Vector) -> Vector:
    per = _per_second(vector)
    count = _count(spans(vector))
    left = _divided(count, 1000)[1] if per == 10**9 else call("mul", count, Literal(0, ir.i64))
    return as_number(vector, _as_small(left))


@operation("dt.components")
def components(vector: Vector) -> Frame:
    per = _per_second(vector)
    whole, left = _divided(_count(spans(vector)), per * 86_400)
    made = [whole]
    for size in (3_600, 60, 1):
        whole, left = _divided(left, per * size)
        made.append(whole)
    for parts in (10**3, 10**6, 10**9):
        # What is left is less than a thousand of these parts; a coarser unit has none of them.
        whole, left = _divided(left, per // parts) if per >= parts else (call("mul", left, Literal(0, ir.i64)), left)
        made.append(whole)
    columns = [as_number(vector, one, "int64").column for one in made]
    frame = Frame(vector.rows, columns, pandas.Index("days hours minutes seconds milliseconds microseconds nanoseconds".split()), vector.index)
    return _labelled_anew(frame)


@operation("dt.total_seconds")
def total_seconds(vector: Vector) -> Vector:
    per = _per_second(vector)
    count = _count(spans(vector))
    exact = elementwise.both(call("le", count, Literal(2**53, ir.i64)), call("ge", count, Literal(-(2**53), ir.i64)))
    if elementwise.any_row(vector.rows, call("is_true", elementwise.negated(exact))):
        raise Refused("timedeltas that a float rounds")
    whole, left = (call("cast", one, to=ir.optional(ir.f64)) for one in _divided(count, per))
    made = call("add", whole, call("div", left, Literal(float(per), ir.f64)))
    return vector.with_column(call("null_to_nan", made), types.FLOAT64)

"""Arithmetic of instants and lengths of time."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas
from pandas.core.dtypes.dtypes import DatetimeTZDtype

from airloom import ir
from airloom.pandas.data import types
from airloom.pandas.operations import elements, scalars
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column, Refused
from airloom.pandas.plan.rows import Rows

_FINENESS = ("s", "ms", "us", "ns")


def arithmetic(name: str, reflected: bool, left: Column, right: Any, rows: Rows) -> Column:
    """A sum, difference, product or quotient in which one side at least is of time. What overflows is an error, and so is looked for now."""
    unit = types.unit_of(left.dtype if _timed(left.dtype) else right.dtype)
    first, second = _operand(left, unit), _operand(right, unit)
    if reflected:
        first, second = second, first
    kinds = (_kind(first), _kind(second))
    if kinds == ("instant", "instant") and name == "sub":
        if isinstance(first.dtype, DatetimeTZDtype) != isinstance(second.dtype, DatetimeTZDtype):
            raise Refused("a zone on one side only")
        first, second = _universal(first), _universal(second)
        return _safe("dt_since", first, second, rows, np.dtype(f"m8[{unit}]"))
    if kinds == ("instant", "span") and name in ("add", "sub"):
        if name == "sub":
            second = _turned(second)
        return _safe("dt_add", first, second, rows, first.dtype)
    if kinds == ("span", "instant") and name == "add":
        return _safe("dt_add", second, first, rows, second.dtype)
    if kinds == ("span", "span"):
        if name in ("add", "sub"):
            return _safe(name, first, second, rows, np.dtype(f"m8[{unit}]"))
        if name == "truediv":
            a, b = (call("cast", _count(one), to=ir.optional(ir.f64)) for one in (first, second))
            # A length of time of nothing makes no infinity, but what is missing.
            if not isinstance(second.expression, Literal) or second.expression.value == np.timedelta64(0):
                raise Refused("a divisor that may be zero")
            return Column(call("null_to_nan", call("div", a, b)), types.FLOAT64)
    if name == "mul" and set(kinds) == {"span", "number"}:
        span, by = (first, second) if kinds[0] == "span" else (second, first)
        if types.is_whole(by.dtype) and not types.is_bool(by.dtype) and by.dtype.kind == "i":
            times = by.expression if isinstance(by.expression, Literal) else scalars.cast(by.expression, by.dtype, types.INT64)
            return _checked(Column(call("dt_scale", span.expression, times, overflow="null"), span.dtype), rows, span)
    raise Refused(f"`{name}` of {kinds[0]} and {kinds[1]}")


def _timed(dtype: Any) -> bool:
    return types.is_time(dtype) or types.is_duration(dtype)


def _kind(column: Column) -> str:
    if types.is_time(column.dtype):
        return "instant"
    return "span" if types.is_duration(column.dtype) else "number"


def _operand(value: Any, unit: str) -> Column:
    """An operand in a unit; refused where it is in a finer one, since the result then is too."""
    if isinstance(value, Column):
        if _timed(value.dtype) and types.unit_of(value.dtype) != unit:
            raise Refused("different units")
        if not _timed(value.dtype) and not types.is_number(value.dtype):
            raise Refused(f"time and `{value.dtype}`")
        return value
    if isinstance(value, (bool, np.bool_)) or scalars.is_missing(value):
        raise Refused("a missing value, or a truth value")
    if isinstance(value, (int, np.integer)) and not isinstance(value, np.timedelta64):
        return Column(Literal(int(value), ir.i64), types.INT64)
    if isinstance(value, pandas.tseries.offsets.BaseOffset) and not isinstance(value, datetime.timedelta):
        raise Refused("an offset of the calendar")
    if isinstance(value, (datetime.timedelta, np.timedelta64)):
        made = pandas.Timedelta(value)
        if made is pandas.NaT or _FINENESS.index(made.unit) > _FINENESS.index(unit):
            raise Refused("a finer length of time than the column's")
        dtype: Any = np.dtype(f"m8[{unit}]")
        return Column(scalars.duration(made, dtype), dtype)
    if isinstance(value, (datetime.datetime, np.datetime64)):
        instant = pandas.Timestamp(value)
        if instant is pandas.NaT or _FINENESS.index(instant.unit) > _FINENESS.index(unit):
            raise Refused("a finer instant than the column's")
        dtype = np.dtype(f"M8[{unit}]") if instant.tz is None else DatetimeTZDtype(unit, instant.tz)
        if types.type_of(dtype) is None:
            raise Refused("a zone without a name")
        return Column(scalars.instant(instant, dtype), dtype)
    raise Refused(f"time and `{type(value).__name__}`")


def _universal(column: Column) -> Column:
    """Instants in a zone as those of the one zone in which all are compared."""
    dtype = column.dtype
    if not isinstance(dtype, DatetimeTZDtype) or types.zone_name(dtype.tz) == "UTC":
        return column
    return Column(call("dt_to_zone", column.expression, zone="UTC"), DatetimeTZDtype(dtype.unit, "UTC"))


def _count(column: Column) -> Expression:
    return call("cast", column.expression, to=ir.optional(ir.i64))


def _turned(span: Column) -> Column:
    if isinstance(span.expression, Literal):
        return Column(Literal(-span.expression.value, span.expression.type), span.dtype)
    return Column(call("neg", span.expression, overflow="null"), span.dtype)


def _safe(op: str, first: Column, second: Column, rows: Rows, dtype: Any) -> Column:
    return _checked(Column(call(op, first.expression, second.expression, overflow="null"), dtype), rows, first, second)


def _checked(made: Column, rows: Rows, *operands: Column) -> Column:
    lost: Expression = call("is_null", made.expression)
    for operand in operands:
        if not isinstance(operand.expression, Literal):
            lost = elements.both(lost, elements.negated(call("is_null", operand.expression)))
    if elements.anywhere(rows, lost):
        raise Refused("time that overflows")
    return made

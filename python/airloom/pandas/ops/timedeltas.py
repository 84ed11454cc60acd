"""Arithmetic of timestamps and timedeltas."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas
from pandas.core.dtypes.dtypes import DatetimeTZDtype
from pandas.tseries.offsets import BaseOffset, Tick

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.dtypes import types
from airloom.pandas.ops import cast, offsets
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused

FINENESS = ("s", "ms", "us", "ns")
#: Floats from here on are no count of a timedelta.
_BEYOND = 2.0**63


def is_span(value: Any) -> bool:
    """Whether a value of Python, NumPy or pandas is a timedelta."""
    return isinstance(value, (datetime.timedelta, np.timedelta64)) and value is not pandas.NaT


def arithmetic(name: str, reflected: bool, left: Column, right: Any, rows: Rows) -> Column:
    """A sum, difference, product or quotient in which one side at least is of time. What overflows is an error, and so is looked for now."""
    if right is pandas.NaT:
        return _nothing(name, reflected, left)
    if isinstance(right, (np.timedelta64, np.datetime64)) and np.isnat(right):
        return _nothing_of_numpy(name, reflected, left, right)
    if isinstance(right, BaseOffset) and not isinstance(right, Tick):
        if not types.is_time(left.dtype) or name not in ("add", "sub") or (reflected and name == "sub"):
            raise Refused(f"`{name}` of `{left.dtype}` and a date offset")
        return offsets.shifted(left, -right if name == "sub" else right, rows)
    first, second = _operand(left), _operand(right)
    if reflected:
        first, second = second, first
    kinds = (_kind(first), _kind(second))
    if "number" not in kinds:
        first, second = _matched(first, second, rows)
    unit = types.unit_of(first.dtype if _timed(first.dtype) else second.dtype)
    span = np.dtype(f"m8[{unit}]")
    if kinds == ("timestamp", "timestamp") and name == "sub":
        if isinstance(first.dtype, DatetimeTZDtype) != isinstance(second.dtype, DatetimeTZDtype):
            raise Refused("tz-aware with tz-naive timestamps")
        return _safe("dt_since", universal(first), universal(second), rows, span)
    if kinds == ("timestamp", "span") and name in ("add", "sub"):
        if name == "sub":
            second = _turned(second)
        return _safe("dt_add", first, second, rows, first.dtype)
    if kinds == ("span", "timestamp") and name == "add":
        return _safe("dt_add", second, first, rows, second.dtype)
    if kinds == ("span", "span"):
        if name in ("add", "sub"):
            return _safe(name, first, second, rows, span)
        return _ratio(name, first, second, rows)
    if name == "mul" and set(kinds) == {"span", "number"}:
        return _product(first, second, rows) if kinds[0] == "span" else _product(second, first, rows)
    if name in ("truediv", "floordiv", "mod") and kinds == ("span", "number"):
        return _part(name, first, second, rows)
    raise Refused(f"`{name}` of {kinds[0]} and {kinds[1]}")


def _nothing(name: str, reflected: bool, left: Column) -> Column:
    """What is missing, added or taken away: all is missing."""
    if name not in ("add", "sub") or not _timed(left.dtype):
        raise Refused(f"`{name}` of `{left.dtype}` and a missing value")
    unit = types.unit_of(left.dtype)
    dtype = np.dtype(f"m8[{unit}]") if name == "sub" else left.dtype
    return Column(literals.missing(dtype), dtype)


def _nothing_of_numpy(name: str, reflected: bool, left: Column, right: Any) -> Column:
    """The same of a missing value of NumPy's, which tells whether it is a timestamp or a timedelta."""
    if name not in ("add", "sub") or not _timed(left.dtype) or isinstance(left.dtype, DatetimeTZDtype):
        raise Refused("arithmetic with `NaT`")
    # A missing timestamp may be finer than the others; a timedelta that is missing has no say.
    unit = max(types.unit_of(left.dtype), np.datetime_data(right.dtype)[0], key=lambda one: FINENESS.index(one) if one in FINENESS else -1)
    if isinstance(right, np.timedelta64):
        if name == "sub" and reflected and types.is_time(left.dtype):
            raise Refused("a timestamp taken from a timedelta")
        dtype = left.dtype
    elif types.is_time(left.dtype):
        if name == "add":
            raise Refused("the sum of timestamps")
        dtype = np.dtype(f"m8[{unit}]")
    else:
        if name == "sub" and not reflected:
            raise Refused("a timestamp taken from a timedelta")
        dtype = np.dtype(f"M8[{unit}]")
    return Column(literals.missing(dtype), dtype)


def _ratio(name: str, first: Column, second: Column, rows: Rows) -> Column:
    """One timedelta by another: how often the second goes into the first, and what is left."""
    if name == "truediv":
        a, b = (call("cast", _count(one), to=ir.optional(ir.f64)) for one in (first, second))
        return Column(call("null_to_nan", call("div", a, b)), types.FLOAT64)
    whole = call("floordiv", _count(first), _count(second), zero="zero")
    if name == "floordiv":
        return elementwise.nullable(whole, types.INT64, rows)
    if name == "mod":
        missing = elementwise.either(elementwise.missing(first), elementwise.missing(second))
        zero = call("is_true", call("eq", _count(second), Literal(0, ir.i64)))
        if elementwise.any_row(rows, elementwise.either(missing, zero)):
            raise Refused("the remainder by a zero or missing timedelta")
        return Column(_span(call("floormod", _count(first), _count(second), zero="null"), first.dtype), first.dtype)
    raise Refused(f"`{name}` of timedeltas")


def _wide(by: Column) -> Column:
    """Integers without a sign are floats to NumPy beside timedeltas: it has no integer for both."""
    return Column(literals.cast(by.expression, by.dtype, types.FLOAT64), types.FLOAT64) if by.dtype == np.uint64 else by


def _exact(by: Column) -> Column:
    """A float that is an integer, as one."""
    value = by.expression
    if isinstance(value, Literal) and types.is_float(by.dtype) and value.value and float(value.value).is_integer() and abs(value.value) < 2**63:
        return Column(Literal(int(value.value), ir.i64), types.INT64)
    return by


def _whole(by: Column) -> Expression:
    """An integer of 64 bits."""
    return by.expression if by.dtype == types.INT64 else literals.cast(by.expression, by.dtype, types.INT64)


def _product(span: Column, by: Column, rows: Rows) -> Column:
    by = _exact(_wide(by))
    if types.is_bool(by.dtype):
        raise Refused("timedeltas and booleans")
    if types.is_integer(by.dtype):
        return _checked(Column(call("dt_scale", span.expression, _whole(by), overflow="null"), span.dtype), rows, span)
    times = call("mul", call("cast", _count(span), to=ir.optional(ir.f64)), literals.cast(by.expression, by.dtype, types.FLOAT64))
    return _of_floats(times, span, rows)


def _part(name: str, span: Column, by: Column, rows: Rows) -> Column:
    by = _exact(_wide(by))
    if types.is_bool(by.dtype):
        raise Refused("timedeltas and booleans")
    if types.is_integer(by.dtype):
        op = "truncmod" if name == "mod" else "truncdiv"
        return Column(_span(call(op, _count(span), _whole(by), zero="null"), span.dtype), span.dtype)
    if name == "mod":
        raise Refused("the remainder of timedeltas by numbers")
    divisor = literals.cast(by.expression, by.dtype, types.FLOAT64)
    if elementwise.any_row(rows, call("eq", divisor, Literal(0.0, ir.f64))):
        raise Refused("timedeltas divided by zero")
    quotient: Expression = call("div", call("cast", _count(span), to=ir.optional(ir.f64)), divisor)
    # NumPy rounds both quotients towards zero.
    return _of_floats(quotient, span, rows)


def _of_floats(counts: Expression, span: Column, rows: Rows) -> Column:
    """Counts that are floats as timedeltas: without their fractions, and missing where they are NaN."""
    known = call("nan_to_null", counts)
    far = call("is_true", call("ge", call("abs", known), Literal(_BEYOND, ir.f64)))
    if elementwise.any_row(rows, far):
        raise Refused("timedelta overflow")
    return Column(_span(call("cast", known, to=ir.optional(ir.i64), mode="lenient"), span.dtype), span.dtype)


def _timed(dtype: Any) -> bool:
    return types.is_time(dtype) or types.is_duration(dtype)


def _kind(column: Column) -> str:
    if types.is_time(column.dtype):
        return "timestamp"
    return "span" if types.is_duration(column.dtype) else "number"


def _operand(value: Any) -> Column:
    """An operand as a column, in the unit that it has by itself."""
    if isinstance(value, Column):
        if not _timed(value.dtype) and not types.is_number(value.dtype):
            raise Refused(f"timedeltas and `{value.dtype}`")
        return value
    if isinstance(value, (bool, np.bool_)) or (literals.is_missing(value) and not isinstance(value, (float, np.floating))):
        raise Refused("a missing value or a boolean beside timestamps or timedeltas")
    if isinstance(value, (int, np.integer)) and not isinstance(value, np.timedelta64):
        if not -(2**63) <= int(value) < 2**63:
            raise Refused("an integer of more than 64 bits")
        return Column(Literal(int(value), ir.i64), types.INT64)
    if isinstance(value, (float, np.floating)):
        return Column(Literal(float(value), ir.f64), types.FLOAT64)
    if is_span(value) or isinstance(value, Tick):
        span = pandas.Timedelta(value)
        if span is pandas.NaT:
            raise Refused("arithmetic with `NaT`")
        dtype: Any = np.dtype(f"m8[{span.unit}]")
        return Column(literals.duration(span, dtype), dtype)
    if isinstance(value, (datetime.datetime, np.datetime64)):
        timestamp = pandas.Timestamp(value)
        if timestamp is pandas.NaT:
            raise Refused("arithmetic with `NaT`")
        dtype = np.dtype(f"M8[{timestamp.unit}]") if timestamp.tz is None else DatetimeTZDtype(timestamp.unit, timestamp.tz)
        if types.type_of(dtype) is None:
            raise Refused("a time zone without a name")
        return Column(literals.timestamp(timestamp, dtype), dtype)
    raise Refused(f"timestamps or timedeltas and a value of type `{type(value).__name__}`")


def _matched(first: Column, second: Column, rows: Rows) -> tuple[Column, Column]:
    """Both in the finer of their units."""
    units = (types.unit_of(first.dtype), types.unit_of(second.dtype))
    finer = max(units, key=FINENESS.index)
    return in_unit(first, finer, rows), in_unit(second, finer, rows)


def in_unit(column: Column, unit: str, rows: Rows) -> Column:
    """Time in a unit that is no coarser; refused where it does not reach so far."""
    dtype = column.dtype
    if types.unit_of(dtype) == unit:
        return column
    finer: Any = DatetimeTZDtype(unit, dtype.tz) if isinstance(dtype, DatetimeTZDtype) else np.dtype(f"{dtype.kind}8[{unit}]")
    if isinstance(column.expression, Literal):
        value = column.expression.value
        if isinstance(value, np.generic):
            value = pandas.Timestamp(value) if types.is_time(dtype) else pandas.Timedelta(value)
        try:
            made = literals.literal(value, finer)
        except (OverflowError, ValueError) as error:
            raise Refused("timedelta overflow") from error
        return Column(made, finer)
    return Column(cast.in_unit(column, rows, finer), finer)


def universal(column: Column) -> Column:
    """Timestamps in a zone as those of the one zone in which all are compared."""
    dtype = column.dtype
    if not isinstance(dtype, DatetimeTZDtype) or types.zone_name(dtype.tz) == "UTC":
        return column
    return Column(call("dt_to_zone", column.expression, zone="UTC"), DatetimeTZDtype(dtype.unit, "UTC"))


def _count(column: Column) -> Expression:
    return call("cast", column.expression, to=ir.optional(ir.i64))


def _span(count: Expression, dtype: Any) -> Expression:
    return call("cast", count, to=types.type_of(dtype))


def _turned(span: Column) -> Column:
    if isinstance(span.expression, Literal):
        if span.expression.value is None:
            return span
        return Column(Literal(-span.expression.value, span.expression.type), span.dtype)
    return Column(call("neg", span.expression, overflow="null"), span.dtype)


def _safe(op: str, first: Column, second: Column, rows: Rows, dtype: Any) -> Column:
    return _checked(Column(call(op, first.expression, second.expression, overflow="null"), dtype), rows, first, second)


def _checked(made: Column, rows: Rows, *operands: Column) -> Column:
    if any(isinstance(operand.expression, Literal) and operand.expression.value is None for operand in operands):
        return made
    lost: Expression = call("is_null", made.expression)
    for operand in operands:
        if not isinstance(operand.expression, Literal):
            lost = elementwise.both(lost, elementwise.negated(call("is_null", operand.expression)))
    # The least count of all stands for what is missing, and so is no result.
    least = call("is_true", call("eq", _count(made), Literal(-(2**63), ir.i64)))
    if elementwise.any_row(rows, elementwise.either(lost, least)):
        raise Refused("timedelta overflow")
    return made

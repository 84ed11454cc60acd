"""Comparison of values, with each other and with a value by itself."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas
from pandas.core.dtypes.dtypes import DatetimeTZDtype
from pandas.tseries.offsets import BaseOffset

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.ops import arrow, masked, operands
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused

_EQUALITY = ("eq", "ne")


def compared(op: str, left: Column, right: Any, rows: Rows | None) -> Column:
    """Whether a column is equal to, or less than, another or a value."""
    if types.is_masked(left.dtype) and not (isinstance(right, Column) and types.is_arrow(right.dtype)):
        return masked.comparison(op, left, right)
    if isinstance(right, Column) and types.is_masked(right.dtype) and not types.is_arrow(left.dtype):
        return masked.comparison(_TURNED[op], right, left)
    if types.is_nullable_text(left.dtype):
        return _nullable_text(op, left, right)
    if types.is_arrow(left.dtype):
        return arrow.comparison(op, left, right)
    if isinstance(right, Column) and types.is_arrow(right.dtype):
        return arrow.comparison(_TURNED[op], right, left)
    if types.is_number(left.dtype):
        return _number(op, left, right)
    if types.is_category(left.dtype):
        return _category(op, left, right)
    if not isinstance(right, Column) and literals.is_missing(right):
        return _absent(op, left, right)
    if types.is_time(left.dtype) or types.is_duration(left.dtype):
        return _time(op, left, right, rows)
    if isinstance(right, Column):
        if not kinds.same(left.dtype, right.dtype):
            raise Refused(f"comparing `{left.dtype}` with `{right.dtype}`")
        return known(op, left.expression, right.expression)
    if op in _EQUALITY and types.is_text(left.dtype) and literals.is_number(right):
        return never(op)
    return known(op, left.expression, literals.literal(right, left.dtype))


_TURNED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _nullable_text(op: str, left: Column, right: Any) -> Column:
    """A comparison of text, which is missing where either side is."""
    truth = types.ARROW_BOOL if left.dtype.storage == "pyarrow" else masked.BOOLEAN
    if isinstance(right, Column):
        if not kinds.same(left.dtype, right.dtype):
            raise Refused(f"comparing `{left.dtype}` with `{right.dtype}`")
        return Column(call(op, left.expression, right.expression), truth)
    if right is pandas.NA:
        return Column(Literal(None, ir.bool_), truth)
    if not isinstance(right, str):
        raise Refused(f"comparing `{left.dtype}` with a value of type `{type(right).__name__}`")
    return Column(call(op, left.expression, Literal(str(right), ir.str_)), truth)


def known(op: str, left: Expression, right: Expression) -> Column:
    """A comparison of what may be missing: then it is false, and true of `ne`."""
    made = call(op, left, right)
    if op == "ne":
        return Column(call("coalesce", made, Literal(True, ir.bool_)), types.BOOL)
    return Column(call("is_true", made), types.BOOL)


def never(op: str) -> Column:
    """A comparison with what nothing is equal to."""
    return Column(elementwise.TRUE if op == "ne" else elementwise.FALSE, types.BOOL)


def _absent(op: str, left: Column, right: Any) -> Column:
    """A comparison with what is missing."""
    allowed = op in _EQUALITY or types.is_text(left.dtype) or right is pandas.NaT
    if not allowed:
        raise Refused(f"comparing `{left.dtype}` with a value of type `{type(right).__name__}`")
    return never(op)


def _number(op: str, left: Column, right: Any) -> Column:
    if isinstance(right, Column):
        if op in _EQUALITY and _timed(right.dtype):
            return never(op)
        if not types.is_number(right.dtype):
            raise Refused(f"comparing `{left.dtype}` with `{right.dtype}`")
        if {left.dtype.kind, right.dtype.kind} == {"i", "u"} and 8 in (left.dtype.itemsize, right.dtype.itemsize):
            raise Refused(f"comparing `{left.dtype}` with `{right.dtype}`")
    elif literals.is_missing(right) and right is not pandas.NaT:
        return never(op)
    elif op in _EQUALITY and (isinstance(right, (str, pandas.Timestamp, pandas.Timedelta)) or right is pandas.NaT):
        return never(op)
    elif literals.is_number(right) and types.is_integer(left.dtype) and not isinstance(right, (float, np.floating, bool, np.bool_)):
        limits = np.iinfo(left.dtype)
        if not limits.min <= int(right) <= limits.max:
            raise Refused(f"comparing `{left.dtype}` with a number out of its bounds")
    elif not literals.is_number(right):
        raise Refused(f"comparing `{left.dtype}` with a value of type `{type(right).__name__}`")
    _, a, b = operands.numbers(left, right)
    return Column(call(op, a, b), types.BOOL)


def _time(op: str, left: Column, right: Any, rows: Rows | None) -> Column:
    from airloom.pandas.ops import timedeltas

    if isinstance(right, Column):
        if kinds.same(left.dtype, right.dtype):
            return known(op, left.expression, right.expression)
        if op in _EQUALITY and (types.is_number(right.dtype) or types.is_time(left.dtype) != types.is_time(right.dtype) and _timed(right.dtype)):
            return never(op)
        timestamps = types.is_time(left.dtype)
        if rows is None or timestamps != types.is_time(right.dtype) or timestamps == types.is_duration(right.dtype):
            raise Refused(f"comparing `{left.dtype}` with `{right.dtype}`")
        if isinstance(left.dtype, DatetimeTZDtype) != isinstance(right.dtype, DatetimeTZDtype):
            if op not in _EQUALITY:
                raise Refused("tz-aware with tz-naive timestamps")
            return never(op)
        unit = max(types.unit_of(left.dtype), types.unit_of(right.dtype), key=timedeltas.FINENESS.index)
        first, second = (timedeltas.universal(timedeltas.in_unit(one, unit, rows)) for one in (left, right))
        return known(op, first.expression, second.expression)
    if op in _EQUALITY and _unlike(left.dtype, right):
        return never(op)
    if types.is_time(left.dtype) and isinstance(right, (datetime.datetime, np.datetime64)):
        value: Any = pandas.Timestamp(right)
    elif types.is_duration(left.dtype) and isinstance(right, (datetime.timedelta, np.timedelta64)):
        value = pandas.Timedelta(right)
    else:
        return known(op, left.expression, literals.literal(right, left.dtype))
    if value is pandas.NaT:
        return never(op)
    if rows is not None and timedeltas.FINENESS.index(value.unit) > timedeltas.FINENESS.index(types.unit_of(left.dtype)):
        left = timedeltas.in_unit(left, value.unit, rows)
    return known(op, left.expression, literals.literal(value, left.dtype))


def _timed(dtype: Any) -> bool:
    return types.is_time(dtype) or types.is_duration(dtype)


def _unlike(dtype: Any, value: Any) -> bool:
    """Whether a value is of a kind that no value of a dtype equals."""
    if literals.is_number(value):
        return True
    if isinstance(value, str):
        return _is_no_time(dtype, value)
    if type(value) is object or isinstance(value, (pandas.Period, pandas.Interval)):
        return True
    if types.is_duration(dtype):
        return isinstance(value, (datetime.datetime, np.datetime64)) or type(value) is datetime.date
    if isinstance(value, (datetime.timedelta, np.timedelta64, BaseOffset)) or type(value) is datetime.date:
        return True
    zone = isinstance(dtype, DatetimeTZDtype)
    if isinstance(value, datetime.datetime):
        return (value.tzinfo is not None) != zone
    return isinstance(value, np.datetime64) and zone


def _is_no_time(dtype: Any, text: str) -> bool:
    """Whether text is read neither as a timestamp nor as a timedelta, whichever a column has."""
    try:
        (pandas.Timedelta if types.is_duration(dtype) else pandas.Timestamp)(text)
    except ValueError:
        return True
    return False


def _category(op: str, left: Column, right: Any) -> Column:
    dtype = left.dtype
    width = types.type_of(dtype)
    assert width is not None
    if isinstance(right, Column):
        if not kinds.same(left.dtype, right.dtype) or (op not in _EQUALITY and not dtype.ordered):
            raise Refused(f"comparing `{left.dtype}` with `{right.dtype}`")
        made = call(op, left.expression, right.expression)
        there = elementwise.negated(elementwise.either(elementwise.missing(left), elementwise.missing(right)))
        return Column(elementwise.both(made, there) if op != "ne" else elementwise.either(made, elementwise.negated(there)), types.BOOL)
    if not isinstance(right, (str, int, float)) or literals.is_missing(right):
        raise Refused(f"comparing categories with a value of type `{type(right).__name__}`")
    if op not in _EQUALITY and not dtype.ordered:
        raise Refused("ordering unordered categories: use `as_ordered`")
    if right not in dtype.categories:
        if op not in _EQUALITY:
            raise Refused(f"a value that is not a category of `{dtype}`")
        position = Literal(-2, width)
    else:
        position = Literal(int(dtype.categories.get_loc(right)), width)
    made = call(op, left.expression, position)
    if op in ("lt", "le"):
        made = call("and_", made, call("ge", left.expression, Literal(0, width)))
    return Column(made, types.BOOL)

"""Values of Python, NumPy and pandas as literals beside a column."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas
from pandas._config import is_nan_na

from airloom import ir
from airloom.pandas.algorithms import arrow_literals
from airloom.pandas.dtypes import types
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.refusals import Refused

#: No value at all: whatever pandas takes for missing.
NUMBER = (bool, int, float, np.bool_, np.integer, np.floating)


def is_number(value: Any) -> bool:
    return isinstance(value, NUMBER) and not isinstance(value, np.timedelta64)


def is_missing(value: Any) -> bool:
    """Whether pandas takes a value for missing."""
    return value is None or value is pandas.NA or value is pandas.NaT or (isinstance(value, (float, np.floating)) and value != value)


def number(value: Any, dtype: np.dtype[Any]) -> Literal:
    """A number as a literal of a dtype."""
    type = types.type_of(dtype)
    if type is None:
        raise Refused(f"a number of dtype `{dtype}`")
    if dtype.kind == "f":
        return Literal(float(value), type)
    if dtype.kind == "b":
        return Literal(bool(value), type)
    return Literal(int(value), type)


def timestamp(value: Any, dtype: Any) -> Literal:
    """A timestamp as a literal of the dtype of a column; refused where it does not stand in the column's unit and zone."""
    if isinstance(value, str) or type(value) is datetime.date:
        if type(value) is datetime.date:
            raise Refused("a `datetime.date` beside timestamps: use `pandas.Timestamp`")
        try:
            value = pandas.Timestamp(value)
        except ValueError as error:
            raise Refused("text that is not a timestamp") from error
        if value.tz is None and getattr(dtype, "tz", None) is not None:
            value = value.tz_localize(dtype.tz)
    elif isinstance(value, (datetime.datetime, np.datetime64)):
        value = pandas.Timestamp(value)
    else:
        raise Refused(f"a value of type `{type(value).__name__}` beside timestamps")
    if value is pandas.NaT:
        raise Refused("a comparison with `NaT`")
    if (value.tz is None) != (getattr(dtype, "tz", None) is None):
        raise Refused("tz-aware with tz-naive timestamps")
    unit = types.unit_of(dtype)
    try:
        exact = value.as_unit(unit, round_ok=False)
    except ValueError as error:
        raise Refused(f"a timestamp finer than the unit of `{dtype}`") from error
    type_ = types.type_of(dtype)
    assert type_ is not None
    return Literal(np.int64(exact._value).view(f"M8[{unit}]") if value.tz is None else exact.to_pydatetime(warn=False), type_.required)


def duration(value: Any, dtype: Any) -> Literal:
    """A timedelta as a literal of the dtype of a column."""
    if not isinstance(value, (datetime.timedelta, np.timedelta64)):
        raise Refused(f"a value of type `{type(value).__name__}` beside timedeltas")
    value = pandas.Timedelta(value)
    if value is pandas.NaT:
        raise Refused("a comparison with `NaT`")
    unit = types.unit_of(dtype)
    try:
        exact = value.as_unit(unit, round_ok=False)
    except ValueError as error:
        raise Refused(f"a timedelta finer than the unit of `{dtype}`") from error
    type_ = types.type_of(dtype)
    assert type_ is not None
    return Literal(np.int64(exact._value).view(f"m8[{unit}]"), type_.required)


def literal(value: Any, dtype: Any) -> Literal:
    """A value as a literal of the dtype of a column: the value itself, not changed to fit. Missing values are null, or NaN among floats."""
    if is_missing(value):
        if types.is_arrow(dtype) and isinstance(value, float) and not is_nan_na():
            raise Refused("NaN beside NA")
        return missing(dtype)
    if types.is_number(dtype):
        if not is_number(value):
            raise Refused(f"a value of type `{type(value).__name__}` beside numbers")
        return fitting(value, dtype)
    if types.is_masked(dtype) or types.is_arrow_number(dtype):
        return _nullable(value, dtype)
    if types.is_arrow(dtype):
        return arrow_literals.literal(value, dtype)
    if isinstance(dtype, pandas.StringDtype):
        if not isinstance(value, str):
            raise Refused(f"a value of type `{type(value).__name__}` beside strings")
        return Literal(str(value), ir.str_)
    if types.is_time(dtype):
        return timestamp(value, dtype)
    if types.is_duration(dtype):
        return duration(value, dtype)
    if types.is_category(dtype):
        try:
            position = dtype.categories.get_loc(value)
        except (KeyError, TypeError) as error:
            raise Refused(f"a value that is not a category of `{dtype}`") from error
        type_ = types.type_of(dtype)
        assert type_ is not None
        return Literal(int(position), type_)
    raise Refused(f"a value of dtype `{dtype}`")


def _nullable(value: Any, dtype: Any) -> Literal:
    """A number or boolean of the kind that a nullable dtype has."""
    kind = dtype.numpy_dtype.kind
    allowed: tuple[type, ...] = (bool, np.bool_) if kind == "b" else (int, np.integer) if kind in "iu" else (int, float, np.integer, np.floating)
    if not isinstance(value, allowed) or (kind != "b" and isinstance(value, (bool, np.bool_))) or isinstance(value, np.timedelta64):
        raise Refused(f"a value of type `{type(value).__name__}` beside `{dtype}`")
    return fitting(value, dtype.numpy_dtype)


def missing(dtype: Any) -> Literal:
    """What is missing, as a column of a dtype has it."""
    type = types.type_of(dtype)
    if type is None:
        raise Refused(f"a missing value of dtype `{dtype}`")
    if types.is_float(dtype):
        return Literal(float("nan"), type)
    if types.is_category(dtype):
        return Literal(-1, type)
    if not type.nullable:
        raise Refused(f"a missing value in `{dtype}`")
    return Literal(None, type.required)


def fitting(value: Any, dtype: np.dtype[Any]) -> Literal:
    """A number that stands exactly in a dtype."""
    if dtype.kind == "b":
        if not isinstance(value, (bool, np.bool_)):
            raise Refused(f"a value of type `{type(value).__name__}` beside booleans")
    elif isinstance(value, (bool, np.bool_)):
        raise Refused("a boolean beside numbers")
    elif dtype.kind in "iu":
        if isinstance(value, (float, np.floating)) and not float(value).is_integer():
            raise Refused("a fraction beside integers")
        found = int(value)
        limits = np.iinfo(dtype)
        if not limits.min <= found <= limits.max:
            raise Refused(f"a number out of bounds of `{dtype}`")
    elif dtype == np.float32 and np.isfinite(value) and float(np.float32(value)) != float(value):
        raise Refused(f"a number that `{dtype}` rounds")
    return number(value, dtype)


def cast(expression: Expression, have: Any, want: Any) -> Expression:
    """A number of one dtype as another, as NumPy's casts between them do."""
    if have == want:
        return expression
    target = types.type_of(want)
    return call("cast", expression, to=target, mode="wrap")

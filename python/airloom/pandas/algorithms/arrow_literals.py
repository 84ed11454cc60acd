"""Values of Python as literals beside a column of one of Arrow's dtypes."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pandas
import pyarrow

from airloom import ir
from airloom.pandas.dtypes import types
from airloom.pandas.plan.expression import Literal
from airloom.pandas.refusals import Refused

_INT64 = np.iinfo(np.int64)


def number_of(dtype: Any) -> np.dtype[Any]:
    """The dtype of NumPy's that stands below one of numbers or booleans, Arrow's or pandas'."""
    if types.is_arrow(dtype):
        if not types.is_arrow_number(dtype):
            raise Refused(f"`{dtype}` among numbers")
        return np.dtype(dtype.numpy_dtype)
    return dtype.numpy_dtype if types.is_masked(dtype) else dtype


def scalar(value: Any) -> Any:
    """A number as Arrow takes it, without a width of its own."""
    if isinstance(value, (np.floating, np.integer)) and not isinstance(value, np.timedelta64):
        value = value.item()
    if type(value) is int and not _INT64.min <= value <= _INT64.max:
        raise Refused("an integer beyond 64 bits")
    return value


def literal(value: Any, dtype: Any) -> Literal:
    """A value that is no number as one of a column's: of the very kind that Arrow's type has, and exactly."""
    type_ = types.type_of(dtype)
    if type_ is None:
        raise Refused(f"a value of dtype `{dtype}`")
    kind = dtype.pyarrow_dtype
    of = pyarrow.types
    found: Any = None
    if types.is_arrow_text(dtype):
        found = str(value) if isinstance(value, str) else None
    elif of.is_binary(kind) or of.is_large_binary(kind):
        found = value if type(value) is bytes else None
    elif of.is_date32(kind):
        found = value if type(value) is datetime.date else None
    elif of.is_timestamp(kind) and isinstance(value, datetime.datetime):
        return _timestamp(value, kind, type_.required)
    elif of.is_duration(kind) and isinstance(value, datetime.timedelta):
        return Literal(np.int64(_no_finer(pandas.Timedelta(value), kind.unit)._value).view(f"m8[{kind.unit}]"), type_.required)
    elif of.is_decimal(kind) and isinstance(value, decimal.Decimal) and value.is_finite():
        # A value with more digits than the column has is compared as one of them.
        found = value if -int(value.as_tuple().exponent) <= kind.scale and abs(value) < 10 ** (kind.precision - kind.scale) else None
    if found is None:
        raise Refused(f"a value of type `{type(value).__name__}` beside `{dtype}`")
    return Literal(found, type_.required)


def _timestamp(value: datetime.datetime, kind: Any, type_: ir.Type) -> Literal:
    stamp = pandas.Timestamp(value)
    if (stamp.tz is None) != (kind.tz is None):
        raise Refused("tz-aware with tz-naive timestamps")
    stamp = _no_finer(stamp, kind.unit)
    if kind.tz is None:
        return Literal(np.int64(stamp._value).view(f"M8[{kind.unit}]"), type_)
    return Literal(stamp.to_pydatetime(warn=False), type_)


def _no_finer(value: Any, unit: str) -> Any:
    """A time in a unit; refused where it has anything finer, or is out of its bounds."""
    try:
        return value.as_unit(unit, round_ok=False)
    except (ValueError, OverflowError) as error:
        raise Refused(f"a time finer than `{unit}`, or out of its bounds") from error

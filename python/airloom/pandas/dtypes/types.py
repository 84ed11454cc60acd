"""Which type of the graph stands for which dtype of pandas.

| pandas | graph | missing |
|---|---|---|
| bool, int8…uint64 | the same | never |
| float32, float64 | the same | NaN, which is a value |
| datetime64, with or without a zone, timedelta64 | timestamp?, duration? | NaT is null |
| str (and other text of Arrow) | str? | null |
| category | the position of the category, i8…i64 | -1 |
| Int8…UInt64, Float32, Float64, boolean | T? | null |
| Arrow's own numbers, booleans, text, binary, decimals, dates, timestamps, durations | T? | null; NaN is a value |
| anything else | the position of the value in what pandas holds, i64 | -1 |
"""

from __future__ import annotations

import datetime
from functools import lru_cache
from typing import Any

import numpy as np
import pandas
import pyarrow
from pandas._libs.tslibs import timezones
from pandas.core.dtypes.dtypes import CategoricalDtype, DatetimeTZDtype

from airloom import ir

_NUMBERS = {
    "bool": ir.bool_,
    "int8": ir.i8,
    "int16": ir.i16,
    "int32": ir.i32,
    "int64": ir.i64,
    "uint8": ir.u8,
    "uint16": ir.u16,
    "uint32": ir.u32,
    "uint64": ir.u64,
    "float32": ir.f32,
    "float64": ir.f64,
}
_MASKED = {
    "boolean": ir.bool_,
    "Int8": ir.i8,
    "Int16": ir.i16,
    "Int32": ir.i32,
    "Int64": ir.i64,
    "UInt8": ir.u8,
    "UInt16": ir.u16,
    "UInt32": ir.u32,
    "UInt64": ir.u64,
    "Float32": ir.f32,
    "Float64": ir.f64,
}

BOOL = np.dtype(bool)
INT64 = np.dtype(np.int64)
FLOAT64 = np.dtype(np.float64)
OBJECT = np.dtype(object)
STR = pandas.StringDtype(storage="pyarrow", na_value=np.nan)
ARROW_BOOL = pandas.ArrowDtype(pyarrow.bool_())
ARROW_INT64 = pandas.ArrowDtype(pyarrow.int64())
ARROW_FLOAT64 = pandas.ArrowDtype(pyarrow.float64())
#: Objects that are all `datetime.date` are held as these.
DATE = pandas.ArrowDtype(pyarrow.date32())


def type_of(dtype: Any) -> ir.Type | None:
    """The type that columns of a dtype have in the graph; none where only the position of a value goes there."""
    if isinstance(dtype, CategoricalDtype):
        if dtype.categories is None:
            return None
        # As pandas chooses the width of codes. What they are is not asked: tuples beside others cannot be hashed.
        many = len(dtype.categories)
        return ir.i8 if many < 128 else ir.i16 if many < 32768 else ir.i32
    return _type_of(dtype)


@lru_cache(maxsize=512)
def _type_of(dtype: Any) -> ir.Type | None:
    if isinstance(dtype, np.dtype):
        if dtype.kind in "biuf":
            return _NUMBERS.get(dtype.name) if dtype.isnative else None
        if dtype.kind in "mM" and dtype.isnative:
            unit = np.datetime_data(dtype)[0]
            if unit not in ("s", "ms", "us", "ns"):
                return None
            return ir.optional(ir.timestamp(unit) if dtype.kind == "M" else ir.duration(unit))  # type: ignore[arg-type]
        return None
    if isinstance(dtype, pandas.StringDtype):
        return ir.optional(ir.str_)
    if isinstance(dtype, DatetimeTZDtype):
        zone = zone_name(dtype.tz)
        return None if zone is None else ir.optional(ir.timestamp(dtype.unit, zone))
    if isinstance(dtype, pandas.ArrowDtype):
        return ir.optional(ir.type_of(dtype.pyarrow_dtype)) if _has_type(dtype.pyarrow_dtype) else None
    masked = _MASKED.get(getattr(dtype, "name", ""))
    return None if masked is None else ir.optional(masked)


def _has_type(kind: pyarrow.DataType) -> bool:
    """Whether values of Arrow's go through the engine and come back as they were."""
    of = pyarrow.types
    if of.is_decimal128(kind):
        return 0 <= kind.scale <= kind.precision
    tests = (
        of.is_boolean, of.is_integer, of.is_float32, of.is_float64, of.is_string, of.is_large_string, of.is_binary, of.is_large_binary, of.is_date32,
        of.is_timestamp, of.is_duration,
    )
    return any(test(kind) for test in tests)


def zone_name(zone: Any) -> str | None:
    """The name by which a zone is known everywhere, where it has one."""
    name = getattr(zone, "key", None)
    if name is None and timezones.is_utc(zone):
        return "UTC"
    if type(zone) is datetime.timezone:
        minutes, left = divmod(round(zone.utcoffset(None).total_seconds() * 10**6), 60 * 10**6)
        return None if left else f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
    return name


def is_text(dtype: Any) -> bool:
    """Whether this is pandas' own text with NaN for what is missing."""
    return isinstance(dtype, pandas.StringDtype) and dtype.na_value is not pandas.NA


def is_nullable_text(dtype: Any) -> bool:
    """Whether this is pandas' own text with NA for what is missing."""
    return isinstance(dtype, pandas.StringDtype) and dtype.na_value is pandas.NA


def is_nullable(dtype: Any) -> bool:
    """Whether this is a dtype of pandas' with NA for what is missing: comparing such gives booleans that may be missing too."""
    return is_masked(dtype) or is_nullable_text(dtype) or is_arrow(dtype)


def is_arrow(dtype: Any) -> bool:
    """Whether this is a dtype of Arrow's own."""
    return isinstance(dtype, pandas.ArrowDtype)


def is_arrow_number(dtype: Any) -> bool:
    """Whether this is one of Arrow's integers, floats or booleans."""
    return isinstance(dtype, pandas.ArrowDtype) and dtype.kind in "biuf" and type_of(dtype) is not None and not pyarrow.types.is_decimal(dtype.pyarrow_dtype)


def is_arrow_text(dtype: Any) -> bool:
    """Whether this is text of Arrow's own dtypes, not of pandas'."""
    return isinstance(dtype, pandas.ArrowDtype) and (pyarrow.types.is_string(dtype.pyarrow_dtype) or pyarrow.types.is_large_string(dtype.pyarrow_dtype))


def is_arrow_time(dtype: Any) -> bool:
    """Whether this is a timestamp or a date of Arrow's."""
    return isinstance(dtype, pandas.ArrowDtype) and (pyarrow.types.is_timestamp(dtype.pyarrow_dtype) or pyarrow.types.is_date32(dtype.pyarrow_dtype))


def is_number(dtype: Any) -> bool:
    """Whether this is one of NumPy's numbers or booleans."""
    return isinstance(dtype, np.dtype) and dtype.kind in "biuf"


def is_numeric(dtype: Any) -> bool:
    """Whether `numeric_only` keeps columns of this dtype: nullable numbers, and those of other libraries, too."""
    return dtype.kind in "biufc" if isinstance(dtype, np.dtype) else bool(getattr(dtype, "_is_numeric", False))


def is_float(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "f"


def is_integer(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "iu"


def is_bool(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "b"


def is_time(dtype: Any) -> bool:
    """Whether this is a timestamp: with a zone or without."""
    return (isinstance(dtype, np.dtype) and dtype.kind == "M") or isinstance(dtype, DatetimeTZDtype)


def is_duration(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "m"


def is_category(dtype: Any) -> bool:
    return isinstance(dtype, CategoricalDtype)


def is_masked(dtype: Any) -> bool:
    """Whether this is one of pandas' nullable numbers or booleans."""
    return getattr(dtype, "name", None) in _MASKED and not isinstance(dtype, np.dtype)


def is_sparse(dtype: Any) -> bool:
    """Whether this is pandas' dtype of arrays that hold few values of many: what is asked of such is an array of the same kind, with a value of its own for all others."""
    return isinstance(dtype, pandas.SparseDtype)


def unit_of(dtype: Any) -> str:
    """The unit of a timestamp or a timedelta; dates have none."""
    if isinstance(dtype, pandas.ArrowDtype):
        return getattr(dtype.pyarrow_dtype, "unit", "")
    return dtype.unit if isinstance(dtype, DatetimeTZDtype) else np.datetime_data(dtype)[0]

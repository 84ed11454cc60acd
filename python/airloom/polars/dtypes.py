"""Which types of the graph stand for Polars' dtypes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

import polars as pl

from airloom import ir
from airloom._native import Type
from airloom.errors import ProgramError
from airloom.polars.physical import physical, whole
from airloom.polars.refusals import Refused

_PLAIN: dict[type[pl.DataType], Type] = {
    pl.Boolean: ir.bool_,
    pl.Int8: ir.i8,
    pl.Int16: ir.i16,
    pl.Int32: ir.i32,
    pl.Int64: ir.i64,
    pl.UInt8: ir.u8,
    pl.UInt16: ir.u16,
    pl.UInt32: ir.u32,
    pl.UInt64: ir.u64,
    pl.Float32: ir.f32,
    pl.Float64: ir.f64,
    pl.String: ir.str_,
    pl.Binary: ir.bytes_,
    pl.Date: ir.date,
    pl.Time: ir.time,
}

_NULLABLE = {dtype: ir.optional(kind) for dtype, kind in _PLAIN.items()}

INTEGERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
SIGNED = (pl.Int8, pl.Int16, pl.Int32, pl.Int64)
FLOATS = (pl.Float32, pl.Float64)
NUMBERS = (*INTEGERS, *FLOATS)
#: What has an order in Polars, and the same one in the graph.
COMPARED = (*NUMBERS, pl.Boolean, pl.String, pl.Binary, pl.Date, pl.Time, pl.Datetime, pl.Duration, pl.Decimal, pl.Enum)
#: Integers that the graph has no type for: a row of two halves stands for each.
WIDE = (pl.Int128, pl.UInt128)
#: What has an order that comparisons and sorts know how to find.
SORTED = (*COMPARED, *WIDE, pl.Float16)
#: What can be told apart: codes of a categorical are in no order of its texts.
EQUATED = (*SORTED, pl.Categorical)


def is_equated(dtype: pl.DataType) -> bool:
    """Whether values of a dtype can be told apart: lists and structs by what is in them, and a column of nothing has one value."""
    left = [dtype]
    while left:
        one = left.pop()
        if isinstance(one, (pl.List, pl.Array)):
            left.append(inner_of(one))
        elif isinstance(one, pl.Struct) and one.fields:
            left.extend(whole(field.dtype) for field in one.fields)
        elif one.base_type() not in (*EQUATED, pl.Null):
            return False
    return True


def is_of(dtype: pl.DataType, *classes: type[pl.DataType]) -> bool:
    """Whether a dtype is of one of these classes, whatever its parameters."""
    return type(dtype) in classes


def type_of(dtype: pl.DataType) -> Type:
    """The type of values of a dtype that are not null."""
    # Dtypes without parameters are looked up by their class: comparing dtypes is dear.
    return _PLAIN.get(type(dtype)) or _made_type(dtype)


@lru_cache(maxsize=1024)
def _made_type(dtype: pl.DataType) -> Type:
    stand_in = physical(dtype)
    match dtype:
        case pl.Decimal() if dtype.precision is not None and dtype.precision <= 38:
            return ir.decimal(dtype.precision, dtype.scale)
        case pl.Datetime():
            return ir.timestamp(dtype.time_unit, dtype.time_zone)
        case pl.Duration():
            return ir.duration(dtype.time_unit)
        case pl.List():
            return ir.list_(nullable(inner_of(dtype)))
        case pl.Struct() if dtype.fields:
            return ir.struct({field.name: nullable(whole(field.dtype)) for field in dtype.fields})
    if stand_in != dtype:
        return type_of(stand_in)
    raise Refused(f"the dtype {dtype} has no type in the graph")


def nullable(dtype: pl.DataType) -> Type:
    """The type of a column of a dtype: in Polars every column may hold nulls."""
    return _NULLABLE.get(type(dtype)) or _made_nullable(dtype)


@lru_cache(maxsize=1024)
def _made_nullable(dtype: pl.DataType) -> Type:
    return ir.optional(type_of(dtype))


def relation(schema: Mapping[str, pl.DataType]) -> Type:
    """The type of a relation with these columns."""
    return ir.rel({name: nullable(dtype) for name, dtype in schema.items()})


def dtype_of(kind: Type) -> pl.DataType:
    """The dtype whose values a type stands for."""
    plain = _DTYPES.get(kind.required)
    if plain is not None:
        return plain
    match kind.kind:
        case "decimal":
            assert kind.digits is not None
            return pl.Decimal(*kind.digits)
        case "timestamp":
            return pl.Datetime(_unit(kind), kind.zone)
        case "duration":
            return pl.Duration(_unit(kind))
    raise ProgramError(f"columns of type `{kind}` are no columns of Polars'")


_DTYPES = {kind: dtype() for dtype, kind in _PLAIN.items()}


def _unit(kind: Type) -> Literal["ms", "us", "ns"]:
    if kind.unit not in ("ms", "us", "ns"):
        raise ProgramError(f"columns of type `{kind}` are no columns of Polars'")
    return kind.unit  # type: ignore[return-value]


def inner_of(dtype: pl.List | pl.Array) -> pl.DataType:
    """The dtype of the elements of a list or an array."""
    return whole(dtype.inner)


def field_of(dtype: pl.Struct, name: str) -> pl.DataType:
    """The dtype of a field of a struct."""
    return next(whole(field.dtype) for field in dtype.fields if field.name == name)

"""Dtypes that the graph has no type for, and the columns that stand for theirs while the engine runs: codes for categories, lists for arrays, two halves for integers of 128 bits, wider floats
for those of 16, the storage of an extension for its values, booleans for nothing but null and for structs without fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import polars as pl

from airloom._native import Column, Table
from airloom.polars.remembering import COLUMNS


def physical(dtype: pl.DataType) -> pl.DataType:
    """The dtype of the columns that stand for those of a dtype; most stand for themselves."""
    match dtype:
        case pl.Enum() | pl.Categorical():
            return _codes(dtype)
        case pl.Array() | pl.List():
            return pl.List(physical(whole(dtype.inner)))
        case pl.Struct() if not dtype.fields:
            return pl.Boolean()
        case pl.Struct():
            return pl.Struct({field.name: physical(whole(field.dtype)) for field in dtype.fields})
        case pl.Null():
            return pl.Boolean()
        case pl.Float16():
            return pl.Float32()
        case pl.Int128() | pl.UInt128():
            return pl.Struct({"high": pl.Int64() if isinstance(dtype, pl.Int128) else pl.UInt64(), "low": pl.UInt64()})
        case pl.BaseExtension():
            return physical(whole(dtype.ext_storage()))
    return dtype


@lru_cache(maxsize=256)
def _codes(dtype: pl.DataType) -> pl.DataType:
    """The dtype of codes of categories, as Polars has it."""
    return pl.Series([], dtype=dtype).to_physical().dtype


def whole(dtype: Any) -> pl.DataType:
    """A dtype, where only its class may have been given."""
    return dtype if isinstance(dtype, pl.DataType) else dtype()


def is_empty_struct(dtype: pl.DataType) -> bool:
    """Whether a dtype is a struct without fields: its values are null, or all alike."""
    return isinstance(dtype, pl.Struct) and not dtype.fields


def frame_to_table(frame: pl.DataFrame, names: Iterable[str] | None = None) -> Table:
    """A frame, or some of its columns, as the engine takes it. Columns are handed over one by one: as a frame Polars would copy those whose chunks end at other rows."""
    columns = {name: _column(frame.get_column(name)) for name in (frame.columns if names is None else names)}
    return Table.of_columns(columns, frame.height)


def _column(series: pl.Series) -> Column:
    return COLUMNS.column(series, lambda given: Column.of_arrow(_series_to_engine(given), nullable=True))


def _series_to_engine(column: pl.Series) -> pl.Series:
    """A column as the engine takes it. What stands for itself is not copied."""
    stand_in = physical(column.dtype)
    if stand_in == column.dtype:
        return column
    if is_empty_struct(column.dtype):
        known = column.is_not_null()
        return known.set(~known, None)
    return column.to_frame().select(_to_engine(pl.col(column.name), column.dtype)).to_series()


def _to_engine(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """What stands for the values of a dtype."""
    match dtype:
        case _ if physical(dtype) == dtype:
            return value
        case pl.Enum() | pl.Categorical():
            return value.to_physical()
        case pl.Struct() if not dtype.fields:
            return pl.when(value.is_not_null()).then(pl.lit(True))
        case pl.Array() | pl.List():
            lists = value.arr.to_list() if isinstance(dtype, pl.Array) else value
            inner = whole(dtype.inner)
            return lists if physical(inner) == inner else lists.list.eval(_to_engine(pl.element(), inner))
        case pl.Struct():
            return _fields(value, {field.name: _to_engine(value.struct.field(field.name), whole(field.dtype)) for field in dtype.fields})
        case pl.Int128() | pl.UInt128():
            high = pl.Int64 if isinstance(dtype, pl.Int128) else pl.UInt64
            return _fields(value, {"high": (value // pl.lit(2**64, dtype=dtype)).cast(high), "low": (value & pl.lit(2**64 - 1, dtype=dtype)).cast(pl.UInt64)})
        case pl.BaseExtension():
            return _to_engine(value.ext.storage(), whole(dtype.ext_storage()))
    return value.cast(physical(dtype))


def _fields(value: pl.Expr, fields: Mapping[str, pl.Expr]) -> pl.Expr:
    """A struct of fields, which is null where the value is that they are made of."""
    return pl.when(value.is_not_null()).then(pl.struct([part.alias(name) for name, part in fields.items()]))


def frame_to_polars(frame: pl.DataFrame, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """A frame of the engine's with the dtypes that Polars wants."""
    changed = []
    for name, dtype in schema.items():
        column = frame.get_column(name)
        if column.dtype == dtype or physical(dtype) != column.dtype:
            continue
        if is_empty_struct(dtype):
            changed.append(pl.Series(name, [{}, None], dtype=dtype).gather(column.is_null().cast(pl.UInt32)))
        else:
            changed.append(column.to_frame().select(_to_polars(pl.col(name), dtype).alias(name)).to_series())
    return frame.with_columns(changed) if changed else frame


def _to_polars(value: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """Values of a dtype, of what stands for them."""
    match dtype:
        case _ if physical(dtype) == dtype:
            return value
        case pl.Enum() | pl.Categorical():
            return value.cat.to(dtype)
        case pl.Struct() if not dtype.fields:
            return pl.when(value.is_not_null()).then(pl.lit({}, dtype=dtype))
        case pl.Array() | pl.List():
            inner = whole(dtype.inner)
            lists = value if physical(inner) == inner else value.list.eval(_to_polars(pl.element(), inner))
            return lists.list.to_array(dtype.size) if isinstance(dtype, pl.Array) else lists
        case pl.Struct():
            return _fields(value, {field.name: _to_polars(value.struct.field(field.name), whole(field.dtype)) for field in dtype.fields})
        case pl.Int128() | pl.UInt128():
            return value.struct.field("high").cast(dtype) * pl.lit(2**64, dtype=dtype) + value.struct.field("low").cast(dtype)
        case pl.BaseExtension():
            return _to_polars(value, whole(dtype.ext_storage())).ext.to(dtype)
    return value.cast(dtype)

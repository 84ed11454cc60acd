"""Dtypes that the graph has no type for, and the columns that stand for theirs while the engine runs: codes for categories, lists for arrays, two halves for integers of 128 bits, wider floats
for those of 16, booleans for nothing but null and for structs without fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import polars as pl

from airloom._native import Column, Table
from airloom.polars.refusals import Refused
from airloom.polars.remembering import COLUMNS


def physical(dtype: pl.DataType) -> pl.DataType:
    """The dtype of the columns that stand for those of a dtype; most stand for themselves."""
    match dtype:
        case pl.Enum() | pl.Categorical():
            return _codes(dtype)
        case pl.Array():
            return pl.List(_within(dtype, dtype.inner))
        case pl.List():
            return pl.List(_within(dtype, dtype.inner))
        case pl.Struct() if not dtype.fields:
            return pl.Boolean()
        case pl.Struct():
            return pl.Struct({field.name: _within(dtype, field.dtype) for field in dtype.fields})
        case pl.Null():
            return pl.Boolean()
        case pl.Float16():
            return pl.Float32()
        case pl.Int128() | pl.UInt128():
            return pl.Struct({"high": pl.Int64() if isinstance(dtype, pl.Int128) else pl.UInt64(), "low": pl.UInt64()})
    return dtype


@lru_cache(maxsize=256)
def _codes(dtype: pl.DataType) -> pl.DataType:
    """The dtype of codes of categories, as Polars has it."""
    return pl.Series([], dtype=dtype).to_physical().dtype


def _within(outer: pl.DataType, given: Any) -> pl.DataType:
    inner = given if isinstance(given, pl.DataType) else given()
    if isinstance(inner, (pl.Enum, pl.Categorical, pl.Null, pl.Int128, pl.UInt128)) or is_empty_struct(inner):
        what = "categories" if isinstance(inner, (pl.Enum, pl.Categorical)) else f"{inner}" if isinstance(inner, (pl.Int128, pl.UInt128)) else "nothing"
        raise Refused(f"the dtype {outer} has {what} inside, which is not translated")
    return physical(inner)


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
    if isinstance(column.dtype, (pl.Int128, pl.UInt128)):
        return _halves(column, column.dtype)
    return column.to_physical() if isinstance(column.dtype, (pl.Enum, pl.Categorical)) else column.cast(stand_in)


def _halves(column: pl.Series, dtype: pl.Int128 | pl.UInt128) -> pl.Series:
    """The high and the low 64 bits of integers; null where the integer is."""
    high = pl.Int64 if isinstance(dtype, pl.Int128) else pl.UInt64
    own = pl.col(column.name)
    pair = pl.struct(high=(own // pl.lit(2**64, dtype=dtype)).cast(high), low=(own & pl.lit(2**64 - 1, dtype=dtype)).cast(pl.UInt64))
    return column.to_frame().select(pl.when(own.is_not_null()).then(pair).alias(column.name)).to_series()


def frame_to_polars(frame: pl.DataFrame, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """A frame of the engine's with the dtypes that Polars wants."""
    changed = []
    for name, dtype in schema.items():
        column = frame.get_column(name)
        if column.dtype == dtype or physical(dtype) != column.dtype:
            continue
        if isinstance(dtype, (pl.Enum, pl.Categorical)):
            changed.append(column.cat.to(dtype))
        elif is_empty_struct(dtype):
            changed.append(pl.Series(name, [{}, None], dtype=dtype).gather(column.is_null().cast(pl.UInt32)))
        elif isinstance(dtype, pl.Null):
            changed.append(pl.Series(name, [None], dtype=dtype).new_from_index(0, frame.height))
        elif isinstance(dtype, (pl.Int128, pl.UInt128)):
            high, low = (pl.col(name).struct.field(half).cast(dtype) for half in ("high", "low"))
            changed.append(column.to_frame().select((high * pl.lit(2**64, dtype=dtype) + low).alias(name)).to_series())
        else:
            changed.append(column.cast(dtype))
    return frame.with_columns(changed) if changed else frame

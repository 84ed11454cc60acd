"""Dtypes that the graph has no type for, and the columns that stand for theirs while the engine runs: codes for categories, lists for arrays, booleans for nothing but null."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import polars as pl

from airloom.polars.refusals import Refused


def physical(dtype: pl.DataType) -> pl.DataType:
    """The dtype of the columns that stand for those of a dtype; most stand for themselves."""
    match dtype:
        case pl.Enum() | pl.Categorical():
            return _codes(dtype)
        case pl.Array():
            return pl.List(_within(dtype, dtype.inner))
        case pl.List():
            return pl.List(_within(dtype, dtype.inner))
        case pl.Struct():
            return pl.Struct({field.name: _within(dtype, field.dtype) for field in dtype.fields})
        case pl.Null():
            return pl.Boolean()
    return dtype


@lru_cache(maxsize=256)
def _codes(dtype: pl.DataType) -> pl.DataType:
    """The dtype of codes of categories, as Polars has it."""
    return pl.Series([], dtype=dtype).to_physical().dtype


def _within(outer: pl.DataType, given: Any) -> pl.DataType:
    inner = given if isinstance(given, pl.DataType) else given()
    if isinstance(inner, (pl.Enum, pl.Categorical, pl.Null)):
        raise Refused(f"the dtype {outer} has {'nothing' if isinstance(inner, pl.Null) else 'categories'} inside, which is not translated")
    return physical(inner)


def frame_to_engine(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame as the engine takes it. What stands for itself is not copied."""
    changed = []
    for name, dtype in frame.schema.items():
        stand_in = physical(dtype)
        if stand_in != dtype:
            column = frame.get_column(name)
            changed.append(column.to_physical() if isinstance(dtype, (pl.Enum, pl.Categorical)) else column.cast(stand_in))
    return frame.with_columns(changed) if changed else frame


def frame_to_polars(frame: pl.DataFrame, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """A frame of the engine's with the dtypes that Polars wants."""
    changed = []
    for name, dtype in schema.items():
        column = frame.get_column(name)
        if column.dtype == dtype or physical(dtype) != column.dtype:
            continue
        if isinstance(dtype, (pl.Enum, pl.Categorical)):
            changed.append(column.cat.to(dtype))
        elif isinstance(dtype, pl.Null):
            changed.append(pl.Series(name, [None], dtype=dtype).new_from_index(0, frame.height))
        else:
            changed.append(column.cast(dtype))
    return frame.with_columns(changed) if changed else frame

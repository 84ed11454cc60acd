"""Tables in files: read when a program runs, and only as far as it asks."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet

from airloom import _native, ir
from airloom.pandas.data import types
from airloom.pandas.plan.expression import Ref, Slot, call
from airloom.pandas.plan.frame import Column, Frame, Positions, Refused, Test, Undecided
from airloom.pandas.plan.rows import StoredRows


def parquet_frame(path: Any, columns: Any) -> Frame:
    """The frame of a Parquet file, as `pandas.read_parquet` would have it."""
    if not isinstance(path, (str, os.PathLike)) or "://" in os.fspath(path) or not os.path.isfile(path):
        raise Refused("a path that is no file here")
    name = os.fspath(path)
    file = pyarrow.parquet.ParquetFile(name)
    schema = file.schema_arrow
    _check_metadata(schema)
    chosen = list(schema.names) if columns is None else list(columns)
    if len(set(schema.names)) != len(schema.names) or len(set(chosen)) != len(chosen) or not all(label in schema.names for label in chosen):
        raise Refused("columns that are not there, or stand twice")
    stored = _native.scan_parquet([name])
    nulls = _columns_with_nulls(file.metadata, schema)
    kinds = stored.type.fields
    places: dict[Slot, tuple[str, ir.Type]] = {}
    rows = StoredRows(stored, places, file.metadata.num_rows)
    made = []
    for label in chosen:
        dtype = _dtype(schema.field(label).type)
        slot = Slot(label)
        type = kinds[label] if label in nulls else kinds[label].required
        wanted = types.type_of(dtype)
        if wanted is None or wanted.required != type.required:
            raise Refused(f"a column of Arrow's `{schema.field(label).type}`")
        places[slot] = (label, type)
        made.append(_column(slot, dtype, type, rows))
    return Frame(rows, made, pandas.Index(chosen), Positions())


def _column(slot: Slot, dtype: Any, type: ir.Type, rows: StoredRows) -> Column:
    if not type.nullable:
        return Column(Ref(slot), dtype)
    if types.is_float(dtype):
        return Column(call("null_to_nan", Ref(slot)), dtype)
    if types.is_number(dtype):
        widened = types.OBJECT if types.is_bool(dtype) else types.FLOAT64
        return Column(Ref(slot), Undecided(dtype, widened, Test(rows, call("is_null", Ref(slot)))))
    return Column(Ref(slot), dtype)


def _dtype(kind: pyarrow.DataType) -> Any:
    """The dtype that pandas gives a column of Arrow's."""
    if pyarrow.types.is_integer(kind) or pyarrow.types.is_boolean(kind) or pyarrow.types.is_float32(kind) or pyarrow.types.is_float64(kind):
        return np.dtype(kind.to_pandas_dtype())
    if pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind):
        return types.STR
    if pyarrow.types.is_timestamp(kind):
        if kind.tz is not None:
            return pandas.DatetimeTZDtype(kind.unit, kind.tz)
        return np.dtype(f"M8[{kind.unit}]")
    if pyarrow.types.is_duration(kind):
        return np.dtype(f"m8[{kind.unit}]")
    raise Refused(f"a column of Arrow's `{kind}`")


def _check_metadata(schema: pyarrow.Schema) -> None:
    """Refuses files whose own notes for pandas say more than their schema: labels of rows, or dtypes of pandas' own."""
    content = (schema.metadata or {}).get(b"pandas")
    if content is None:
        return
    notes = json.loads(content)
    for index in notes.get("index_columns", ()):
        if not isinstance(index, dict) or index.get("kind") != "range" or index.get("start") != 0 or index.get("step") != 1 or index.get("name") is not None:
            raise Refused("labels of rows in the file")
    if notes.get("attributes"):
        raise Refused("attributes in the file")
    plain = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "bool", "str", "object"}
    for column in notes.get("columns", ()):
        kind = str(column.get("numpy_type"))
        if not isinstance(column.get("name"), str) or not (kind in plain or kind.startswith(("datetime64[", "timedelta64["))):
            raise Refused(f"a column of pandas' `{kind}`")


def _columns_with_nulls(metadata: pyarrow.parquet.FileMetaData, schema: pyarrow.Schema) -> set[str]:
    """The columns that may hold nulls, by what the file says of each piece."""
    found = set()
    places = {metadata.schema.column(at).path: at for at in range(metadata.num_columns)}
    for name in schema.names:
        place = places.get(name)
        if place is None:
            found.add(name)
            continue
        for group in range(metadata.num_row_groups):
            statistics = metadata.row_group(group).column(place).statistics
            if statistics is None or not statistics.has_null_count or statistics.null_count:
                found.add(name)
                break
    return found

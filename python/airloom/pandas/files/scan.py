"""Tables in files: read when a program runs, and only as far as it asks."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas
import pyarrow
import pyarrow.ipc

from airloom import _native, ir
from airloom.pandas.dtypes import types
from airloom.pandas.files import atomic_write
from airloom.pandas.internals import descriptors
from airloom.pandas.plan.expression import Ref, Slot, call
from airloom.pandas.plan.frame import Column, ColumnLabels, DeferredDtype, Frame, Question, RangeLabels
from airloom.pandas.plan.rows import FileScan
from airloom.pandas.refusals import Refused

if TYPE_CHECKING:
    import pyarrow.parquet


def parquet_frame(path: Any, columns: Any) -> Frame:
    """The frame of a Parquet file, or of a folder of them, as `pandas.read_parquet` would have it."""
    # It takes as long to import as some of our own rooms together, and many programs read no such file.
    import pyarrow.parquet

    names = _files(path)
    held = descriptors.opened(names)
    names = names if held is None else [file.path for file in held]
    files = [pyarrow.parquet.ParquetFile(name) for name in names]
    schema = files[0].schema_arrow
    if any(not file.schema_arrow.equals(schema) for file in files):
        raise Refused("files with different columns")
    levels = _levels(schema)
    if levels and len(files) > 1:
        raise Refused("an index stored in several files")
    fields = {level for level, _ in levels}
    chosen = [name for name in schema.names if name not in fields] if columns is None else list(columns)
    if not chosen:
        raise Refused("a file whose columns are all index labels")
    _check_columns(schema, chosen, fields)
    nulls = set().union(*(_columns_with_nulls(file.metadata, schema) for file in files))
    return _stored_frame(_native.scan_parquet(names), schema, chosen, levels, nulls, sum(file.metadata.num_rows for file in files), held)


def feather_frame(path: Any, columns: Any) -> Frame:
    """The frame of an Arrow file, as `pandas.read_feather` would have it."""
    name = atomic_write.local_path(path)
    if not os.path.isfile(name):
        raise Refused("a path that is not a local file")
    held = descriptors.opened([name])
    name = name if held is None else held[0].path
    with pyarrow.memory_map(name) as bytes, pyarrow.ipc.open_file(bytes) as file:
        schema = file.schema
    levels = _levels(schema)
    fields = {level for level, _ in levels}
    if columns is not None and (levels or not isinstance(columns, (list, tuple)) or not columns or not all(type(label) is str for label in columns)):
        raise Refused("`columns` is not a list of names, or stands beside a stored index")
    chosen = [name for name in schema.names if name not in fields] if columns is None else list(columns)
    _check_columns(schema, chosen, fields)
    stored = _native.scan_ipc([name])
    return _stored_frame(stored, schema, chosen, levels, set(stored.columns_with_nulls()), stored.num_rows, held)


def _check_columns(schema: pyarrow.Schema, chosen: list[str], levels: set[str]) -> None:
    if len(set(schema.names)) != len(schema.names) or len(set(chosen)) != len(chosen):
        raise Refused("duplicate columns")
    if not all(label in schema.names and label not in levels for label in chosen):
        raise Refused("`columns` with names that are not in the file")


def _stored_frame(
    stored: _native.Stored,
    schema: pyarrow.Schema,
    chosen: list[str],
    levels: list[tuple[str, Any]],
    nulls: set[str],
    count: int | None,
    held: list[descriptors.OpenFile] | None,
) -> Frame:
    """The frame of these columns and index labels of a table; `nulls` are the columns that may hold some."""
    kinds = stored.type.fields
    positions: dict[Slot, tuple[str, ir.Type]] = {}
    rows = FileScan(stored, positions, count, held or ())

    def made(label: str) -> Column:
        dtype = _dtype(schema.field(label).type)
        slot = Slot(label)
        type = kinds[label] if label in nulls else kinds[label].required
        wanted = types.type_of(dtype)
        if wanted is None or wanted.required != type.required:
            raise Refused(f"a column of Arrow's type `{schema.field(label).type}`")
        positions[slot] = (label, type)
        return _column(slot, dtype, type, rows)

    found = [made(label) for label in chosen]
    index = ColumnLabels([made(field) for field, _ in levels], [name for _, name in levels]) if levels else RangeLabels()
    return Frame(rows, found, pandas.Index(chosen), index)


def _files(path: Any) -> list[str]:
    """The files of a path: itself, or those that stand in a folder, which has nothing else."""
    if not isinstance(path, (str, os.PathLike)) or "://" in os.fspath(path):
        raise Refused("a path that is not a local file")
    name = os.fspath(path)
    if os.path.isfile(name):
        return [name]
    if not os.path.isdir(name):
        raise Refused("a path that is not a local file")
    inside = sorted(item for item in os.listdir(name) if not item.startswith(("_", ".")))
    found = [os.path.join(name, item) for item in inside]
    if not found or not all(item.endswith(".parquet") and os.path.isfile(item) for item in found):
        raise Refused("a folder of other files than `*.parquet`")
    return found


def _column(slot: Slot, dtype: Any, type: ir.Type, rows: FileScan) -> Column:
    if not type.nullable:
        return Column(Ref(slot), dtype)
    if types.is_float(dtype):
        return Column(call("null_to_nan", Ref(slot)), dtype)
    if types.is_number(dtype):
        widened = types.OBJECT if types.is_bool(dtype) else types.FLOAT64
        return Column(Ref(slot), DeferredDtype(dtype, widened, Question(rows, call("is_null", Ref(slot)))))
    return Column(Ref(slot), dtype)


def _dtype(kind: pyarrow.DataType) -> Any:
    """The dtype that pandas gives a column of Arrow's."""
    if pyarrow.types.is_integer(kind) or pyarrow.types.is_boolean(kind) or pyarrow.types.is_float32(kind) or pyarrow.types.is_float64(kind):
        return np.dtype(kind.to_pandas_dtype())
    if pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind):
        return types.STR
    if pyarrow.types.is_timestamp(kind):
        if kind.tz is not None:
            # The zone that Arrow makes of the name: for UTC that is another object than pandas has for it.
            return pandas.DatetimeTZDtype(kind.unit, pyarrow.lib.string_to_tzinfo(kind.tz))
        return np.dtype(f"M8[{kind.unit}]")
    if pyarrow.types.is_duration(kind):
        return np.dtype(f"m8[{kind.unit}]")
    raise Refused(f"a column of Arrow's type `{kind}`")


def _levels(schema: pyarrow.Schema) -> list[tuple[str, Any]]:
    """The columns that are index labels, with their names, by the notes that pandas left; refused where these say more than the schema does."""
    content = (schema.metadata or {}).get(b"pandas")
    if content is None:
        return []
    notes = json.loads(content)
    if notes.get("attributes"):
        raise Refused("`attrs` stored in the file")
    if not _are_plain(notes.get("column_indexes") or ()):
        raise Refused("column labels that are not plain strings")
    indexes = notes.get("index_columns", ())
    for index in indexes:
        if isinstance(index, dict) and (index.get("kind") != "range" or index.get("start") != 0 or index.get("step") != 1 or index.get("name") is not None):
            raise Refused("a stored `RangeIndex` that does not begin at 0, has a step or a name")
    fields = [index for index in indexes if isinstance(index, str)]
    if fields and len(fields) != len(indexes):
        raise Refused("an index stored partly as a range")
    plain = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "bool", "str", "object"}
    names: dict[str, Any] = {}
    for column in notes.get("columns", ()):
        kind = str(column.get("numpy_type"))
        names[column.get("field_name")] = column.get("name")
        if not (isinstance(column.get("name"), str) or column.get("field_name") in fields) or not (
            kind in plain or kind.startswith(("datetime64[", "timedelta64["))
        ):
            raise Refused(f"a column of pandas' type `{kind}`")
    if not all(field in names and field in schema.names for field in fields):
        raise Refused("an index whose column is not in the file")
    return [(field, names[field]) for field in fields]


def _are_plain(levels: Any) -> bool:
    """Whether labels of columns are text without a name, by the notes that pandas left of them."""
    return all(level.get("name") is None and level.get("pandas_type") == "unicode" for level in levels) and len(levels) <= 1


def _columns_with_nulls(metadata: pyarrow.parquet.FileMetaData, schema: pyarrow.Schema) -> set[str]:
    """The columns that may hold nulls, by what the file says of each piece."""
    found = set()
    positions = {metadata.schema.column(at).path: at for at in range(metadata.num_columns)}
    for name in schema.names:
        position = positions.get(name)
        if position is None:
            found.add(name)
            continue
        for group in range(metadata.num_row_groups):
            statistics = metadata.row_group(group).column(position).statistics
            if statistics is None or not statistics.has_null_count or statistics.null_count:
                found.add(name)
                break
    return found

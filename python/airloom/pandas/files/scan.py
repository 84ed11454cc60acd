"""Tables in files: read when a program runs, and only as far as it asks."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas
import pyarrow
import pyarrow.ipc
from pandas.io._util import _arrow_dtype_mapping

from airloom import _native, ir
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.files import atomic_write, partitions, row_filters
from airloom.pandas.internals import descriptors
from airloom.pandas.ops import masked
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, ColumnLabels, DeferredDtype, Frame, ObjectView, Question, RangeLabels
from airloom.pandas.plan.rows import Concatenated, FileScan, Filtered, Rows, Sliced
from airloom.pandas.refusals import Refused, Stays

if TYPE_CHECKING:
    import pyarrow.parquet


def parquet_frame(path: Any, columns: Any, backend: str | None, filters: Any, few: int) -> Frame:
    """The frame of a Parquet file, of a folder of them, or of one of partitions, as `pandas.read_parquet` would have it. Fewer rows than `few` stay with pandas."""
    # It takes as long to import as some of our own rooms together, and many programs read no such file.
    import pyarrow.parquet

    wanted = None if filters is None else row_filters.checked(filters)
    found = partitions.partitioned_files(path)
    if found.values and backend is not None:
        raise Refused("`dtype_backend` of keys of partitions")
    if wanted is not None and found.values:
        found = _pruned(found, wanted)
    names = found.names
    held = descriptors.opened(names)
    names = names if held is None else [file.path for file in held]
    files = [pyarrow.parquet.ParquetFile(name) for name in names]
    schema = files[0].schema_arrow if found.schema is None else found.schema
    if any(not file.schema_arrow.equals(schema) for file in files):
        raise Refused("files with different columns")
    if sum(file.metadata.num_rows for file in files) < few:
        raise Stays("a small file")
    levels = _levels(schema, backend)
    if levels and len(files) > 1:
        raise Refused("an index stored in several files")
    fields = {level for level, _ in levels}
    chosen = [*(name for name in schema.names if name not in fields), *found.values] if columns is None else list(columns)
    if not chosen:
        raise Refused("a file whose columns are all index labels")
    _check_columns([*schema.names, *found.values], chosen, fields)
    nulls = set().union(*(_columns_with_nulls(file.metadata, schema) for file in files))
    scans = []
    start = 0
    for partition in found.partitions:
        end = start + len(partition.names)
        count = sum(file.metadata.num_rows for file in files[start:end])
        scans.append(_Scan(_native.scan_parquet(names[start:end]), count, () if held is None else held[start:end], partition.codes))
        start = end
    return _Stored(scans, schema, backend, nulls, found).frame(chosen, levels, wanted)


def _pruned(found: partitions.PartitionedFiles, filters: row_filters.Filters) -> partitions.PartitionedFiles:
    """The partitions that have rows for which filters are true, or one, which has none then."""
    matching = {id(one): row_filters.matching_codes(one, found.values[one[0]]) for part in filters for one in part if one[0] in found.values}
    kept = [one for one in found.partitions if row_filters.may_hold(filters, one.codes, lambda predicate: matching[id(predicate)])]
    return partitions.PartitionedFiles(kept or found.partitions[:1], found.values, found.dtypes, found.schema)


def feather_frame(path: Any, columns: Any, backend: str | None) -> Frame:
    """The frame of an Arrow file, as `pandas.read_feather` would have it."""
    name = atomic_write.local_path(path)
    if not os.path.isfile(name):
        raise Refused("a path that is not a local file")
    held = descriptors.opened([name])
    name = name if held is None else held[0].path
    with pyarrow.memory_map(name) as bytes, pyarrow.ipc.open_file(bytes) as file:
        schema = file.schema
    levels = _levels(schema, backend)
    fields = {level for level, _ in levels}
    if columns is not None and (levels or not isinstance(columns, (list, tuple)) or not columns or not all(type(label) is str for label in columns)):
        raise Refused("`columns` is not a list of names, or stands beside a stored index")
    chosen = [name for name in schema.names if name not in fields] if columns is None else list(columns)
    _check_columns(schema.names, chosen, fields)
    stored = _native.scan_ipc([name])
    scan = _Scan(stored, stored.num_rows, held or (), {})
    return _Stored([scan], schema, backend, set(stored.columns_with_nulls())).frame(chosen, levels)


def _check_columns(names: list[str], chosen: list[str], levels: set[str]) -> None:
    if len(set(names)) != len(names) or len(set(chosen)) != len(chosen):
        raise Refused("duplicate columns")
    if not all(label in names and label not in levels for label in chosen):
        raise Refused("`columns` with names that are not in the file")


class _Scan:
    """Files that are read together, and the codes of their keys."""

    __slots__ = ("codes", "columns", "rows")

    def __init__(self, stored: _native.Stored, count: int | None, files: Sequence[descriptors.OpenFile], codes: dict[str, int]) -> None:
        #: The name and the type of each column that is asked for.
        self.columns: dict[Slot, tuple[str, ir.Type]] = {}
        self.rows = FileScan(stored, self.columns, count, files)
        self.codes = codes


class _Stored:
    """A table in files, or in several one after the other, of which columns are asked for."""

    def __init__(
        self, scans: list[_Scan], schema: pyarrow.Schema, backend: str | None, nulls: set[str], keys: partitions.PartitionedFiles | None = None
    ) -> None:
        self.scans = scans
        self.schema = schema
        self.backend = backend
        #: The columns that may hold nulls.
        self.nulls = nulls
        self.values = {} if keys is None else keys.values
        self.dtypes = {} if keys is None else keys.dtypes
        self.kinds = scans[0].rows.stored.type.fields
        self.slots: dict[str, Slot] = {}

    def frame(self, chosen: list[str], levels: list[tuple[str, Any]], filters: row_filters.Filters | None = None) -> Frame:
        """The frame of these columns and index labels, of the rows for which filters are true."""
        if not chosen:
            raise Refused("no columns, whose labels pandas decides the dtype of")
        fields = [*chosen, *(level for level, _ in levels)]
        asked = [] if filters is None else sorted(row_filters.names(filters))
        for label in [*fields, *asked]:
            if label not in self.schema.names and label not in self.values:
                raise Refused("`filters` with names that are not in the file")
            self.slots.setdefault(label, Slot(label))
        rows = self._rows()
        if filters is not None:
            rows = Filtered(rows, row_filters.predicate(filters, self._leaf))
        if any(label in self.values for label in chosen) and not run.count(Sliced(rows, 0, 1)):
            raise Refused("no rows, of which it depends on pyarrow's way through the files what categories there are")
        columns = {label: self._column(label, rows) for label in fields}
        names = [name for _, name in levels]
        index = ColumnLabels([columns[field] for field, _ in levels], names) if levels else RangeLabels()
        return Frame(rows, [columns[label] for label in chosen], pandas.Index(chosen), index)

    def _rows(self) -> Rows:
        stored = {label: slot for label, slot in self.slots.items() if label not in self.values}
        if len(self.scans) == 1 and not self.values:
            self.scans[0].columns.update({slot: (label, self._type(label)) for label, slot in stored.items()})
            return self.scans[0].rows
        parts = []
        for scan in self.scans:
            own = {label: Slot(label) for label in stored}
            scan.columns.update({slot: (label, self._type(label)) for label, slot in own.items()})
            parts.append((scan.rows, [Ref(own[label]) if label in own else Literal(scan.codes[label], self._width(label)) for label in self.slots]))
        return Concatenated(list(self.slots.values()), parts)

    def _type(self, label: str) -> ir.Type:
        return self.kinds[label] if label in self.nulls else self.kinds[label].required

    def _width(self, key: str) -> ir.Type:
        width = types.type_of(self.dtypes[key])
        assert width is not None
        return width

    def _leaf(self, predicate: row_filters.Predicate) -> Expression:
        label = predicate[0]
        column = Ref(self.slots[label])
        if label in self.values:
            return row_filters.of_codes(column, self._width(label), row_filters.matching_codes(predicate, self.values[label]))
        kind = self.schema.field(label).type
        return row_filters.of_column(column, kind, _dtype(kind, None), predicate)

    def _column(self, label: str, rows: Rows) -> Column:
        slot = self.slots[label]
        if label in self.values:
            return Column(Ref(slot), self.dtypes[label])
        kind = self.schema.field(label).type
        if self.backend != "pyarrow" and pyarrow.types.is_date32(kind):
            # Objects for whoever looks at them, and dates until then.
            return Column(Ref(slot), types.OBJECT, shown=ObjectView(types.DATE, None))
        dtype = _dtype(kind, self.backend)
        type = self._type(label)
        wanted = types.type_of(dtype)
        if wanted is None or wanted.required != type.required:
            raise Refused(f"a column of Arrow's type `{kind}`")
        return _column(slot, dtype, type, rows)


def _column(slot: Slot, dtype: Any, type: ir.Type, rows: Rows) -> Column:
    if types.is_masked(dtype) and dtype.kind == "f":
        # NaN in a file is missing among nullable floats.
        return Column(masked.without_nan(Ref(slot)), dtype)
    if not type.nullable:
        return Column(Ref(slot), dtype)
    if types.is_float(dtype):
        return Column(call("null_to_nan", Ref(slot)), dtype)
    if types.is_number(dtype):
        widened = types.OBJECT if types.is_bool(dtype) else types.FLOAT64
        return Column(Ref(slot), DeferredDtype(dtype, widened, Question(rows, call("is_null", Ref(slot))), missing=None if types.is_bool(dtype) else np.nan))
    return Column(Ref(slot), dtype)


def _dtype(kind: pyarrow.DataType, backend: str | None) -> Any:
    """The dtype that pandas gives a column of Arrow's, where it is asked for its own, for Arrow's or for nullable ones."""
    if backend == "pyarrow":
        return pandas.ArrowDtype(kind)
    if backend == "numpy_nullable" and (nullable := _arrow_dtype_mapping().get(kind)) is not None:
        return nullable
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


def _levels(schema: pyarrow.Schema, backend: str | None) -> list[tuple[str, Any]]:
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
            kind in plain or kind.startswith(("datetime64[", "timedelta64[")) or (backend == "pyarrow" and kind.endswith("[pyarrow]"))
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

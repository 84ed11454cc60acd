"""Frames as Parquet: columns as pyarrow makes them of what pandas holds, encoded on every core."""

from __future__ import annotations

import base64
import io
import os
from typing import Any

import pandas
import pyarrow

from airloom import _native
from airloom._options import options
from airloom.errors import RefusedError
from airloom.pandas.dispatch import choice
from airloom.pandas.dispatch.lazy import from_manager
from airloom.pandas.dispatch.registry import classes, operation
from airloom.pandas.execution import sharing
from airloom.pandas.files import atomic_write
from airloom.pandas.internals import materialize
from airloom.pandas.plan.frame import Frame
from airloom.pandas.refusals import Refused, value_text

NO_DEFAULT = pandas.api.extensions.no_default
#: Ways to make pages smaller, with the level that pyarrow takes.
_COMPRESSIONS = {None: ("none", 0), "none": ("none", 0), "snappy": ("snappy", 0), "gzip": ("gzip", 9), "zstd": ("zstd", 1), "lz4": ("lz4", 0), "brotli": ("brotli", 8)}


@operation("DataFrame.to_parquet")
def to_parquet(
    frame: Frame,
    path: Any = None,
    *,
    engine: Any = NO_DEFAULT,
    compression: Any = "snappy",
    index: bool | None = None,
    partition_cols: Any = None,
    storage_options: Any = None,
    filesystem: Any = None,
) -> bytes | None:
    if engine not in (NO_DEFAULT, "pyarrow") or pandas.get_option("io.parquet.engine") not in ("auto", "pyarrow"):
        raise Refused("`engine` other than `'pyarrow'`")
    if storage_options is not None or filesystem is not None:
        raise Refused("`storage_options` or `filesystem`")
    if index not in (None, True, False) or not (compression is None or isinstance(compression, str)) or compression not in _COMPRESSIONS:
        raise Refused(f"`index={value_text(index)}`, or `compression={value_text(compression)}`")
    if partition_cols is not None:
        _write_partitions(arrow_table(frame, index), path, compression, partition_cols)
        return None
    is_open = _is_open_at_its_beginning(path)
    name = None if path is None or is_open else atomic_write.local_path(path)
    if name is not None and (not name or os.path.isdir(name)):
        raise Refused("a path that is not a file")
    table = arrow_table(frame, index)
    schema = table.schema
    if not len(schema) or not all(_is_known(field.type) for field in schema):
        raise Refused("columns of Arrow's types that pyarrow writes in another way")
    words = [(key.decode(), content.decode()) for key, content in (schema.metadata or {}).items()]
    words.append(("ARROW:schema", base64.b64encode(schema.serialize()).decode()))
    way = _COMPRESSIONS[compression]
    if name is None:
        try:
            made: bytes = _native.write_parquet(table, *way, words, None, options.resolved())
        except RefusedError as error:
            raise Refused(str(error)) from None
        if not is_open:
            return made
        with atomic_write.failing():
            path.write(made)
        return None
    with atomic_write.opened(name, "w") as descriptor:
        _native.write_parquet(table, *way, words, descriptor, options.resolved())
    return None


def _is_open_at_its_beginning(target: Any) -> bool:
    """Whether this is an open file, or a buffer, of bytes. Behind something else a file has other positions of its parts than by itself."""
    return isinstance(target, (io.BytesIO, io.BufferedWriter, io.BufferedRandom)) and not target.closed and target.seekable() and target.tell() == 0


def _write_partitions(table: pyarrow.Table, path: Any, compression: str | None, columns: Any) -> None:
    """Writes a folder for each value of some columns, as pyarrow does it. The files have names of their own, so that none is written over."""
    import pyarrow.parquet

    keys = [columns] if isinstance(columns, str) else columns
    if not isinstance(keys, list) or not keys or not all(isinstance(key, str) and key in table.column_names for key in keys):
        raise Refused("`partition_cols` is not a list of columns")
    name = atomic_write.local_path(path)
    if os.path.exists(name) and not os.path.isdir(name):
        raise Refused("a path that is not a folder")
    with atomic_write.failing():
        pyarrow.parquet.write_to_dataset(table, name, compression=compression, partition_cols=keys)


def arrow_table(frame: Frame, index: bool | None) -> pyarrow.Table:
    """The frame as pyarrow takes it from pandas. It asks whether something is a frame by the name that pandas' class has, so that it is given one of ours."""
    if any(value.__dict__.get("_attrs") for value in sharing.ACTIVE.values[-1:]):
        raise Refused("`attrs` of the frame")
    made = from_manager(classes.DataFrame, materialize.restored_frame(frame)[0])
    choice.within.asking += 1
    try:
        return pyarrow.Table.from_pandas(made, **({} if index is None else {"preserve_index": index}))
    except Exception as error:
        raise Refused(f"a table for which pyarrow raises: {error}") from None
    finally:
        choice.within.asking -= 1


def _is_known(kind: pyarrow.DataType) -> bool:
    """Whether the column is read back from a file as from one that pyarrow wrote: that has all categories in their order, others only those that stand in rows."""
    test = pyarrow.types
    if test.is_timestamp(kind):
        return bool(kind.unit != "s")
    return bool(test.is_integer(kind) or test.is_boolean(kind) or test.is_float32(kind) or test.is_float64(kind) or test.is_string(kind) or test.is_large_string(kind))

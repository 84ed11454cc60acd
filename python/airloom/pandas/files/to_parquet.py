"""Frames as Parquet: columns as pyarrow makes them of what pandas holds, encoded on every core."""

from __future__ import annotations

import io
import os
import warnings
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
from airloom.pandas.files.parquet_stream import ParquetRows, begin_again, streamed, words
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
    way = _COMPRESSIONS[compression]
    if name is None:
        table = _known_table(frame, index)
        try:
            made: bytes = _native.write_parquet(table, *way, words(table.schema), None, options.resolved())
        except RefusedError as error:
            raise Refused(str(error)) from None
        if not is_open:
            return made
        with atomic_write.failing():
            path.write(made)
        return None
    rows = None if _has_attrs() else streamed(frame, index)
    if rows is not None and len(rows.schema) and all(_is_known(field.type) for field in rows.schema):
        _write_streamed(frame, index, rows, way, name)
        return None
    table = _known_table(frame, index)
    with atomic_write.opened(name, "w") as descriptor:
        _native.write_parquet(table, *way, words(table.schema), descriptor, options.resolved())
    return None


def _write_streamed(frame: Frame, index: bool | None, rows: ParquetRows, way: tuple[str, int], name: str) -> None:
    """Writes rows as they are computed. Where they cannot be, the frame is held, and written as a whole."""
    with atomic_write.opened(name, "w") as descriptor:
        try:
            done = rows.write(way, descriptor)
        except OSError:
            raise
        except Exception:
            # The held frame has pandas' help where the engine fails, which is reported, and raises what the program raises.
            done = False
        if not done:
            table = _known_table(frame, index)
            begin_again(descriptor)
            _native.write_parquet(table, *way, words(table.schema), descriptor, options.resolved())


def _known_table(frame: Frame, index: bool | None) -> pyarrow.Table:
    """The frame as pyarrow takes it from pandas, of columns that are read back as from a file of pyarrow's."""
    table = arrow_table(frame, index)
    if not len(table.schema) or not all(_is_known(field.type) for field in table.schema):
        raise Refused("columns of Arrow's types that pyarrow writes in another way")
    return table


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
    if _has_attrs():
        raise Refused("`attrs` of the frame")
    made = from_manager(classes.DataFrame, materialize.restored_frame(frame)[0])
    choice.within.asking += 1
    try:
        with warnings.catch_warnings():
            # What is refused after pyarrow has warned of it would be warned of again.
            warnings.simplefilter("error")
            return pyarrow.Table.from_pandas(made, **({} if index is None else {"preserve_index": index}))
    except Exception as error:
        raise Refused(f"a table for which pyarrow raises: {error}") from None
    finally:
        choice.within.asking -= 1


def _has_attrs() -> bool:
    return any(value.__dict__.get("_attrs") for value in sharing.ACTIVE.values[-1:])


def _is_known(kind: pyarrow.DataType) -> bool:
    """Whether the column is read back from a file as from one that pyarrow wrote: that has all categories in their order, others only those that stand in rows."""
    test = pyarrow.types
    if test.is_timestamp(kind):
        return bool(kind.unit != "s")
    return bool(test.is_integer(kind) or test.is_boolean(kind) or test.is_float32(kind) or test.is_float64(kind) or test.is_string(kind) or test.is_large_string(kind))

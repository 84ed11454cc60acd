"""Frames as Parquet without being held: rows are written as they are computed."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas
import pyarrow
from pandas.core.dtypes.dtypes import CategoricalDtype

from airloom._options import options
from airloom.pandas.dispatch import choice
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.plan import walk
from airloom.pandas.plan.expression import Expression
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, RangeLabels
from airloom.pandas.plan.rows import space_of

#: Frames that may take more than this share of the memory are not held.
_SHARE = 8
#: How many bytes a text may take, with its view.
_TEXT = 32


class ParquetRows:
    """A frame that is written as its rows are computed."""

    def __init__(self, frame: Frame, schema: pyarrow.Schema, wanted: Mapping[str, Expression], nan_is_null: list[bool], labels: int | None) -> None:
        self.frame = frame
        self.schema = schema
        self.wanted = wanted
        self.nan_is_null = nan_is_null
        #: The column of labels that pandas holds as a range where they are evenly spaced.
        self.labels = labels

    def write(self, way: tuple[str, int], descriptor: int) -> bool:
        """Writes all rows; whether pandas would have written them so. It writes labels that are evenly spaced in another way, and that is known in the end only."""
        stream = run.stream_parquet(self.frame.rows, self.wanted, self.schema, self.nan_is_null, self.labels, way, descriptor)
        if self.labels is not None and stream.evenly_spaced:
            return False
        stream.finish(words(self._counted(stream.rows)))
        return True

    def _counted(self, rows: int) -> pyarrow.Schema:
        """The schema, with the labels of this many rows."""
        index = self.frame.index
        if not isinstance(index, RangeLabels) or not (known := self.schema.metadata):
            return self.schema
        said = json.loads(known[b"pandas"])
        for labels in said["index_columns"]:
            labels["stop"] = index.start + index.step * rows
        return self.schema.with_metadata({**known, b"pandas": json.dumps(said).encode()})


def words(schema: pyarrow.Schema) -> list[tuple[str, str]]:
    """What stands in a file beside its rows: what pandas and pyarrow want to know of them when they read it."""
    found = [(key.decode(), content.decode()) for key, content in (schema.metadata or {}).items()]
    return [*found, ("ARROW:schema", base64.b64encode(schema.serialize()).decode())]


def streamed(frame: Frame, index: bool | None) -> ParquetRows | None:
    """How the rows of a frame are written as they are computed; none where it is better held, or where what is written depends on all of its values."""
    if not _is_large(frame):
        return None
    columns = [materialize.decided(column) for column in frame.columns]
    keys: tuple[Column, ...] = ()
    labels = frame.index
    if index is not False and isinstance(labels, ColumnLabels):
        if labels.made is not None or labels.origin is not None:
            return None
        keys = tuple(materialize.decided(key) for key in labels.columns)
    elif index is True:
        return None
    if not all(map(_is_plain, (*columns, *keys))):
        return None
    wanted = {f"c{at}": column.expression for at, column in enumerate(columns)} | {f"k{at}": key.expression for at, key in enumerate(keys)}
    schema = _schema(frame, columns, keys, index)
    if schema is None or len(schema) != len(wanted):
        return None
    nan_is_null = [isinstance(column.dtype, np.dtype) and column.dtype.kind == "f" for column in (*columns, *keys)]
    ranged = isinstance(labels, ColumnLabels) and bool(keys) and bool(labels.ranged)
    return ParquetRows(frame, schema, wanted, nan_is_null, len(columns) if ranged else None)


def _is_large(frame: Frame) -> bool:
    """Whether the frame, once it is computed, may take much of the memory."""
    base = space_of(frame.rows)
    if base.kept is not None or all(materialize.standing(base, column) is not None for column in frame.columns):
        return False
    counts = [rows.count for rows in walk.reached([frame.rows], lambda rows: rows.inputs)]
    rows = base.count if base.count is not None else max((count for count in counts if count is not None), default=0)
    return rows * sum(_width(column.dtype) for column in frame.columns) > options.resolved()["memory_limit"] // _SHARE


def _width(dtype: Any) -> int:
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return dtype.itemsize
    numpy_dtype = getattr(dtype, "numpy_dtype", None)
    return numpy_dtype.itemsize if isinstance(numpy_dtype, np.dtype) and numpy_dtype.kind != "O" else _TEXT


def _is_plain(column: Column) -> bool:
    """Whether values go to the file as the engine has them."""
    return not column.unsupported and not isinstance(column.dtype, CategoricalDtype) and types.type_of(column.dtype) is not None


def _schema(frame: Frame, columns: list[Column], keys: tuple[Column, ...], index: bool | None) -> pyarrow.Schema | None:
    """The columns that pyarrow makes of a frame of these dtypes: asked with no rows."""
    labels = frame.index
    if isinstance(labels, RangeLabels):
        made: pandas.Index = pandas.RangeIndex(labels.start, labels.start, labels.step, name=labels.name)
    elif len(keys) == 1:
        made = pandas.Index(materialize.empty_like(keys[0].dtype), dtype=keys[0].dtype, name=labels.names[0])
    elif keys:
        made = pandas.MultiIndex.from_arrays([materialize.empty_like(key.dtype) for key in keys], names=labels.names)
    else:
        made = pandas.RangeIndex(0)
    choice.within.asking += 1
    try:
        empty = pandas.DataFrame({at: materialize.empty_like(column.dtype) for at, column in enumerate(columns)}, index=made)
        empty.columns = frame.labels
        return pyarrow.Schema.from_pandas(empty, **({} if index is None else {"preserve_index": index}))
    except Exception:
        # What pyarrow raises of the frame itself is told where that is computed.
        return None
    finally:
        choice.within.asking -= 1


def begin_again(descriptor: int) -> None:
    """Empties a file that is being written."""
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)


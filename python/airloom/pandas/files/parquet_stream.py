"""Frames as Parquet without being held: rows are written as they are computed."""

from __future__ import annotations

import base64
import json
import os
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
import pyarrow
from pandas.core.dtypes.dtypes import CategoricalDtype

from airloom._native import ParquetStream
from airloom._options import options
from airloom.pandas.dispatch import choice
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.plan import walk
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, Index, RangeLabels
from airloom.pandas.plan.rows import FileScan, Filtered, MemoryRows, Projected, Rows, Sliced, space_of

#: Frames that may take more than this share of the memory are not held.
_SHARE = 8
#: At this many labels it is looked first whether they are evenly spaced; frames of fewer rows are held.
_FEW = 1000
#: How many bytes a text may take, with its view.
_TEXT = 32


class ParquetRows:
    """A frame that is written as its rows are computed."""

    def __init__(self, frame: Frame, columns: Sequence[Column], keys: Sequence[Column], index: bool | None, schema: pyarrow.Schema) -> None:
        self.frame = frame
        self.columns = columns
        #: The columns of labels.
        self.keys = keys
        self.index = index
        self.schema = schema

    def write(self, way: tuple[str, int], descriptor: int) -> bool:
        """Writes all rows; whether they are written as pandas would have them. Labels that are evenly spaced are a range in pandas, of which nothing is written but its ends. Whether they
        are is known in the end only: where the first rows have misled, all are written again."""
        labels = self.frame.index
        if not isinstance(labels, ColumnLabels) or not self.keys or not labels.ranged:
            self._finish(self._stream(self.schema, way, descriptor), labels if isinstance(labels, RangeLabels) else None)
            return True
        as_range = self._begins_evenly(labels)
        for schema in [self._range_schema(labels), self.schema] if as_range else [self.schema, self._range_schema(labels)]:
            stream = self._stream(schema, way, descriptor)
            if stream.rows < _FEW or (stream.spacing is not None and len(labels.ranged) > 1):
                # pandas has rules of its own for few labels, and looks at the labels of each of several filters.
                return False
            even = stream.spacing is not None
            if even == (schema is not self.schema):
                self._finish(stream, RangeLabels(*stream.spacing, name=labels.names[0]) if stream.spacing is not None else None)
                return True
            # What is left of the unfinished file is written when it goes.
            del stream
            begin_again(descriptor)
        return False

    def _stream(self, schema: pyarrow.Schema, way: tuple[str, int], descriptor: int) -> ParquetStream:
        written = [*self.columns, *self.keys]
        wanted = {f"c{at}": column.expression for at, column in enumerate(written)}
        nan_is_null = [isinstance(column.dtype, np.dtype) and column.dtype.kind == "f" for column in written]
        ranged = isinstance(self.frame.index, ColumnLabels) and bool(self.keys) and bool(self.frame.index.ranged)
        return run.stream_parquet(self.frame.rows, wanted, schema, nan_is_null, len(self.columns) if ranged else None, way, descriptor)

    def _finish(self, stream: ParquetStream, labels: RangeLabels | None) -> None:
        """Finishes the file, with the labels of its rows where they are a range."""
        schema = self.schema
        if labels is not None and (found := _schema(self.frame, self.columns, labels, self.index)) is not None:
            schema = found
            if known := schema.metadata:
                said = json.loads(known[b"pandas"])
                for one in said["index_columns"]:
                    one["stop"] = labels.start + labels.step * stream.rows
                schema = schema.with_metadata({**known, b"pandas": json.dumps(said).encode()})
        stream.finish(words(schema))

    def _range_schema(self, labels: ColumnLabels) -> pyarrow.Schema:
        return _schema(self.frame, self.columns, RangeLabels(name=labels.names[0]), self.index)

    def _begins_evenly(self, labels: ColumnLabels) -> bool:
        """Whether the labels of the first rows are evenly spaced, where a look at those costs little."""
        node = space_of(self.frame.rows)
        while isinstance(node, (Filtered, Projected)):
            node = space_of(node.input)
        if not isinstance(node, (FileScan, MemoryRows)):
            return False
        first = run.table(Sliced(self.frame.rows, 0, _FEW), {"k": self.keys[0].expression}).numpy("k", "int64")
        return len(first) < 2 or len(np.unique(np.diff(first))) == 1


def words(schema: pyarrow.Schema) -> list[tuple[str, str]]:
    """What stands in a file beside its rows: what pandas and pyarrow want to know of them when they read it."""
    found = [(key.decode(), content.decode()) for key, content in (schema.metadata or {}).items()]
    return [*found, ("ARROW:schema", base64.b64encode(schema.serialize()).decode())]


def streamed(frame: Frame, index: bool | None) -> ParquetRows | None:
    """How the rows of a frame are written as they are computed; none where it is better held, or where what is written depends on all of its values."""
    if not is_large(frame.rows, frame.columns):
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
    if isinstance(labels, ColumnLabels) and labels.ranged and (len(keys) > 1 or any(key.dtype != types.INT64 for key in keys)):
        return None
    made = _schema(frame, columns, labels if index is not False else RangeLabels(), index)
    return None if made is None or len(made) != len(columns) + len(keys) else ParquetRows(frame, columns, keys, index, made)


def is_large(rows: Rows, columns: Sequence[Column]) -> bool:
    """Whether columns, once they are computed, may take much of the memory."""
    base = space_of(rows)
    if base.kept is not None or all(materialize.standing(base, column) is not None for column in columns):
        return False
    counts = [found.count for found in walk.reached([rows], lambda rows: rows.inputs)]
    count = base.count if base.count is not None else max((count for count in counts if count is not None), default=0)
    return count * sum(_width(column.dtype) for column in columns) > options.resolved()["memory_limit"] // _SHARE


def _width(dtype: Any) -> int:
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return dtype.itemsize
    numpy_dtype = getattr(dtype, "numpy_dtype", None)
    return numpy_dtype.itemsize if isinstance(numpy_dtype, np.dtype) and numpy_dtype.kind != "O" else _TEXT


def _is_plain(column: Column) -> bool:
    """Whether values go to the file as the engine has them."""
    return not column.unsupported and not isinstance(column.dtype, CategoricalDtype) and types.type_of(column.dtype) is not None


def _schema(frame: Frame, columns: Sequence[Column], labels: Index, index: bool | None) -> pyarrow.Schema | None:
    """The columns that pyarrow makes of a frame of these dtypes with such labels: asked with no rows."""
    if isinstance(labels, RangeLabels):
        made: pandas.Index = pandas.RangeIndex(labels.start, labels.start, labels.step, name=labels.name)
    else:
        empty = [materialize.empty_like(materialize.decided(key).dtype) for key in labels.columns]
        made = pandas.Index(empty[0], dtype=empty[0].dtype, name=labels.names[0]) if len(empty) == 1 else pandas.MultiIndex.from_arrays(empty, names=labels.names)
    choice.within.asking += 1
    try:
        model = pandas.DataFrame({at: materialize.empty_like(column.dtype) for at, column in enumerate(columns)}, index=made)
        model.columns = frame.labels
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return pyarrow.Schema.from_pandas(model, **({} if index is None else {"preserve_index": index}))
    except Exception:
        # What pyarrow raises or warns of the frame itself is told where that is computed.
        return None
    finally:
        choice.within.asking -= 1


def begin_again(descriptor: int) -> None:
    """Empties a file that is being written."""
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)


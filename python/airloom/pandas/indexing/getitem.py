"""Choosing columns and rows, and putting columns in."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas
from pandas.api.types import is_hashable, is_list_like
from pandas.core.arrays.string_arrow import ArrowStringArray

from airloom.pandas.algorithms import literals
from airloom.pandas.algorithms.align import align_to, aligned, array_column, vector_of
from airloom.pandas.algorithms.by_key import by_key, columns_asked
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.algorithms.steps import stepped
from airloom.pandas.algorithms.take import rearranged, relabelled
from airloom.pandas.dispatch.calls import invoke, items_of, recorded
from airloom.pandas.dispatch.registry import OPERATIONS, BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plain, wrap
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run, sharing
from airloom.pandas.internals import materialize, state
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, Vector
from airloom.pandas.plan.rows import MemoryRows, Rows
from airloom.pandas.refusals import Refused, Stays, value_text


def columns_at(frame: Frame, positions: Sequence[int]) -> Frame:
    """Some of the columns, by position."""
    return frame.with_columns([frame.columns[position] for position in positions], frame.labels.take(np.asarray(positions, dtype=np.intp)))


@operation("DataFrame.__getitem__")
def frame_getitem(frame: Frame, key: Any) -> Any:
    if isinstance(key, Iterator):
        key = items_of(key)
    if callable(key):
        key = invoke(key, wrap(frame))
    try:
        return _plain_item(frame, key)
    except Refused:
        if isinstance(key, BaseDataFrame):
            return OPERATIONS["DataFrame"]["where"](frame, key)
        if isinstance(key, slice) or isinstance(key, BaseSeries) or (isinstance(key, (list, np.ndarray)) and len(key) and isinstance(key[0], (bool, np.bool_))):
            return by_key(frame, key, "")
        try:
            return columns_asked(frame, lambda model: model[key])
        except Refused:
            return by_key(frame, key, "")


def _plain_item(frame: Frame, key: Any) -> Any:
    if isinstance(key, BaseSeries) or (isinstance(key, np.ndarray) and key.dtype == bool):
        vector = vector_of(key)
        if vector is None or getattr(materialize.decided(vector.column).dtype, "name", None) in ("bool", "boolean", "bool[pyarrow]"):
            return frame_masked(frame, key)
    if isinstance(key, slice):
        return _row_slice(frame, key)
    if isinstance(key, BaseDataFrame):
        raise Refused("a DataFrame as key")
    if is_hashable(key) and not isinstance(frame.labels, pandas.MultiIndex):
        return frame.vector(_position(frame, key))
    if isinstance(key, (list, pandas.Index)) and not isinstance(frame.labels, pandas.MultiIndex):
        if len(key) and all(isinstance(item, (bool, np.bool_)) for item in key):
            raise Refused("a list of booleans as key")
        return frame_columns(frame, list(key))
    raise Refused(f"a key of type `{type(key).__name__}`")


def frame_columns(frame: Frame, labels: list[Hashable]) -> Frame:
    """The columns of these labels."""
    found, positions = frame.labels._get_indexer_strict(labels, "columns")
    return frame.with_columns([frame.columns[position] for position in positions], found)


def _position(frame: Frame, label: Hashable) -> int:
    try:
        return frame.position(label)
    except KeyError:
        raise Refused("a key that is not a column") from None


def frame_masked(frame: Any, key: Any, *, by_mask: bool = False) -> Any:
    """The rows of a frame or a vector for which a mask is true."""
    rows, predicate = mask_over(frame, key)
    if isinstance(frame, Frame):
        return Frame(rows, frame.columns, frame.labels, frame.index).filtered(predicate)
    return Vector(rows, frame.column, frame.name, frame.index).filtered(predicate, by_mask=by_mask)


def mask_over(frame: Any, key: Any) -> tuple[Rows, Expression]:
    """A mask over the rows of a frame, and the rows in which both can be seen."""
    vector = vector_of(key)
    if vector is None:
        column = array_column(frame.rows, key)
        rows = frame.rows
    else:
        rows, column = aligned(frame.rows, frame.index, vector)
    column = materialize.decided(column)
    if getattr(column.dtype, "name", None) in ("boolean", "bool[pyarrow]"):
        # What is missing is not taken.
        return rows, call("is_true", column.expression)
    if not types.is_bool(column.dtype) or column.unsupported:
        raise Refused("a mask that is not boolean")
    return rows, column.expression


def _counted_by_position(index: ColumnLabels) -> bool:
    """Whether integers in a slice are positions, whatever the labels are."""
    dtype = index.columns[0].dtype
    if types.is_integer(dtype):
        return True
    return len(index.columns) == 1 and (types.is_text(dtype) or types.is_time(dtype) or types.is_duration(dtype))


def _row_slice(frame: Any, key: slice) -> Any:
    """`df[2:5]`: positions, where the slice has integers and the labels count."""
    if not all(part is None or (isinstance(part, (int, np.integer)) and not isinstance(part, bool)) for part in (key.start, key.stop, key.step)):
        raise Refused("a slice of labels")
    if isinstance(frame.index, ColumnLabels) and not _counted_by_position(frame.index):
        raise Refused("a slice by position along an index that is not of integers")
    return slice_rows(frame, key)


def slice_rows(frame: Any, key: slice) -> Any:
    """Rows by position."""
    if key.step not in (None, 1):
        return stepped(frame, key)
    start, stop = key.start or 0, key.stop
    if frame.rows.count is not None:
        start, stop, _ = key.indices(frame.rows.count)
        return frame.sliced(start, max(0, stop - start))
    if start >= 0 and stop is None:
        return frame.sliced(start, None)
    if start >= 0 and stop >= 0:
        return frame.sliced(start, max(0, stop - start))
    if start < 0 and stop is None:
        return frame.sliced(start, None)
    raise Refused("a slice that counts from the end of rows that are not counted yet")


@operation("Series.__getitem__")
def vector_getitem(vector: Vector, key: Any) -> Any:
    if isinstance(key, Iterator):
        key = items_of(key)
    if callable(key):
        key = invoke(key, wrap(vector))
    try:
        return _plain_value(vector, key)
    except Refused:
        return by_key(vector, key, "")


def _plain_value(vector: Vector, key: Any) -> Any:
    if isinstance(vector.index, ColumnLabels) and getattr(vector.index.made, "freq", None) is not None:
        raise Refused("an index with a frequency, of which pandas says whether it is kept")
    if isinstance(key, BaseSeries) or (isinstance(key, np.ndarray) and key.dtype == bool):
        far = vector_of(key)
        if far is None or getattr(materialize.decided(far.column).dtype, "name", None) in ("bool", "boolean", "bool[pyarrow]"):
            return frame_masked(vector, key, by_mask=True)
    if isinstance(key, slice):
        return _row_slice(vector, key)
    if len(vector.index.names) == 1 and (
        (isinstance(key, (str, int, np.integer)) and not isinstance(key, bool))
        or (isinstance(key, list) and all(isinstance(item, (str, int, np.integer)) and not isinstance(item, bool) for item in key))
    ):
        return rearranged(vector, lambda series: series[key])
    raise Refused(f"a key of type `{type(key).__name__}`")


@operation("DataFrame.head", "Series.head")
def head(frame: Any, n: int = 5) -> Any:
    if not isinstance(n, (int, np.integer)):
        raise Refused(f"`n={value_text(n)}` is not an integer")
    _copied(frame)
    return slice_rows(frame, slice(None, int(n)))


@operation("DataFrame.tail", "Series.tail")
def tail(frame: Any, n: int = 5) -> Any:
    if not isinstance(n, (int, np.integer)):
        raise Refused(f"`n={value_text(n)}` is not an integer")
    _copied(frame)
    if n == 0:
        return frame.sliced(0, 0)
    return slice_rows(frame, slice(-int(n), None))


def _copied(plan: Any) -> None:
    # Few rows of what is in memory are copied at once: a piece that shared it would hold all of it, and have it copied when it is written to.
    if isinstance(plan.rows, MemoryRows) and all(materialize.standing(plan.rows, column) is not None for column in (plan.columns if isinstance(plan, Frame) else (plan.column,))):
        raise Stays("few rows to copy")


@operation("DataFrame.get")
def get(frame: Frame, key: Any, default: Any = None) -> Any:
    if is_hashable(key) and not isinstance(key, slice):
        if key in frame.labels:
            return frame_getitem(frame, key)
        # A key that is nothing else either.
        if isinstance(key, (str, int, np.integer)) or key is None:
            return default
    if isinstance(key, list) and all(is_hashable(item) for item in key):
        return frame_getitem(frame, key) if all(item in frame.labels for item in key) else default
    raise Refused("a key that is not a column")


@operation("DataFrame.copy", "Series.copy")
def copy(frame: Any, deep: bool = True) -> Any:
    # Copies are what every plan is: whoever writes to one makes another. Few rows are copied at once, so that writing to them is in place.
    if frame.rows.count is not None and frame.rows.count < state.WORTH_KEEPING:
        raise Stays("few rows to copy")
    if any(held.foreign for held in run.arrays_read(frame)):
        raise Stays("memory that somebody else may write to")
    if not deep:
        return frame
    if isinstance(frame, Vector):
        return Vector(frame.rows, frame.column.copy(), frame.name, frame.index)
    return frame.with_columns([column.copy() for column in frame.columns])


def column_for(frame: Frame, value: Any) -> tuple[Rows, Column]:
    """What is put in as a column: a vector by its labels, an array by position, or one value in all rows."""
    vector = vector_of(value)
    if vector is not None:
        return align_to(frame.rows, frame.index, vector)
    if isinstance(value, range):
        value = np.arange(value.start, value.stop, value.step, dtype=np.int64)
    if isinstance(value, (np.ndarray, tuple, pandas.Index, pandas.api.extensions.ExtensionArray, list)):
        if isinstance(value, np.ndarray) and value.ndim == 0:
            raise Refused("an array of no dimensions")
        array = value.array if isinstance(value, pandas.Index) else value
        return frame.rows, array_column(frame.rows, array)
    if is_list_like(value) or isinstance(value, BaseDataFrame) or callable(value):
        raise Refused(f"a value of type `{type(value).__name__}`")
    return frame.rows, constant(value)


def constant(value: Any) -> Column:
    """One value in all rows, of the dtype that pandas gives it."""
    if isinstance(value, (bool, np.bool_)):
        dtype: Any = types.BOOL
    elif isinstance(value, np.generic) and value.dtype.kind in "iuf":
        dtype = value.dtype
    elif isinstance(value, int):
        dtype = types.INT64
        if not -(2**63) <= value < 2**63:
            raise Refused("an integer of more than 64 bits")
    elif isinstance(value, float):
        dtype = types.FLOAT64
    elif isinstance(value, str):
        dtype = types.STR
    elif isinstance(value, (pandas.Timestamp, pandas.Timedelta)) and getattr(value, "tz", None) is None:
        dtype = np.dtype(f"{'M8' if isinstance(value, pandas.Timestamp) else 'm8'}[{value.unit}]")
    else:
        raise Refused(f"a value of type `{type(value).__name__}`")
    type_ = types.type_of(dtype)
    if type_ is None:
        raise Refused(f"a value of dtype `{dtype}`")
    made = literals.literal(value, dtype)
    return Column(Literal(made.value, type_), dtype)


def with_column(frame: Frame, label: Hashable, value: Any) -> Frame:
    """A frame with one more column, or another one in the place of its own."""
    if isinstance(frame.labels, pandas.MultiIndex):
        raise Refused("MultiIndex columns")
    rows, column = column_for(frame, value)
    if label in frame.labels:
        position = frame.position(label)
        columns = [*frame.columns[:position], column, *frame.columns[position + 1 :]]
        return frame.with_columns(columns, rows=rows)
    if len(frame.columns) == 0:
        raise Refused("a frame without columns")
    return frame.with_columns([*frame.columns, column], inserted(frame.labels, len(frame.labels), label), rows)


#: Text of more pieces than this is put together: each label that is inserted adds some.
_MOST_PIECES = 32


def inserted(labels: pandas.Index, at: int, label: Hashable) -> pandas.Index:
    """Labels with one more among them."""
    made = labels.insert(at, label)
    array = made.array
    if not isinstance(array, ArrowStringArray) or array._pa_array.num_chunks <= _MOST_PIECES:
        return made
    return made._constructor._simple_new(ArrowStringArray(array._pa_array.combine_chunks(), dtype=array.dtype), name=made.name)


@operation("DataFrame.assign")
def assign(frame: Frame, **columns: Any) -> Frame:
    for label, value in columns.items():
        if callable(value):
            value = invoke(value, wrap(frame))
            if not isinstance(value, (BaseSeries, np.ndarray, list, str, int, float, bool, np.generic)):
                raise Refused(f"a function that returns a value of type `{type(value).__name__}`")
        frame = with_column(frame, label, value)
    return frame


@operation("DataFrame.drop")
def drop(
    frame: Frame,
    labels: Any = None,
    *,
    axis: Any = 0,
    index: Any = None,
    columns: Any = None,
    level: Any = None,
    inplace: bool = False,
    errors: str = "raise",
) -> Frame:
    if inplace:
        raise Refused("`inplace=True`")
    if labels is not None:
        if index is not None or columns is not None or axis not in (0, 1, "index", "columns"):
            raise Refused(f"`labels` together with `index` or `columns`, or `axis={value_text(axis)}`")
        index, columns = (None, labels) if axis in (1, "columns") else (labels, None)
    elif axis not in (0, "index"):
        raise Refused("`axis` together with `index` or `columns`")
    if index is not None:
        gone = plain(index)
        frame = rearranged(frame, lambda series: series.drop(index=gone, level=level, errors=errors))
        if columns is None:
            return frame
    if columns is None:
        raise Refused("no labels to drop")
    if isinstance(frame.labels, pandas.MultiIndex) or not frame.labels.is_unique or level is not None:
        return columns_asked(frame, lambda model: model.drop(columns=plain(columns), level=level, errors=errors))
    kept = frame.labels.drop(columns, errors=errors)
    return frame.with_columns([frame.column(label) for label in kept], kept)


@operation("DataFrame.rename")
def rename(
    frame: Frame,
    mapper: Any = None,
    *,
    index: Any = None,
    columns: Any = None,
    axis: Any = None,
    copy: Any = None,
    inplace: bool = False,
    level: Any = None,
    errors: str = "ignore",
) -> Frame:
    if mapper is not None:
        if index is not None or columns is not None or axis not in (None, 0, 1, "index", "columns"):
            raise Refused(f"`mapper` together with `index` or `columns`, or `axis={value_text(axis)}`")
        index, columns = (None, mapper) if axis in (1, "columns") else (mapper, None)
    elif axis is not None:
        raise Refused("`axis` together with `index` or `columns`")
    if level is not None or inplace or copy is not None or (index is None and columns is None):
        raise Refused("`level`, `inplace=True`, the `copy` argument, or nothing to rename")
    if index is not None:
        old = materialize.restored_index(frame.rows, frame.index)
        given = recorded(plain(index))
        renamed = ask_pandas(lambda: BaseSeries(0, index=old).rename(index=given, errors=errors) if callable(given) or isinstance(given, (dict, BaseSeries)) else None)
        if renamed is None:
            raise Refused("`index` is neither a mapping nor a function")
        frame = relabelled(frame, renamed.index)
    if columns is None:
        return frame
    empty = BaseDataFrame(columns=frame.labels)
    return frame.with_columns(frame.columns, BaseDataFrame.rename(empty, columns=recorded(columns), errors=errors).columns)


@operation("Series.drop")
def vector_drop(
    vector: Vector, labels: Any = None, *, axis: Any = 0, index: Any = None, columns: Any = None, level: Any = None, inplace: bool = False, errors: str = "raise"
) -> Vector:
    if inplace or columns is not None or (labels is None) == (index is None) or axis not in (0, "index"):
        raise Refused(f"`inplace=True`, `columns`, `axis={value_text(axis)}`, or both `labels` and `index`")
    gone = plain(index if labels is None else labels)
    return rearranged(vector, lambda series: series.drop(gone, level=level, errors=errors))


@operation("Series.rename")
def vector_rename(vector: Vector, index: Any = None, *, axis: Any = None, copy: Any = None, inplace: bool = False, level: Any = None, errors: str = "ignore") -> Vector:
    if axis not in (None, 0, "index"):
        raise Refused(f"`axis={value_text(axis)}`")
    if (callable(index) or isinstance(index, dict)) and not inplace and level is None and copy is None:
        old = materialize.restored_index(vector.rows, vector.index)
        return relabelled(vector, ask_pandas(lambda: BaseSeries(0, index=old).rename(recorded(index), errors=errors)).index)
    if inplace or level is not None or callable(index) or not (index is None or (is_hashable(index) and not is_list_like(index))):
        raise Refused("`inplace=True`, `level`, or an `index` that renames labels")
    return vector.named(index)


@operation("Series.to_frame")
def to_frame(vector: Vector, name: Any = pandas.api.extensions.no_default) -> Frame:
    if name is pandas.api.extensions.no_default:
        name = vector.name
        if name is None:
            return Frame(vector.rows, (vector.column,), pandas.RangeIndex(1), vector.index)
    return Frame(vector.rows, (vector.column,), pandas.Index([name]), vector.index)


@operation("DataFrame.filter", "Series.filter")
def filter_labels(frame: Any, items: Any = None, like: Any = None, regex: Any = None, axis: Any = None) -> Any:
    if items is not None and (not is_list_like(items) or isinstance(items, (BaseDataFrame, BaseSeries, Iterator)) or any(isinstance(item, (bool, np.bool_)) for item in items)):
        raise Refused("`items` is a mask or an iterator")
    if isinstance(frame, Frame) and axis in (None, 1, "columns"):
        return columns_asked(frame, lambda model: model.filter(items=items, like=like, regex=regex, axis=1))
    return rearranged(frame, lambda series: series.filter(items=items, like=like, regex=regex, axis=0))


@operation("DataFrame.select_dtypes")
def select_dtypes(frame: Frame, include: Any = None, exclude: Any = None) -> Frame:
    columns = [materialize.decided(column) for column in frame.columns]
    if any(isinstance(column.dtype, np.dtype) and not column.dtype.isnative for column in columns):
        raise Refused("columns in the other byte order")
    empty = BaseDataFrame({at: BaseSeries(materialize.empty_like(column.dtype), dtype=column.dtype) for at, column in enumerate(columns)})
    positions = list(BaseDataFrame.select_dtypes(empty, include=include, exclude=exclude).columns)
    return columns_at(frame.with_columns(columns), positions)


@operation("DataFrame.pipe", "Series.pipe")
def pipe(frame: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
    if isinstance(function, tuple):
        raise Refused("`func` is a pair of function and keyword")
    # A shallow copy, as pandas has it: what the function writes to is not the object.
    return invoke(function, sharing.ACTIVE.values[-1].copy(deep=False), *args, **kwargs)

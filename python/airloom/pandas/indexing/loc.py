"""Rows and columns by label and by position, read and written."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
import pandas

from pandas.api.types import is_list_like

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.align import aligned, vector_of
from airloom.pandas.algorithms.by_key import by_key
from airloom.pandas.algorithms.steps import stepped
from airloom.pandas.algorithms.take import at_positions, rearranged, row
from airloom.pandas.dispatch.calls import invoke
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dispatch.wrapping import plain, wrap
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.indexing.getitem import columns_at, frame_columns, frame_masked, mask_over, slice_rows
from airloom.pandas.internals import materialize
from airloom.pandas.ops import masked
from airloom.pandas.plan.expression import Expression, Literal, Ref, call
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, Vector
from airloom.pandas.plan.rows import Rows, space_of
from airloom.pandas.refusals import Refused, value_text


def by_label(frame: Any, key: Any) -> Any:
    """`loc[key]`."""
    return _read(frame, key, _by_label, "loc")


def _by_label(frame: Any, key: Any) -> Any:
    if isinstance(frame, Frame) and isinstance(key, tuple):
        if len(key) != 2 or isinstance(frame.labels, pandas.MultiIndex):
            raise Refused("more keys than axes, or MultiIndex columns")
        rows, columns = key
        if len(frame.index.names) > 1 and not (_is_everything(rows) or _is_mask(rows)):
            raise Refused("a MultiIndex")
        chosen = _columns_by_label(frame, columns)
        if _is_label(rows) and isinstance(chosen, Vector):
            _labels_stand_once(frame)
        return chosen if _is_everything(rows) else _rows_by_label(chosen, rows)
    return frame if _is_everything(key) else _rows_by_label(frame, key)


def by_position(frame: Any, key: Any) -> Any:
    """`iloc[key]`."""
    return _read(frame, key, _by_position, "iloc")


def _read(frame: Any, key: Any, choose: Callable[[Any, Any], Any], indexer: str) -> Any:
    """What a key chooses; where it is none of the usual, pandas says which rows and columns."""
    if isinstance(key, Iterator):
        raise Refused("an iterator as key")
    if callable(key):
        key = invoke(key, wrap(frame))
        if isinstance(key, tuple):
            raise Refused("a function that returns a tuple")
    try:
        return choose(frame, key)
    except Refused:
        return by_key(frame, key, indexer)


def _by_position(frame: Any, key: Any) -> Any:
    if isinstance(frame, Frame) and isinstance(key, tuple):
        if len(key) != 2:
            raise Refused("more keys than axes")
        rows, columns = key
        chosen = _columns_by_position(frame, columns)
        return chosen if _is_everything(rows) else _rows_by_position(chosen, rows)
    return frame if _is_everything(key) else _rows_by_position(frame, key)


def _is_position(key: Any) -> bool:
    return isinstance(key, (int, np.integer)) and not isinstance(key, bool)


def _is_label(key: Any) -> bool:
    """Whether this is a label by itself, of a kind that means nothing else."""
    return isinstance(key, (str, int, np.integer, float, pandas.Timestamp)) and not isinstance(key, bool)


def _is_labels(key: Any) -> bool:
    """Whether this is a list of labels, and no mask."""
    if isinstance(key, list):
        return not any(isinstance(item, (bool, np.bool_, tuple)) or is_list_like(item) for item in key)
    if isinstance(key, BaseSeries):
        return not types.is_bool(key.dtype) and key.dtype.kind in "iufMm" or types.is_text(key.dtype)
    if isinstance(key, (np.ndarray, pandas.Index)):
        return key.ndim == 1 and not isinstance(key, pandas.MultiIndex) and key.dtype.kind in "iufMm" or types.is_text(key.dtype)
    return False


def _is_everything(key: Any) -> bool:
    return isinstance(key, slice) and key.start is None and key.stop is None and key.step is None


def _is_mask(key: Any) -> bool:
    return (isinstance(key, BaseSeries) and types.is_bool(key.dtype)) or (isinstance(key, np.ndarray) and key.dtype == bool and key.ndim == 1)


def _columns_by_label(frame: Frame, key: Any) -> Any:
    if _is_everything(key):
        return frame
    if isinstance(key, slice):
        positions = frame.labels.slice_indexer(key.start, key.stop, key.step)
        return columns_at(frame, range(len(frame.labels))[positions])
    if isinstance(key, list) and not (key and all(isinstance(item, (bool, np.bool_)) for item in key)):
        return frame_columns(frame, key)
    if isinstance(key, str) or (isinstance(key, (int, np.integer)) and not isinstance(key, bool)):
        if key not in frame.labels:
            raise Refused(f"{value_text(key)} is not a column")
        return frame.vector(frame.position(key))
    raise Refused(f"columns by a key of type `{type(key).__name__}`")


def _columns_by_position(frame: Frame, key: Any) -> Any:
    count = len(frame.columns)
    if isinstance(key, slice):
        if not all(part is None or isinstance(part, (int, np.integer)) for part in (key.start, key.stop, key.step)):
            raise Refused("a slice of positions that are not integers")
        return columns_at(frame, range(count)[key])
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
        if not -count <= key < count:
            raise Refused(f"position {value_text(key)} is out of bounds")
        return frame.vector(int(key) % count)
    if isinstance(key, list) and all(isinstance(item, (int, np.integer)) and not isinstance(item, bool) and -count <= item < count for item in key):
        return columns_at(frame, [int(item) % count for item in key])
    raise Refused(f"columns by a key of type `{type(key).__name__}`")


def _rows_by_label(frame: Any, key: Any) -> Any:
    if _is_mask(key):
        return frame_masked(frame, key)
    if isinstance(key, slice):
        return _slice_of_labels(frame, key)
    if _is_labels(key):
        wanted = plain(key)
        _check_levels(frame)
        return rearranged(frame, lambda series: series.loc[wanted])
    if _is_label(key):
        _check_levels(frame)
        return rearranged(frame, lambda series: series.loc[key])
    raise Refused(f"rows by a key of type `{type(key).__name__}`")


def _check_levels(frame: Any) -> None:
    if len(frame.index.names) > 1:
        raise Refused("a MultiIndex")


def _slice_of_labels(frame: Any, key: slice) -> Any:
    labels = materialize.restored_index(frame.rows, frame.index)
    positions = _label_slice(frame, labels, key)
    start, stop, step = positions.indices(len(labels))
    if step == 1:
        return frame.sliced(start, max(0, stop - start))
    return at_positions(frame, np.arange(len(labels))[positions], labels[positions], view=True)


def _label_slice(frame: Any, labels: pandas.Index, key: slice) -> slice:
    """The positions of a slice of labels."""
    _check_levels(frame)
    if any(isinstance(part, (bool, np.bool_)) for part in (key.start, key.stop, key.step)):
        raise Refused("a slice of booleans")
    if isinstance(labels, pandas.RangeIndex) and not all(part is None or _is_position(part) for part in (key.start, key.stop, key.step)):
        raise Refused("a slice of labels that are not integers along a `RangeIndex`")
    try:
        positions = labels.slice_indexer(key.start, key.stop, key.step)
    except Exception as error:
        raise Refused("a slice for which pandas raises") from error
    if not isinstance(positions, slice):
        raise Refused("a slice of labels along an index that is not sorted")
    return positions


def _rows_by_position(frame: Any, key: Any) -> Any:
    if isinstance(key, slice):
        if not all(part is None or (isinstance(part, (int, np.integer)) and not isinstance(part, bool)) for part in (key.start, key.stop, key.step)):
            raise Refused("a slice of positions that are not integers")
        if key.step in (None, 1):
            return slice_rows(frame, key)
        try:
            return stepped(frame, key)
        except Refused:
            labels = materialize.restored_index(frame.rows, frame.index)
            return at_positions(frame, np.arange(len(labels))[key], labels[key], view=True)
    if _is_mask(key) and isinstance(key, np.ndarray):
        return frame_masked(frame, key)
    if _is_position(key):
        count = run.count(frame.rows)
        if not -count <= key < count:
            raise Refused(f"position {value_text(key)} is out of bounds")
        return row(frame, int(key) % count)
    if (isinstance(key, list) and all(_is_position(item) for item in key)) or (isinstance(key, np.ndarray) and key.ndim == 1 and key.dtype.kind in "iu"):
        return taken(frame, np.asarray(key, dtype=np.int64))
    raise Refused(f"rows by a key of type `{type(key).__name__}`")


def taken(frame: Any, positions: Any) -> Any:
    """The rows at positions, of which negative ones count from the end."""
    labels = materialize.restored_index(frame.rows, frame.index)
    count = len(labels)
    if len(positions) and (positions.min() < -count or positions.max() >= count):
        raise Refused("a position is out of bounds")
    positions = np.where(positions < 0, positions + count, positions)
    return at_positions(frame, positions, labels.take(positions))


def one_by_label(frame: Any, key: Any) -> Any:
    """`at[key]`."""
    if isinstance(frame, Vector):
        if not _is_label(key):
            raise Refused(f"a label of type `{type(key).__name__}`")
        _labels_stand_once(frame)
        return _rows_by_label(frame, key)
    if not isinstance(key, tuple) or len(key) != 2 or not all(_is_label(part) for part in key):
        raise Refused("a key that is not a pair of labels")
    return by_label(frame, key)


def one_by_position(frame: Any, key: Any) -> Any:
    """`iat[key]`."""
    if isinstance(frame, Vector):
        if not _is_position(key):
            raise Refused(f"a position of type `{type(key).__name__}`")
        return _rows_by_position(frame, key)
    if not isinstance(key, tuple) or len(key) != 2 or not all(_is_position(part) for part in key):
        raise Refused("a key that is not a pair of positions")
    return by_position(frame, key)


def is_in_place(key: Any, lazy: bool) -> bool:
    """Whether a value is best written in place, by pandas: to a single row, or to some that stand together, where the data are there."""
    first = key[0] if isinstance(key, tuple) and key else key
    if isinstance(first, slice):
        return not lazy and not _is_everything(first)
    return _is_label(first) or isinstance(first, (tuple, np.datetime64))


def put_by_label(frame: Any, key: Any, value: Any) -> Any:
    """What a frame or a vector is after `loc[key] = value`."""
    if isinstance(frame, Vector):
        return _put_rows(frame, _over_labels(frame, key), None, value)
    if isinstance(frame.labels, pandas.MultiIndex):
        raise Refused("MultiIndex columns")
    rows, columns = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
    if isinstance(columns, list) and columns and all(_is_name(item) for item in columns):
        labels = columns
    elif _is_name(columns):
        labels = [columns]
    elif _is_everything(columns):
        labels = list(frame.labels)
    else:
        raise Refused(f"columns by a key of type `{type(columns).__name__}`")
    over, predicate = _over_labels(frame, rows)
    if len(labels) == 1 and labels[0] not in frame.labels:
        return _new_masked(frame, over, predicate, labels[0], value)
    if len(set(labels)) != len(labels) or not all(label in frame.labels for label in labels):
        raise Refused("duplicate labels, or labels that are not columns")
    return _put_rows(frame, (over, predicate), [frame.position(label) for label in labels], value)


def put_by_position(frame: Any, key: Any, value: Any) -> Any:
    """What a frame or a vector is after `iloc[key] = value`."""
    if isinstance(frame, Vector):
        return _put_rows(frame, _over_positions(frame, key), None, value)
    rows, columns = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
    count = len(frame.columns)
    if isinstance(columns, slice) and all(part is None or _is_position(part) for part in (columns.start, columns.stop, columns.step)):
        positions = list(range(count)[columns])
    elif not isinstance(columns, slice) and _is_position(columns) and -count <= columns < count:
        positions = [int(columns) % count]
    elif isinstance(columns, list) and all(_is_position(item) and -count <= item < count for item in columns):
        positions = [int(item) % count for item in columns]
    else:
        raise Refused(f"columns by a key of type `{type(columns).__name__}`")
    if _is_everything(rows):
        raise Refused("all rows by position")
    return _put_rows(frame, _over_positions(frame, rows), positions, value)


def _is_name(key: Any) -> bool:
    return isinstance(key, (str, int, np.integer)) and not isinstance(key, bool)


def _over_labels(frame: Any, key: Any) -> tuple[Rows, Expression]:
    """Whether rows are chosen by labels or a mask, and the rows in which this can be seen."""
    if _is_mask(key):
        return mask_over(frame, key)
    if isinstance(key, slice) and not _is_everything(key) and key.step is None:
        labels = materialize.restored_index(frame.rows, frame.index)
        return frame.rows, _between(frame, *_label_slice(frame, labels, key).indices(len(labels))[:2])
    raise Refused("rows by a key that is not a boolean mask")


def _over_positions(frame: Any, key: Any) -> tuple[Rows, Expression]:
    if isinstance(key, np.ndarray) and _is_mask(key):
        return mask_over(frame, key)
    if isinstance(key, slice) and not _is_everything(key) and key.step is None and all(part is None or _is_position(part) for part in (key.start, key.stop)):
        start, stop, _ = key.indices(run.count(frame.rows))
        return frame.rows, _between(frame, start, stop)
    raise Refused("rows by a key that is not a slice")


def _between(frame: Any, start: int, stop: int) -> Expression:
    position = Ref(space_of(frame.rows).position)
    return call("and_", call("ge", position, Literal(start, ir.i64)), call("lt", position, Literal(stop, ir.i64)))


def _put_rows(frame: Any, chosen: tuple[Rows, Expression], positions: Any, value: Any) -> Any:
    over, predicate = chosen
    if isinstance(frame, Vector):
        over, column = _chosen(over, frame, frame.column, predicate, value)
        return Vector(over, column, frame.name, frame.index)
    if len(positions) != 1 and (isinstance(value, (BaseSeries, BaseDataFrame)) or is_list_like(value)):
        raise Refused("several values for several columns")
    columns = list(frame.columns)
    for position in positions:
        over, columns[position] = _chosen(over, frame, columns[position], predicate, value)
    return frame.with_columns(columns, rows=over)


def _chosen(over: Rows, frame: Any, column: Column, predicate: Expression, value: Any) -> tuple[Rows, Column]:
    """A column with other values where a predicate is true; refused where pandas would change its dtype, or complain."""
    column = materialize.decided(column)
    if column.unsupported or (types.is_masked(column.dtype) and not masked.holds(column.dtype, value)):
        raise Refused(f"dtype `{column.dtype}` has no native type, or does not hold the value")
    vector = vector_of(value)
    if vector is not None:
        _labels_stand_once(frame)
        over, other = aligned(over, frame.index, vector)
        other = materialize.decided(other)
        if other.unsupported or not kinds.same(other.dtype, column.dtype):
            raise Refused(f"values of dtype `{other.dtype}` in `{column.dtype}`")
        put: Expression = other.expression
    elif isinstance(value, (BaseDataFrame, np.ndarray, list, tuple, dict, set, pandas.Index, pandas.api.extensions.ExtensionArray)):
        raise Refused("an array of values for the selected rows")
    else:
        if literals.is_missing(value) and not elementwise.can_be_missing(value, column.dtype):
            raise Refused(f"a missing value in `{column.dtype}`")
        literal = literals.literal(value, column.dtype)
        type = types.type_of(column.dtype)
        assert type is not None
        put = Literal(literal.value, type)
    return over, column.at(call("select", predicate, put, column.expression))


def _labels_stand_once(frame: Any) -> None:
    """pandas brings values to the chosen rows by their labels, which it cannot where they are duplicates."""
    if isinstance(frame.index, ColumnLabels) and (frame.index.made is None or not frame.index.made.is_unique):
        raise Refused("index labels that may be duplicates")


def _new_masked(frame: Frame, over: Rows, predicate: Expression, label: Hashable, value: Any) -> Frame:
    """A new column, missing where a predicate is false."""
    if run.count(frame.rows) == 0:
        raise Refused("a new column of a frame without rows")
    vector = vector_of(value)
    if vector is not None:
        _labels_stand_once(frame)
        over, other = aligned(over, frame.index, vector)
        other = materialize.decided(other)
        if other.unsupported or not types.is_float(other.dtype):
            raise Refused(f"a new column of dtype `{other.dtype}`, which has no missing values")
        put, dtype = other.expression, other.dtype
    elif isinstance(value, float):
        dtype = types.FLOAT64
        put = literals.number(value, dtype)
    else:
        raise Refused(f"a new column of values of type `{type(value).__name__}`, which has no missing values")
    column = Column(call("select", predicate, put, literals.missing(dtype)), dtype)
    return frame.with_columns([*frame.columns, column], frame.labels.insert(len(frame.labels), label), over)


def put_by_mask(frame: Frame, mask: Any, value: Any) -> Frame:
    """What a frame is after `frame[mask] = value`: every column with the value where the mask is true."""
    if isinstance(value, (BaseDataFrame, BaseSeries)) or is_list_like(value):
        raise Refused("an array of values for the selected rows")
    over, predicate = mask_over(frame, mask)
    columns = []
    for column in frame.columns:
        over, made = _chosen(over, frame, column, predicate, value)
        columns.append(made)
    return frame.with_columns(columns, rows=over)


def put_by_masks(frame: Frame, masks: Frame, value: Any) -> Frame:
    """What a frame is after `frame[masks] = value`, where there is a mask for each column."""
    if isinstance(value, (BaseDataFrame, BaseSeries)) or is_list_like(value):
        raise Refused("an array of values for the selected cells")
    if not frame.labels.is_unique or not masks.labels.equals(frame.labels):
        raise Refused("a mask with other columns")
    over = frame.rows
    columns = []
    for column, mask in zip(frame.columns, masks.columns, strict=True):
        over, predicate = aligned(over, frame.index, Vector(masks.rows, mask, None, masks.index))
        if not types.is_bool(predicate.dtype) or predicate.unsupported:
            raise Refused("a mask that is not boolean")
        over, made = _chosen(over, frame, column, predicate.expression, value)
        columns.append(made)
    return frame.with_columns(columns, rows=over)

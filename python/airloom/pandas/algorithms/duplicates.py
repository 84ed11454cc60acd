"""Rows that stand once, and values that do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.sorting import renumbered
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Expression, Literal, Over, call, fold
from airloom.pandas.plan.frame import Column, Frame, RangeLabels, Vector
from airloom.pandas.plan.rows import Distinct
from airloom.pandas.refusals import Refused, value_text


def equal_key(column: Column) -> Expression:
    """What rows are compared by: equal where pandas takes values for the same."""
    column = elementwise.understood(materialize.decided(column))
    if column.dtype == types.OBJECT and not column.unsupported:
        raise Refused("lists, which pandas cannot tell apart")
    column = column.unwrapped()
    if column.unsupported:
        raise Refused(f"dtype `{column.dtype}` has no native type")
    return column.expression


def keys_of(frame: Frame, subset: Any) -> list[Expression]:
    """The columns that rows are compared by."""
    if subset is None:
        columns: Sequence[Column] = frame.columns
    else:
        labels = subset if isinstance(subset, (list, pandas.Index)) else [subset]
        if isinstance(subset, tuple) or not all(label in frame.labels for label in labels):
            raise Refused("`subset` with labels that are not columns")
        columns = [frame.column(label) for label in labels]
    if not columns:
        raise Refused("no columns to compare")
    return [equal_key(column) for column in columns]


def _keep(keep: Any) -> str:
    if isinstance(keep, str) and keep in ("first", "last"):
        return keep
    if keep is False:
        return "none"
    raise Refused(f"`keep={value_text(keep)}`")


@operation("DataFrame.drop_duplicates")
def drop_duplicates(frame: Frame, subset: Any = None, *, keep: Any = "first", inplace: bool = False, ignore_index: bool = False) -> Frame:
    if inplace or not isinstance(ignore_index, bool):
        raise Refused(f"`inplace=True`, or `ignore_index={value_text(ignore_index)}` is not boolean")
    keys = keys_of(frame, subset)
    kept = _keep(keep)
    if any(key.windowed for key in keys):
        raise Refused("duplicates by a window function: compute it before")
    counted = isinstance(frame.index, RangeLabels) and (frame.index.start, frame.index.step, frame.index.name) == (0, 1, None)
    if ignore_index and not counted and run.count(frame.rows) == 0:
        # pandas returns a frame without rows as it is, with its labels.
        raise Refused("a frame without rows, which keeps its index in spite of `ignore_index=True`")
    made = frame.moved(lambda rows: Distinct(rows, keys, kept))
    return renumbered(made) if ignore_index else made


@operation("Series.drop_duplicates")
def vector_drop_duplicates(vector: Vector, *, keep: Any = "first", inplace: bool = False, ignore_index: bool = False) -> Vector:
    if inplace or not isinstance(ignore_index, bool):
        raise Refused(f"`inplace=True`, or `ignore_index={value_text(ignore_index)}` is not boolean")
    key = equal_key(vector.column)
    kept = _keep(keep)
    if key.windowed:
        raise Refused("duplicates by a window function: compute it before")
    made = vector.moved(lambda rows: Distinct(rows, [key], kept, by_mask=True))
    return renumbered(made) if ignore_index else made


def _duplicated(keys: Sequence[Expression], keep: Any) -> Column:
    kept = _keep(keep)
    partition = tuple(keys)
    number = Over(fold("row_number", keys[0]), partition)
    if kept == "first":
        return Column(call("gt", number, Literal(0, ir.i64)), types.BOOL)
    count = Over(fold("count", keys[0], skip="none"), partition)
    if kept == "none":
        return Column(call("gt", count, Literal(1, ir.i64)), types.BOOL)
    return Column(call("lt", call("add", number, Literal(1, ir.i64)), count), types.BOOL)


@operation("DataFrame.duplicated")
def duplicated(frame: Frame, subset: Any = None, keep: Any = "first") -> Vector:
    return Vector(frame.rows, _duplicated(keys_of(frame, subset), keep), None, frame.index)


@operation("Series.duplicated")
def vector_duplicated(vector: Vector, keep: Any = "first") -> Vector:
    return Vector(vector.rows, _duplicated([equal_key(vector.column)], keep), vector.name, vector.index)


@operation("Series.unique")
def unique(vector: Vector) -> Any:
    from airloom.pandas.dispatch.wrapping import plain, wrap

    column = materialize.decided(vector.column)
    if elementwise.tells_zeros_apart(vector.rows, column):
        raise Refused(f"`unique` of `{column.dtype}` with negative zeros")
    kept = vector_drop_duplicates(Vector(vector.rows, column, vector.name, vector.index))
    return plain(wrap(renumbered(kept))).array if not types.is_number(kept.dtype) and kept.dtype != types.OBJECT else plain(wrap(renumbered(kept))).to_numpy(copy=True)


@operation("pandas.unique")
def unique_values(vector: Vector) -> Any:
    if not isinstance(vector, Vector):
        raise Refused("`unique` of a value that is not a Series")
    found = unique(vector)
    # The function gives what NumPy holds of timestamps, and the method what pandas does.
    return np.asarray(found) if isinstance(found.dtype, np.dtype) else found

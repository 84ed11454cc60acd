"""From plans to what pandas holds: managers, and indexes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
from pandas.core.internals.managers import BlockManager, SingleBlockManager

from airloom._native import Table
from airloom.pandas.data import engine, types
from airloom.pandas.data.capture import captured_frame, captured_vector
from airloom.pandas.data.held import Held, column_block, vector_block
from airloom.pandas.plan import run
from airloom.pandas.plan.expression import Call, Expression, Ref, Slot
from airloom.pandas.plan.frame import Column, Frame, Index, Keys, Positions, Undecided, Vector
from airloom.pandas.plan.rows import DataSlot, Rows, Space, space_of


def restored_frame(frame: Frame) -> tuple[BlockManager, Frame]:
    """The manager of a frame, and the frame over what is now in memory."""
    arrays, index = _computed(frame.rows, frame.columns, frame.index)
    blocks = [a.block(at) if isinstance(a, Held) else column_block(a, at) for at, a in enumerate(arrays)]
    manager = BlockManager(tuple(blocks), [frame.labels, index], verify_integrity=False)
    kept = captured_frame(manager)
    _keep(frame.rows, frame.columns, kept.rows, kept.columns)
    return manager, kept


def restored_vector(vector: Vector) -> tuple[SingleBlockManager, Vector]:
    """The manager of a vector, and the vector over what is now in memory."""
    (array,), index = _computed(vector.rows, (vector.column,), vector.index)
    manager = SingleBlockManager(array.single() if isinstance(array, Held) else vector_block(array), index)
    kept = captured_vector(manager, vector.name)
    _keep(vector.rows, (vector.column,), kept.rows, (kept.column,))
    return manager, kept


def restored_index(rows: Rows, index: Index) -> pandas.Index:
    """The labels of rows."""
    return _computed(rows, (), index)[1]


def decided(column: Column) -> Column:
    """A column whose dtype is known: by looking at the data, where it depends on them."""
    dtype = column.dtype
    if not isinstance(dtype, Undecided):
        return column
    if dtype.decided is None:
        from airloom.pandas.plan.expression import fold

        missing = run.value(dtype.rows, fold("any", dtype.missing))
        dtype.decided = dtype.widened if missing else dtype.plain
    return Column(_widened(column.expression, dtype), dtype.decided, column.held)


def _widened(expression: Expression, dtype: Undecided) -> Expression:
    from airloom import ir
    from airloom.pandas.plan.expression import call

    if dtype.decided is dtype.plain or dtype.decided == types.OBJECT:
        return expression
    return call("null_to_nan", call("cast", expression, to=ir.optional(types.type_of(dtype.decided))))


def _computed(rows: Rows, columns: Sequence[Column], index: Index) -> tuple[list[Any], pandas.Index]:
    """The arrays of columns, computed or as they are held, and the labels."""
    base = space_of(rows)
    arrays: list[Any] = [_standing(base, column) for column in columns]
    wanted: dict[str, Expression] = {}
    for at, column in enumerate(columns):
        if arrays[at] is None:
            wanted[f"c{at}"] = column.expression
    keys: tuple[Column, ...] = ()
    if isinstance(index, Keys) and index.made is None:
        keys = tuple(decided(key) for key in index.columns)
        if index.origin is not None:
            keys = (Column(index.origin[1], types.INT64),)
        wanted.update({f"k{at}": key.expression for at, key in enumerate(keys)})
    table: Table | None = None
    # Rows that are only counted are computed with what else is asked for, or by themselves.
    if wanted or (isinstance(index, Positions) and base.count is None):
        table = run.table(rows, wanted)
        base.count = table.num_rows
    for at, column in enumerate(columns):
        if arrays[at] is None:
            assert table is not None
            arrays[at] = _array(table, f"c{at}", column, rows)
    if isinstance(index, Positions):
        length = run.count(rows)
        return arrays, pandas.RangeIndex(index.start, index.start + index.step * length, index.step, name=index.name)
    if index.made is None:
        assert table is not None
        index.made = _labels(table, keys, index, rows)
    return arrays, index.made


def _standing(base: Rows, column: Column) -> Held | None:
    """What pandas holds of a column, where that is the column."""
    if not isinstance(base, Space) or isinstance(column.dtype, Undecided):
        return None
    expression = column.expression
    if not isinstance(expression, Ref):
        return None
    if column.held is not None:
        return column.held if expression.slot is base._position else None
    slot = expression.slot
    return slot.owner if isinstance(slot, DataSlot) and slot.space is base and slot.owner.dtype == column.dtype else None


def _array(table: Table, name: str, column: Column, rows: Rows) -> Any:
    dtype = column.dtype
    if isinstance(dtype, Undecided):
        if dtype.decided is None and space_of(dtype.rows) is space_of(rows) and (isinstance(column.expression, Ref) or _is_null_of(dtype, column)):
            dtype.decided = dtype.widened if table.null_count(name) else dtype.plain
        dtype = decided(column).dtype
    return engine.to_array(table, name, dtype, column.held)


def _is_null_of(dtype: Undecided, column: Column) -> bool:
    """Whether what decides is where the column's own values are null."""
    missing = dtype.missing
    return isinstance(missing, Call) and missing.op == "is_null" and missing.arguments[0] is column.expression


def _labels(table: Table, keys: Sequence[Column], index: Keys, rows: Rows) -> pandas.Index:
    arrays = [engine.to_array(table, f"k{at}", key.dtype, key.held) for at, key in enumerate(keys)]
    if len(arrays) > 1:
        return pandas.MultiIndex.from_arrays(arrays, names=index.names)
    (name,) = index.names
    labels = arrays[0]
    even = bool(index.ranged) and all(_even(step, keys[0], rows, labels) for step in reversed(index.ranged))
    if index.origin is not None:
        taken = index.origin[0].take(labels).rename(name)
        return taken if even or taken.freq is None else taken._with_freq(None)
    if even:
        return pandas.RangeIndex(0)._shallow_copy(labels, name=name)
    return pandas.Index(labels, name=name, dtype=keys[0].dtype, copy=False)


def _even(step: Rows, labels: Column, rows: Rows, known: Any) -> bool:
    """Whether labels were evenly spaced at some rows: then pandas had a range there."""
    if not _is_range(known):
        # What a range was cut to is a range.
        return False
    if space_of(step) is space_of(rows):
        return True
    found = run.table(step, {"k": labels.expression}).numpy("k", "int64")
    return _is_range(found)


def _is_range(labels: Any) -> bool:
    """Whether pandas makes a range of labels that were taken from one."""
    return isinstance(pandas.RangeIndex(0)._shallow_copy(labels), pandas.RangeIndex)


def _keep(rows: Rows, columns: Sequence[Column], space: Rows, kept: Sequence[Column]) -> None:
    """Remembers on rows that columns of theirs are in memory, so that what else was planned over them need not compute them again."""
    base = space_of(rows)
    if isinstance(base, Space):
        return
    assert isinstance(space, Space)
    places: dict[Slot, DataSlot] = {} if rows.kept is None or rows.kept[0] is not space else dict(rows.kept[1])
    for column, now in zip(columns, kept, strict=True):
        before = column.expression
        if isinstance(before, Ref) and isinstance(now.expression, Ref) and isinstance(now.expression.slot, DataSlot):
            if not isinstance(column.dtype, Undecided) or now.dtype == column.dtype.plain:
                places[before.slot] = now.expression.slot
    if places and (rows.kept is None or len(places) >= len(rows.kept[1])):
        rows.kept = (space, places)


def empty_like(dtype: Any) -> Any:
    """An empty array of a dtype: what pandas' own rules are asked with."""
    return np.empty(0, dtype) if isinstance(dtype, np.dtype) else dtype.construct_array_type()._from_sequence([], dtype=dtype)

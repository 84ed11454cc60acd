"""Rows at positions that are known: some of others, several times, or none where a position is -1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dtypes import types
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array, captured_column, captured_index
from airloom.pandas.internals.shared_array import DeferredTake, SharedArray, vector_block
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, DeferredDtype, Frame, Question, RangeLabels, Vector, evaluate_windows
from airloom.pandas.plan.rows import LookupJoin, MemoryRows, Rows, Sliced, looked_up_beside, space_of
from airloom.pandas.refusals import Refused


def at_positions(frame: Any, positions: Any, index: pandas.Index, *, view: bool = False) -> Any:
    """A frame or a vector of the rows at positions, with these labels: a copy, or a view where pandas has one."""
    space = MemoryRows(len(positions))
    columns = frame.columns if isinstance(frame, Frame) else (frame.column,)
    rows, made = gathered(space, space, frame.rows, columns, positions, view=view)
    labels = captured_index(space, index)
    return Frame(rows, made, frame.labels, labels) if isinstance(frame, Frame) else Vector(rows, made[0], frame.name, labels)


def gathered(over: Rows, space: MemoryRows, rows: Rows, columns: Sequence[Column], positions: Any, *, share: bool = True, view: bool = False) -> tuple[Rows, list[Column]]:
    """Columns of some rows, at positions, beside others that are `space` row for row. Without positions, each row stands beside the one at its own.

    With `share`, values that stand evenly in what is held are read from there, and not copied before an object is made of them; then too only with `view`, as pandas
    has a view where rows are chosen by a slice: `s.iloc[[1, 2]]` is a copy.
    """
    columns = [materialize.decided(column) for column in columns]
    base, offset = _in_memory(rows)
    in_order = positions is None
    whole = positions is None and offset == 0 and base.count == space.count
    positions = np.arange(space.count) if positions is None and not whole else positions
    missing = False
    if positions is not None:
        positions = np.ascontiguousarray(positions, dtype=np.int64)
        missing = bool(len(positions)) and bool(positions.min() < 0)
    shifted = positions if not offset else np.where(positions < 0, -1, positions + offset)
    step = 0 if positions is None or missing or not share else _step(shifted)
    made: list[Column | None] = []
    for column in columns:
        held = materialize.standing(base, column)
        if held is not None and positions is not None:
            held = _cut(held, shifted, step, view) if step else DeferredTake(held, shifted, missing)
        made.append(None if held is None else captured_column(space, held, "value"))
    rest = [at for at, column in enumerate(made) if column is None]
    if rest:
        below, found = evaluate_windows(rows, [columns[at] for at in rest])
        position = Ref(space.position) if in_order else captured_array(space, positions, "position").expression
        over, _, slots = looked_up_beside(over, [position], below, [Ref(space_of(below).position)], [column.expression for column in found])
        for at, slot in zip(rest, slots, strict=True):
            made[at] = absent(columns[at], Ref(slot)) if missing else present(columns[at], Ref(slot))
    return over, made  # type: ignore[return-value]


def _cut(held: SharedArray, positions: Any, step: int, view: bool) -> SharedArray:
    """Values at positions that follow one another evenly."""
    piece = held.cut(int(positions[0]), int(positions[-1]) + 1, step)
    return piece if view else piece.copied()


def _step(positions: Any) -> int:
    """How far apart positions stand that follow one another evenly: values there are a piece of what is held, and need not be copied. Of others, 0."""
    if len(positions) == 1:
        return 1
    if len(positions) < 2 or positions[1] <= positions[0] or positions[-1] - positions[0] != (positions[1] - positions[0]) * (len(positions) - 1):
        return 0
    step = int(positions[1] - positions[0])
    return step if bool((np.diff(positions) == step).all()) else 0


def _in_memory(rows: Rows) -> tuple[Rows, int]:
    """The rows in memory that these are the end of, and from which position on; or what they are."""
    base, offset = space_of(rows), 0
    while type(base) is Sliced and base.offset >= 0:
        offset += base.offset
        base = space_of(base.input)
    return (base, offset) if isinstance(base, MemoryRows) else (space_of(rows), 0)


def present(column: Column, found: Expression) -> Column:
    """A column of another side that is there in all rows, though its type says that it may not be."""
    if column.by_position:
        return column.at(call("coalesce", found, Literal(-1, ir.i64)))
    type = types.type_of(column.unwrapped().dtype)
    if type is None or (column.shown is not None and not type.nullable):
        raise Refused(f"`take` of dtype `{column.dtype}`")
    if type.nullable:
        return column.at(found)
    zero = Literal(False if types.is_bool(column.dtype) else 0.0 if types.is_float(column.dtype) else 0, type)
    return column.at(call("coalesce", found, zero))


def looked_up(column: Column, slot: Slot, looked: LookupJoin) -> Column:
    """A column of another side that rows have looked up: with the dtype that pandas has where a row has found nothing, and where all have."""
    if are_whole_intervals(column.dtype):
        return intervals(column.at(call("coalesce", Ref(slot), Literal(-1, ir.i64))), Question(looked, call("not_", Ref(looked.found))))
    if types.is_number(column.dtype) and not types.is_float(column.dtype):
        wide = types.OBJECT if types.is_bool(column.dtype) else types.FLOAT64
        return Column(Ref(slot), DeferredDtype(column.dtype, wide, Question(looked, call("not_", Ref(looked.found)))))
    return absent(column, Ref(slot))


def absent(column: Column, found: Expression) -> Column:
    """A column of another side that is missing in some rows: with the dtype that pandas then has."""
    dtype = column.dtype
    if column.by_position:
        if isinstance(dtype, np.dtype) and dtype != types.OBJECT:
            raise Refused(f"missing values in dtype `{dtype}`")
        made = column.at(call("coalesce", found, Literal(-1, ir.i64)))
        return _wide_intervals(made) if are_whole_intervals(dtype) else made
    if types.is_float(dtype):
        return column.at(call("null_to_nan", found))
    if types.is_category(dtype):
        width = types.type_of(dtype)
        assert width is not None
        return column.at(call("coalesce", found, Literal(-1, width)))
    if types.is_integer(dtype):
        return Column(call("null_to_nan", call("cast", found, to=ir.optional(ir.f64))), types.FLOAT64)
    if types.is_bool(dtype):
        return Column(found, types.OBJECT)
    if types.type_of(dtype) is None:
        raise Refused(f"missing values in dtype `{dtype}`")
    return column.at(found)


def are_whole_intervals(dtype: Any) -> bool:
    """Whether values are intervals of integers, none of which can be missing: pandas makes intervals of floats of all of them."""
    return isinstance(dtype, pandas.IntervalDtype) and dtype.subtype is not None and dtype.subtype.kind in "iu"


def intervals(column: Column, test: Question) -> Column:
    """Intervals of integers as pandas has them where one is missing, if one is: they stay so whichever rows are left of them."""
    wide = pandas.IntervalDtype(types.FLOAT64, closed=column.dtype.closed)
    decided = materialize.decided(Column(column.expression, DeferredDtype(column.dtype, wide, test), column.held))
    return column if decided.dtype is column.dtype else _wide_intervals(column)


def _wide_intervals(column: Column) -> Column:
    wide = pandas.IntervalDtype(types.FLOAT64, closed=column.dtype.closed)
    assert column.held is not None
    return Column(column.expression, wide, SharedArray(vector_block(column.held.array.astype(wide)), 0))


def positions_of(frame: Any, change: Callable[[Any], Any]) -> tuple[Any, pandas.Index] | int:
    """Where the rows of a result stand in a frame, and their labels; or one position. pandas' own rule, asked with a series of positions that has the frame's labels."""
    found = _asked(frame, change)
    return found if isinstance(found, int) else found[:2]


def _asked(frame: Any, change: Callable[[Any], Any]) -> tuple[Any, pandas.Index, bool] | int:
    """The same, and whether pandas' result is a view of what it was asked with."""
    index = materialize.restored_index(frame.rows, frame.index)
    given = np.arange(len(index))
    series = adopted(BaseSeries(given, index=index, copy=False))
    made = ask_pandas(lambda: change(series))
    if isinstance(made, BaseSeries):
        positions = made.to_numpy()
        view = np.may_share_memory(positions, given)
        if positions.dtype.kind == "f":
            positions = np.where(np.isnan(positions), -1, positions).astype(np.int64)
        if positions.dtype.kind not in "iu":
            raise Refused("positions that are not integers")
        return positions, made.index, view
    if isinstance(made, (int, np.integer)) and not isinstance(made, bool):
        return int(made)
    raise Refused("positions that are not a Series")


def rearranged(frame: Any, change: Callable[[Any], Any]) -> Any:
    """The rows of a frame or a vector as pandas would have them after a change of a series with the same labels; a row or a value, where it gives one position."""
    found = _asked(frame, change)
    if isinstance(found, int):
        return row(frame, found)
    positions, index, view = found
    return at_positions(frame, positions, index, view=view)


def row(frame: Any, position: int) -> Any:
    """The row at a position as a series of pandas', or the value there of a vector."""
    cut = frame.sliced(position, 1)
    if isinstance(cut, Vector):
        manager, _ = materialize.restored_vector(Vector(cut.rows, cut.column, None, RangeLabels()))
        series = BaseSeries._from_mgr(manager, manager.axes)
        if len(series) != 1:
            raise Refused("the position is out of bounds")
        return series.array[0]
    manager, _ = materialize.restored_frame(cut)
    one = BaseDataFrame._from_mgr(manager, manager.axes)
    if len(one) != 1:
        raise Refused("the position is out of bounds")
    return one.iloc[0]


def relabelled(frame: Any, index: pandas.Index) -> Any:
    """The same rows with other labels, which are known."""
    base = space_of(frame.rows)
    if not isinstance(base, MemoryRows) or base.count != len(index):
        raise Refused("a new index beside rows that are not computed yet, or of another length")
    labels = captured_index(base, index)
    return Frame(frame.rows, frame.columns, frame.labels, labels) if isinstance(frame, Frame) else Vector(frame.rows, frame.column, frame.name, labels)

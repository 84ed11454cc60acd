"""Values that only move: pandas is asked with frames whose values are numbers of positions, and what it makes of them says where each value of the result stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas
from pandas.core.construction import ensure_wrapped_if_datetimelike
from pandas.core.dtypes.cast import find_common_type, maybe_promote

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.prototypes import ask_pandas, settled
from airloom.pandas.algorithms.stack import stacked_column
from airloom.pandas.algorithms.take import gathered, row
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.choice import settings
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array, captured_column, captured_index
from airloom.pandas.internals.shared_array import DeferredTake
from airloom.pandas.plan.expression import Expression, Literal, Slot, call
from airloom.pandas.plan.frame import Column, Frame, RangeLabels, Vector
from airloom.pandas.plan.rows import Concatenated, MemoryRows, Rows, space_of
from airloom.pandas.refusals import Refused, Stays

#: What stands for a value that is put in where there is none.
FILLED = -2
#: At most this many values of several kinds are held as objects of Python.
MOST_OBJECTS = 100_000


class Source(NamedTuple):
    """A column of a piece: the rows it stands over, how many they are, and the number of its first position."""

    rows: Rows
    column: Column
    length: int
    start: int


def in_memory(plan: Any) -> Any:
    """A plan with known dtypes over rows in memory: labels must be known before values can move, and both are computed at once."""
    base = space_of(plan.rows)
    if not isinstance(base, MemoryRows) and base.count is not None and base.count < settings.threshold:
        raise Stays("few rows")
    plan = settled(plan)
    if isinstance(base, MemoryRows):
        return plan
    return materialize.restored_frame(plan)[1] if isinstance(plan, Frame) else materialize.restored_vector(plan)[1]


def coded(plan: Any, start: int = 0, index: pandas.Index | None = None) -> Any:
    """A frame or a series of pandas' with the labels of a plan, whose values are the numbers of positions, column after column."""
    index = materialize.restored_index(plan.rows, plan.index) if index is None else index
    count = len(index)
    if isinstance(plan, Vector):
        return adopted(BaseSeries(np.arange(start, start + count), index=index, name=plan.name))
    width = len(plan.columns)
    codes = np.arange(start, start + count * width).reshape(width, count).T
    return adopted(BaseDataFrame(codes, index=index, columns=plan.labels, copy=False))


def sources(pieces: Sequence[Any]) -> list[Source]:
    """The columns of pieces, in the order in which `coded` numbers their positions."""
    found = []
    start = 0
    for piece in pieces:
        count = space_of(piece.rows).count
        assert count is not None
        for column in piece.columns if isinstance(piece, Frame) else (piece.column,):
            found.append(Source(piece.rows, column, count, start))
            start += count
    return found


def bare(plan: Any) -> Any:
    """What pandas holds of a plan that has no values, as it has no rows or no columns; none of one that has some."""
    if space_of(plan.rows).count != 0 and not (isinstance(plan, Frame) and not plan.columns):
        return None
    manager = materialize.restored_frame(plan)[0] if isinstance(plan, Frame) else materialize.restored_vector(plan)[0]
    if isinstance(plan, Frame):
        return adopted(BaseDataFrame._from_mgr(manager, manager.axes))
    made = BaseSeries._from_mgr(manager, manager.axes)
    made.name = plan.name
    return adopted(made)


def relocated(plan: Any, change: Callable[[Any], Any], dtype: Any = None) -> Any:
    """What a change of labels makes of a plan: `change` is pandas' own, of a frame or a series of positions."""
    plan = in_memory(plan)
    empty = bare(plan)
    if empty is not None:
        return ask_pandas(lambda: change(empty))
    codes = coded(plan)
    result = ask_pandas(lambda: change(codes))
    return viewed(rebuilt(sources([plan]), result, dtype), codes, result)


def _check_objects(column: Column, positions: Any, target: Any) -> None:
    """Refuses integers among missing values that become objects: they are integers there, and not the floats that they would be by themselves."""
    if target is not None and target == types.OBJECT and types.is_integer(column.dtype) and (positions == -1).any():
        raise Refused("integers among missing values that become objects")


def viewed(made: Any, codes: Any, result: Any) -> Any:
    """What is made of values as pandas makes `result` of their codes: where that is no view, neither is this."""
    if not isinstance(result, (BaseDataFrame, BaseSeries)) or any(np.may_share_memory(one.values, other.values) for one in codes._mgr.blocks for other in result._mgr.blocks):
        return made
    return made.with_columns([column.copy() for column in made.columns]) if isinstance(made, Frame) else Vector(made.rows, made.column.copy(), made.name, made.index)


def rebuilt(found: Sequence[Source], result: Any, dtype: Any = None, fill: Any = None, beside: Frame | Vector | None = None) -> Any:
    """The values at the positions in a result of pandas', with its labels.

    `dtype` says what columns become, given their number; where it says nothing, a column is what values and what is missing make it. `fill` is the value that stands where
    a position is `FILLED`. With `beside`, the result stands over its rows, which have the same labels.
    """
    if isinstance(result, (int, float, np.number)):
        return _single(found, result)
    if not isinstance(result, (BaseDataFrame, BaseSeries)):
        raise Refused("an operation that returns neither a DataFrame nor a Series")
    if beside is None:
        space = MemoryRows(len(result.index))
        making = _Making(found, space, space)
        index = captured_index(space, result.index)
    else:
        base = space_of(beside.rows)
        assert isinstance(base, MemoryRows)
        making = _Making(found, base, beside.rows)
        index = beside.index
    alone = isinstance(result, BaseSeries)
    codes = [result.to_numpy()] if alone else [result.iloc[:, at].to_numpy() for at in range(len(result.columns))]
    columns = making.columns([_numbers(one) for one in codes], [None if dtype is None else dtype(at) for at in range(len(codes))], fill)
    if alone:
        return Vector(making.over, columns[0], result.name, index)
    return Frame(making.over, columns, result.columns, index)


def at_filled_positions(frame: Any, positions: Any, fill: Any) -> Any:
    """The rows of a frame or a vector at positions, with a value where a position is `FILLED`; the labels are those of the positions."""
    if isinstance(frame, Vector):
        framed = at_filled_positions(Frame(frame.rows, (frame.column,), pandas.Index([0]), frame.index), positions, fill)
        return Vector(framed.rows, framed.columns[0], frame.name, framed.index)
    space = MemoryRows(len(positions))
    making = _Making(sources([frame]), space, space)
    where = _numbers(positions.to_numpy())
    held = [materialize.standing(space_of(frame.rows), column) for column in frame.columns]
    if not (where == -1).any() and all(one is not None and _takes(one.dtype, fill) for one in held):
        shifted, missing = np.where(where < 0, -1, where), bool((where < 0).any())
        taken = [captured_column(space, DeferredTake(one, shifted, missing, promoted(one.dtype, fill)[1] if missing else fill), "value") for one in held if one is not None]
        return Frame(space, taken, frame.labels, captured_index(space, positions.index))
    codes = [np.where(where >= 0, where + source.start, where) for source in making.found]
    columns = making.columns(codes, [None] * len(codes), fill)
    return Frame(making.over, columns, frame.labels, captured_index(space, positions.index))


def _takes(dtype: Any, fill: Any) -> bool:
    """Whether values of a dtype may be numbers with a number among them."""
    return types.is_number(dtype) and not types.is_bool(dtype) and literals.is_number(fill)


def _numbers(codes: Any) -> Any:
    if codes.dtype.kind == "f":
        codes = np.where(np.isnan(codes), -1, codes).astype(np.int64)
    if codes.dtype.kind not in "iu":
        raise Refused("positions that are not integers")
    return codes


def _single(found: Sequence[Source], code: Any) -> Any:
    if code != code:
        raise Refused("no position")
    source = found[int(np.searchsorted([s.start for s in found], int(code), side="right")) - 1]
    return row(Vector(source.rows, source.column, None, RangeLabels()), int(code) - source.start)


class _Making:
    """Columns of a result over new rows."""

    def __init__(self, found: Sequence[Source], space: MemoryRows, over: Rows) -> None:
        self.found = found
        self.space = space
        self.over = over
        self.starts = np.array([source.start for source in found], dtype=np.int64)
        self.stacks: dict[Any, Vector] = {}

    def columns(self, codes: Sequence[Any], targets: Sequence[Any], fill: Any) -> list[Column]:
        """The columns of the values at some positions: those of the same rows at the same positions are gathered together."""
        made: list[Column | None] = [None] * len(codes)
        waiting: dict[tuple[Rows, int], tuple[Any, list[tuple[int, Column]]]] = {}
        shared: list[Any] = []
        for at, (one, target) in enumerate(zip(codes, targets, strict=True)):
            source = self._only(one)
            if source is None or (one == FILLED).any():
                made[at] = self.column(one, target, fill)
                continue
            positions = np.where(one >= 0, one - source.start, one)
            _check_objects(source.column, positions, target)
            known = next((other for other in shared[-2:] if np.array_equal(other, positions)), None)
            if known is None:
                shared.append(positions)
                known = positions
            waiting.setdefault((source.rows, id(known)), (known, []))[1].append((at, source.column))
        for (rows, _), (positions, wanted) in waiting.items():
            positions = _everywhere(positions, space_of(rows).count)
            self.over, found = gathered(self.over, self.space, rows, [column for _, column in wanted], positions)
            for (at, _), column in zip(wanted, found, strict=True):
                made[at] = column if targets[at] is None else self._as(column, targets[at])
        return made  # type: ignore[return-value]

    def _only(self, codes: Any) -> Source | None:
        """The source that all positions are in, where they are in one."""
        if not len(codes) or codes.max() < 0:
            return None
        highest = int(codes.max())
        source = self.found[int(np.searchsorted(self.starts, highest, side="right")) - 1]
        least = int(codes.min())
        if least < 0:
            least = int(codes[codes >= 0].min())
        return source if least >= source.start else None

    def column(self, codes: Any, target: Any, fill: Any) -> Column:
        """The column of the values at some positions."""
        there = codes >= 0
        if not there.any():
            return self._nothing(codes, target, fill)
        which = np.searchsorted(self.starts, codes, side="right") - 1
        used = np.unique(which[there])
        chosen = [self.found[at] for at in used.tolist()]
        if len(chosen) == 1:
            positions = np.where(there, codes - chosen[0].start, codes)
            _check_objects(chosen[0].column, positions, target)
            made = self._taken(chosen[0].rows, chosen[0].column, positions, fill)
        else:
            wanted = ask_pandas(lambda: find_common_type([source.column.dtype for source in chosen])) if target is None else target
            stack, offsets = self._stack(tuple(used.tolist()), wanted)
            shift = np.zeros(len(self.found), dtype=np.int64)
            shift[used] = offsets - self.starts[used]
            positions = np.where(there, codes + shift[which], codes)
            made = self._taken(stack.rows, stack.column, positions, fill, share=False)
        return made if target is None else self._as(made, target)

    def _nothing(self, codes: Any, target: Any, fill: Any) -> Column:
        """A column without a value of anybody's."""
        if len(codes) and (codes == FILLED).all():
            if target is None:
                raise Refused("a column of filled values only")
            made = elementwise.fits(fill, target)
            type = types.type_of(target)
            if made is None or type is None:
                raise Refused("a column of filled values only")
            return Column(Literal(made.value, type), target)
        if target is None:
            target = types.FLOAT64
            if len(codes) == 0:
                (target, *others) = kinds.distinct(source.column.dtype for source in self.found)
                if others:
                    raise Refused("a column of no values, whose dtype several columns decide")
        if len(codes) == 0:
            return captured_array(self.space, ensure_wrapped_if_datetimelike(materialize.empty_like(target)), "values")
        if target == types.OBJECT:
            return captured_array(self.space, np.full(len(codes), np.nan, dtype=object), "values")
        type = types.type_of(target)
        if isinstance(target, pandas.IntervalDtype) and target.subtype.kind in "iu":
            raise Refused("intervals of integers, none of which is missing")
        if type is None:
            return captured_array(self.space, target.construct_array_type()._from_sequence([None] * len(codes), dtype=target), "values")
        return Column(Literal(literals.missing(target).value, type), target)

    def _taken(self, rows: Rows, column: Column, positions: Any, fill: Any, *, share: bool = True) -> Column:
        filled = positions == FILLED
        if not filled.any():
            self.over, (made,) = gathered(self.over, self.space, rows, (column,), _everywhere(positions, space_of(rows).count), share=share)
            return made
        if (positions == -1).any():
            raise Refused("filled values beside missing ones")
        self.over, (made,) = gathered(self.over, self.space, rows, (column,), np.where(filled, 0, positions))
        dtype, put = _with(made, fill)
        made = made if kinds.same(made.dtype, dtype) else Column(literals.cast(made.expression, made.dtype, dtype), dtype)
        gone = captured_array(self.space, filled, "filled").expression
        return made.at(elementwise.select(gone, put, made.expression))

    def _stack(self, used: tuple[int, ...], dtype: Any) -> tuple[Vector, Any]:
        """Columns one after the other as one, computed once; and where each begins there."""
        chosen = [self.found[at] for at in used]
        offsets = np.cumsum([0, *(source.length for source in chosen[:-1])])
        stack = self.stacks.get((used, kinds.Kind(dtype)))
        if stack is None:
            stack = self.stacks[used, kinds.Kind(dtype)] = _together(chosen, dtype)
        return stack, offsets

    def _as(self, column: Column, target: Any) -> Column:
        """A column in the dtype that pandas has for it."""
        if kinds.same(column.dtype, target):
            return column
        if not column.unsupported and types.is_number(column.dtype) and types.is_number(target):
            return Column(literals.cast(column.expression, column.dtype, target), target)
        if types.is_bool(column.dtype) and target == types.OBJECT and not column.unsupported:
            return Column(call("cast", column.expression, to=ir.optional(ir.bool_)), target)
        if target == types.OBJECT:
            values = _objects(Vector(self.over, column, None, RangeLabels()), self.space.count)
            return captured_array(self.space, values, "values")
        raise Refused(f"values of `{column.dtype}` that become `{target}`")


def _together(chosen: Sequence[Source], dtype: Any) -> Vector:
    """Columns one after the other as one column in memory."""
    parts = [source.column for source in chosen]
    slot = Slot("value")
    try:
        column, values = stacked_column(parts, dtype, slot)
    except Refused:
        if dtype != types.OBJECT:
            raise
        count = sum(source.length for source in chosen)
        arrays = [_objects(Vector(source.rows, source.column, None, RangeLabels()), count) for source in chosen]
        space = MemoryRows(count)
        return Vector(space, captured_array(space, np.concatenate(arrays), "values"), None, RangeLabels())
    rows = Concatenated([slot], [(source.rows, [value]) for source, value in zip(chosen, values, strict=True)])
    return materialize.restored_vector(Vector(rows, column, None, RangeLabels()))[1]


def _objects(vector: Vector, count: int) -> Any:
    """The values of a column as objects of Python."""
    if count > MOST_OBJECTS:
        raise Refused(f"more than {MOST_OBJECTS} values of several dtypes in one column")
    manager, _ = materialize.restored_vector(vector)
    return BaseSeries._from_mgr(manager, manager.axes).astype(object).to_numpy()


def _everywhere(positions: Any, count: int | None) -> Any:
    """The positions, or nothing where each row stands at its own."""
    if count == len(positions) and np.array_equal(positions, np.arange(count)):
        return None
    return positions


def promoted(dtype: Any, fill: Any) -> tuple[Any, Any]:
    """The dtype that an array has with a value put into it, and the value. Refused where that is another one for anything but NaN: pandas warns of it."""
    if isinstance(fill, (float, np.floating)) and float(fill).is_integer():
        fill = int(fill)
    wide, value = ask_pandas(lambda: maybe_promote(dtype, fill))
    if not kinds.same(wide, dtype) and not (isinstance(value, (float, np.floating)) and np.isnan(value) and types.is_number(dtype)):
        raise Refused(f"a `fill_value` that is not of dtype `{dtype}`")
    return wide, value


def _with(column: Column, fill: Any) -> tuple[Any, Expression]:
    """The dtype that a column has with another value in it, and the value."""
    column = elementwise.known(column)
    dtype, value = column.dtype, fill
    if isinstance(dtype, np.dtype):
        dtype, value = promoted(dtype, fill)
    made = literals.literal(value, dtype)
    type = types.type_of(dtype)
    assert type is not None
    return dtype, Literal(made.value, type)

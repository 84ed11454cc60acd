"""Every `n`-th row."""

from __future__ import annotations

from typing import Any

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_column, captured_index
from airloom.pandas.plan.expression import Expression, Literal, Ref, call
from airloom.pandas.plan.frame import ColumnLabels, Frame, RangeLabels, Vector, evaluate_windows, moved
from airloom.pandas.plan.rows import Filtered, MemoryRows, Rows, space_of
from airloom.pandas.refusals import Refused


def stepped(plan: Any, key: slice) -> Any:
    """The rows of a slice with a step: a view of what is in memory, as pandas has it, and otherwise a filter on the number of the row."""
    count = plan.rows.count
    if count is None:
        raise Refused("a slice with a step of rows that are not counted yet")
    positions = range(*key.indices(count))
    if not len(positions):
        raise Refused("a slice with a step, of no rows")
    columns = [plan.column] if isinstance(plan, Vector) else list(plan.columns)
    index = plan.index
    if isinstance(plan.rows, MemoryRows) and (isinstance(index, RangeLabels) or index.made is not None):
        found = [materialize.standing(plan.rows, column) for column in columns]
        if all(held is not None for held in found):
            return _view(plan, found, positions)
    if positions.step < 0 or (isinstance(index, ColumnLabels) and (index.ranged or index.origin is not None or index.made is not None)):
        raise Refused("a slice with a negative step, or with a step along an index other than a `RangeIndex`")
    last = positions[-1] if positions[-1] + positions.step < count else None
    return every(plan, positions.step, positions.start, last)


def _view(plan: Any, found: list[Any], positions: range) -> Any:
    space = MemoryRows(len(positions))
    stop: int | None = positions[-1] + (1 if positions.step > 0 else -1)
    stop = None if stop == -1 else stop
    columns = [captured_column(space, held.cut(positions.start, stop, positions.step), "value") for held in found]
    index: Any = plan.index
    if isinstance(index, RangeLabels):
        index = RangeLabels(index.start + index.step * positions.start, index.step * positions.step, index.name)
    else:
        index = captured_index(space, index.made[slice(positions.start, stop, positions.step)])
    return Vector(space, columns[0], plan.name, index) if isinstance(plan, Vector) else Frame(space, columns, plan.labels, index)


def every(plan: Any, step: int, start: int = 0, last: int | None = None) -> Any:
    """Every `n`-th row from one on, to one where there are more: a filter on the number of the row."""
    columns = [plan.column] if isinstance(plan, Vector) else list(plan.columns)

    def make(below: Rows) -> Rows:
        position = Ref(space_of(below).position)
        chosen: Expression = call("eq", call("floormod", position, Literal(step, ir.i64)), Literal(start % step, ir.i64))
        if start >= step:
            chosen = elementwise.both(chosen, call("ge", position, Literal(start, ir.i64)))
        if last is not None:
            chosen = elementwise.both(chosen, call("le", position, Literal(last, ir.i64)))
        above = Filtered(below, chosen)
        if below.count is not None:
            above.count = len(range(start, below.count if last is None else last + 1, step))
        return above

    index: Any = plan.index
    if isinstance(index, RangeLabels):
        rows, columns = evaluate_windows(plan.rows, columns)
        rows, index = make(rows), RangeLabels(index.start + index.step * start, index.step * step, index.name)
    else:
        made = index.made
        rows, columns, index = moved(plan.rows, columns, index, make, False)
        if made is not None:
            index.made = made[start : None if last is None else last + 1 : step]
    return Vector(rows, columns[0], plan.name, index) if isinstance(plan, Vector) else Frame(rows, columns, plan.labels, index)

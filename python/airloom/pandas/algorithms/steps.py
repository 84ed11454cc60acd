"""Every so many-th row."""

from __future__ import annotations

from typing import Any

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_column, captured_index
from airloom.pandas.plan.expression import Expression, Literal, Ref, call
from airloom.pandas.plan.frame import Frame, Keys, Positions, Vector, moved, pinned
from airloom.pandas.plan.rows import Filtered, Rows, Space, space_of
from airloom.pandas.refusals import Refused


def stepped(plan: Any, key: slice) -> Any:
    """The rows of a slice with a step: a view of what is in memory, as pandas has it, and otherwise a filter on the number of the row."""
    count = plan.rows.count
    if count is None:
        raise Refused("a slice with a step of rows that are not counted yet")
    places = range(*key.indices(count))
    if not len(places):
        raise Refused("a slice with a step, of no rows")
    columns = [plan.column] if isinstance(plan, Vector) else list(plan.columns)
    index = plan.index
    if isinstance(plan.rows, Space) and (isinstance(index, Positions) or index.made is not None):
        found = [materialize.standing(plan.rows, column) for column in columns]
        if all(held is not None for held in found):
            return _view(plan, found, places)
    if places.step < 0 or (isinstance(index, Keys) and (index.ranged or index.origin is not None or index.made is not None)):
        raise Refused("a slice with a negative step, or with a step along an index other than a `RangeIndex`")
    last = places[-1] if places[-1] + places.step < count else None
    return every(plan, places.step, places.start, last)


def _view(plan: Any, found: list[Any], places: range) -> Any:
    space = Space(len(places))
    stop: int | None = places[-1] + (1 if places.step > 0 else -1)
    stop = None if stop == -1 else stop
    columns = [captured_column(space, held.cut(places.start, stop, places.step), "value") for held in found]
    index: Any = plan.index
    if isinstance(index, Positions):
        index = Positions(index.start + index.step * places.start, index.step * places.step, index.name)
    else:
        index = captured_index(space, index.made[slice(places.start, stop, places.step)])
    return Vector(space, columns[0], plan.name, index) if isinstance(plan, Vector) else Frame(space, columns, plan.labels, index)


def every(plan: Any, step: int, start: int = 0, last: int | None = None) -> Any:
    """Every so many-th row from one on, to one where there are more: a filter on the number of the row."""
    columns = [plan.column] if isinstance(plan, Vector) else list(plan.columns)

    def make(below: Rows) -> Rows:
        place = Ref(space_of(below).position)
        chosen: Expression = call("eq", call("floormod", place, Literal(step, ir.i64)), Literal(start % step, ir.i64))
        if start >= step:
            chosen = elementwise.both(chosen, call("ge", place, Literal(start, ir.i64)))
        if last is not None:
            chosen = elementwise.both(chosen, call("le", place, Literal(last, ir.i64)))
        above = Filtered(below, chosen)
        if below.count is not None:
            above.count = len(range(start, below.count if last is None else last + 1, step))
        return above

    index: Any = plan.index
    if isinstance(index, Positions):
        rows, columns = pinned(plan.rows, columns)
        rows, index = make(rows), Positions(index.start + index.step * start, index.step * step, index.name)
    else:
        made = index.made
        rows, columns, index = moved(plan.rows, columns, index, make, False)
        if made is not None:
            index.made = made[start : None if last is None else last + 1 : step]
    return Vector(rows, columns[0], plan.name, index) if isinstance(plan, Vector) else Frame(rows, columns, plan.labels, index)

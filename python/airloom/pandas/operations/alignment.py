"""Bringing two operands to the same rows, as pandas aligns them by labels."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas

from airloom.pandas.data import kinds, restore, types
from airloom.pandas.data.capture import captured_array, captured_index
from airloom.pandas.face import dispatch
from airloom.pandas.operations import gather
from airloom.pandas.plan import run, walk
from airloom.pandas.plan.expression import Expression, Ref, Slot
from airloom.pandas.plan.frame import (
    Column,
    Frame,
    Index,
    Refused,
    Vector,
    label_columns,
    pinned,
    together,
)
from airloom.pandas.plan.index import Relation, relation
from airloom.pandas.plan.rows import DataSlot, Extended, Looked, Rows, Sliced, Space, sees, space_of


def vector_of(value: Any) -> Vector | None:
    """The plan of a series; none of anything else."""
    if isinstance(value, dispatch.BaseSeries):
        plan = dispatch.plan_of(value)
        assert isinstance(plan, Vector)
        return plan
    return None


def aligned(rows: Rows, index: Index, other: Vector) -> tuple[Rows, Column]:
    """The column of another vector over these rows, where its labels are the same; and the rows in which both can be seen."""
    related = relation(rows, index, other.rows, other.index)
    if related is Relation.SAME:
        both = together(rows, other.rows)
        assert both is not None
        return both, other.column
    if related is Relation.EQUAL:
        base, far = space_of(rows), space_of(other.rows)
        assert isinstance(base, Space)
        if isinstance(far, Space) and not other.column.opaque:
            return transplanted(rows, other, far, base)
        over, (column,) = gather.gathered(rows, base, other.rows, (other.column,), None)
        return over, column
    raise Refused("the labels of the rows are not known to be the same")


def transplanted(rows: Rows, other: Vector, far: Space, base: Space) -> tuple[Rows, Column]:
    """The column of a vector in another place in memory over these rows, with what was added to its rows on the way."""
    added = []
    node = other.rows
    while node is not far:
        added.append(node)
        below = node.passes
        assert below is not None
        node = below
    made = rows
    places: dict[Slot, Slot] = {}
    for addition in reversed(added):
        if isinstance(addition, Looked):
            found = places[addition.found] = Slot(addition.found.name)
            slots = {slot: Slot(slot.name) for slot in addition.columns}
            places.update(slots)
            keys = [replaced(into(key, far, base), places) for key in addition.keys]
            columns = {slots[slot]: expression for slot, expression in addition.columns.items()}
            made = Looked(made, keys, addition.other, addition.other_keys, columns, found, any_of=addition.any_of)
        elif isinstance(addition, Extended):
            slots = {slot: Slot(slot.name) for slot in addition.columns}
            computed = {slots[slot]: replaced(into(expression, far, base), places) for slot, expression in addition.columns.items()}
            places.update(slots)
            made = Extended(made, computed)
        else:
            raise Refused("the labels of the rows are not known to be the same")
    return made, other.column.at(replaced(into(other.column.expression, far, base), places))


def fitted(rows: Rows, index: Index, other: Vector) -> tuple[Rows, Column]:
    """The column of another vector over these rows, each value found by its label: missing where there is none."""
    try:
        return aligned(rows, index, other)
    except Refused:
        column = other.column
        if (
            relation(rows, index, other.rows, other.index) is Relation.WITHIN
            and not column.expression.windowed
            and sees(rows, column.expression.slots)
            and has_rows(rows)
        ):
            return rows, column
        labels = restore.restored_index(other.rows, other.index)
        if not labels.is_unique:
            raise Refused("duplicate labels") from None
    if not has_rows(rows):
        raise Refused("a frame without rows, which takes on the labels of what is put in")
    base = space_of(rows)
    if isinstance(base, Space):
        wanted = restore.restored_index(rows, index)
        if labels.nlevels != wanted.nlevels:
            raise Refused("labels of different levels, of which pandas finds one in the other by name")
        try:
            places = None if labels.equals(wanted) else labels.get_indexer(wanted)
        except (TypeError, ValueError) as error:
            raise Refused("labels that pandas cannot find") from error
        over, (column,) = gather.gathered(rows, base, other.rows, (other.column,), places)
        return over, column
    return _looked(rows, index, other)


def has_rows(rows: Rows) -> bool:
    """Whether there is any row; looked at where it is not known."""
    count = space_of(rows).count
    return bool(run.table(Sliced(rows, 0, 1), {}).num_rows if count is None else count)


def _looked(rows: Rows, index: Index, other: Vector) -> tuple[Rows, Column]:
    """The same where rows are not computed yet: the values are looked up as they are."""
    mine = [restore.decided(key) for key in label_columns(rows, index)]
    theirs = [restore.decided(key) for key in label_columns(other.rows, other.index)]
    if len(mine) != 1 or len(theirs) != 1 or mine[0].opaque or theirs[0].opaque or not kinds.same(mine[0].dtype, theirs[0].dtype) or types.is_category(mine[0].dtype):
        raise Refused("labels of another kind")
    column = restore.decided(other.column)
    below, (key, value) = pinned(other.rows, [theirs[0], column])
    above, (sought,) = pinned(rows, [mine[0]])
    slot, found = Slot("value"), Slot("found")
    looked = Looked(above, [sought.expression], below, [key.expression], {slot: value.expression}, found, any_of=False)
    return looked, gather.looked_up(column, slot, looked)


def united(left: Any, right: Any) -> tuple[Any, Any]:
    """Two frames or vectors over the union of their labels, each missing where it has no such label."""
    # Views, as pandas drops the frequency of an index that it joins where the result has none.
    mine, theirs = restore.restored_index(left.rows, left.index).view(), restore.restored_index(right.rows, right.index).view()
    if {mine.dtype == types.OBJECT, theirs.dtype == types.OBJECT} == {True, False} and (types.is_time(mine.dtype) or types.is_time(theirs.dtype)):
        raise Refused("objects beside instants, of which pandas may warn")
    if mine.equals(theirs):
        index, left_places, right_places = mine, None, None
    else:
        try:
            index, left_places, right_places = mine.join(theirs, how="outer", return_indexers=True)
        except (TypeError, ValueError) as error:
            raise Refused("labels that pandas cannot join") from error
        # A series to whose labels nothing is added keeps them, as a range that is joined with nullable integers; a frame takes on those that are joined.
        index = mine if left_places is None and isinstance(left, Vector) and index.names == mine.names else index
    space = Space(len(index))
    labels = captured_index(space, index)
    rows: Rows = space
    found = []
    for side, places in ((left, left_places), (right, right_places)):
        columns = side.columns if isinstance(side, Frame) else (side.column,)
        rows, made = gather.gathered(rows, space, side.rows, columns, places)
        found.append(made)
    return tuple(
        Frame(rows, made, side.labels, labels) if isinstance(side, Frame) else Vector(rows, made[0], side.name, labels)
        for side, made in zip((left, right), found, strict=True)
    )  # type: ignore[return-value]


def into(expression: Expression, far: Space, base: Space) -> Expression:
    """An expression over one space, over another of as many rows."""
    places: dict[Slot, Slot] = {far.position: base.position}
    for slot in expression.slots:
        if isinstance(slot, DataSlot):
            places[slot] = DataSlot(slot.name, base, slot.type, slot.owner, partial(getattr, slot, "column"))
    return replaced(expression, places)


def replaced(expression: Expression, places: Mapping[Slot, Slot]) -> Expression:
    """An expression with other slots."""

    def visit(part: Expression, parts: list[Expression]) -> Expression:
        if isinstance(part, Ref):
            return Ref(places[part.slot]) if part.slot in places else part
        return walk.rebuilt(part, parts)

    made: Expression = walk.fold(expression, walk.children, visit, {})
    return made


def array_column(rows: Rows, values: Any) -> Column:
    """An array, or a list, as a column over rows in memory of as many."""
    base = space_of(rows)
    if not isinstance(base, Space):
        raise Refused("an array beside rows that are not computed yet")
    array = values
    if isinstance(values, (list, tuple, np.ndarray)):
        if isinstance(values, np.ndarray) and values.ndim != 1 or not len(values) and not isinstance(values, np.ndarray):
            raise Refused("an array of several axes, or an empty list")
        try:
            array = dispatch.BaseSeries(values).array
        except (ValueError, TypeError, OverflowError) as error:
            raise Refused("a list that is no column") from error
    array = getattr(array, "_ndarray", array) if type(array) is pandas.arrays.NumpyExtensionArray else array
    if isinstance(array, np.ma.MaskedArray):
        raise Refused("a masked array")
    if isinstance(array, np.ndarray) and array.ndim != 1:
        raise Refused("an array of several axes")
    if len(array) != base.count:
        raise Refused("an array of another length")
    # A series made of an array has a copy of it already.
    return captured_array(base, array if array is not values and not isinstance(values, pandas.arrays.NumpyExtensionArray) else array.copy(), "values")

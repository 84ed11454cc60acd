"""Bringing two operands to the same rows, as pandas aligns them by labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

from airloom.pandas.algorithms import take
from airloom.pandas.algorithms.transplant import transplanted
from airloom.pandas.dispatch import registry, wrapping
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array, captured_index
from airloom.pandas.plan.frame import Column, Frame, Index, Vector, evaluate_windows, label_columns, together
from airloom.pandas.plan.index import Relation, relation
from airloom.pandas.plan.rows import MemoryRows, Rows, Sliced, looked_up_beside, sees, space_of
from airloom.pandas.refusals import Refused


def vector_of(value: Any) -> Vector | None:
    """The plan of a series; none of anything else."""
    if isinstance(value, registry.BaseSeries):
        plan = wrapping.plan_of(value)
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
        assert isinstance(base, MemoryRows)
        if isinstance(far, MemoryRows) and not other.column.unsupported:
            return transplanted(rows, other, far, base)
        over, (column,) = take.gathered(rows, base, other.rows, (other.column,), None)
        return over, column
    raise Refused("indexes not known to be equal")


def align_to(rows: Rows, index: Index, other: Vector) -> tuple[Rows, Column]:
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
        labels = materialize.restored_index(other.rows, other.index)
        if not labels.is_unique:
            raise Refused("duplicate index labels") from None
    if not has_rows(rows):
        raise Refused("a column put into a frame without rows, which takes on the index of the column")
    base = space_of(rows)
    if isinstance(base, MemoryRows):
        wanted = materialize.restored_index(rows, index)
        if labels.nlevels != wanted.nlevels:
            raise Refused("indexes of different numbers of levels, of which pandas finds one in the other by name")
        try:
            positions = None if labels.equals(wanted) else labels.get_indexer(wanted)
        except (TypeError, ValueError) as error:
            raise Refused("index labels that cannot be looked up in the other index") from error
        over, (column,) = take.gathered(rows, base, other.rows, (other.column,), positions)
        return over, column
    return _looked(rows, index, other)


def has_rows(rows: Rows) -> bool:
    """Whether there is any row; looked at where it is not known."""
    count = space_of(rows).count
    return bool(run.table(Sliced(rows, 0, 1), {}).num_rows if count is None else count)


def _looked(rows: Rows, index: Index, other: Vector) -> tuple[Rows, Column]:
    """The same where rows are not computed yet: the values are looked up as they are."""
    mine = [materialize.decided(key) for key in label_columns(rows, index)]
    theirs = [materialize.decided(key) for key in label_columns(other.rows, other.index)]
    if len(mine) != 1 or len(theirs) != 1 or mine[0].unsupported or theirs[0].unsupported or not kinds.same(mine[0].dtype, theirs[0].dtype) or types.is_category(mine[0].dtype):
        raise Refused("index labels of different dtypes, or of a MultiIndex")
    column = materialize.decided(other.column)
    below, (key, value) = evaluate_windows(other.rows, [theirs[0], column])
    above, (sought,) = evaluate_windows(rows, [mine[0]])
    over, looked, (slot,) = looked_up_beside(above, [sought.expression], below, [key.expression], [value.expression])
    return over, take.looked_up(column, slot, looked)


def united(left: Any, right: Any) -> tuple[Any, Any]:
    """Two frames or vectors over the union of their labels, each missing where it has no such label."""
    # Views, as pandas drops the frequency of an index that it joins where the result has none.
    mine, theirs = materialize.restored_index(left.rows, left.index).view(), materialize.restored_index(right.rows, right.index).view()
    if {mine.dtype == types.OBJECT, theirs.dtype == types.OBJECT} == {True, False} and (types.is_time(mine.dtype) or types.is_time(theirs.dtype)):
        raise Refused("object index labels beside timestamps, of which pandas may warn")
    if mine.equals(theirs):
        index, left_positions, right_positions = mine, None, None
    else:
        try:
            index, left_positions, right_positions = mine.join(theirs, how="outer", return_indexers=True)
        except (TypeError, ValueError) as error:
            raise Refused("indexes that pandas cannot join") from error
        # A series to whose labels nothing is added keeps them, as a range that is joined with nullable integers; a frame takes on those that are joined.
        index = mine if left_positions is None and isinstance(left, Vector) and index.names == mine.names else index
    space = MemoryRows(len(index))
    labels = captured_index(space, index)
    rows: Rows = space
    found = []
    for side, positions in ((left, left_positions), (right, right_positions)):
        columns = side.columns if isinstance(side, Frame) else (side.column,)
        rows, made = take.gathered(rows, space, side.rows, columns, positions)
        found.append(made)
    return tuple(
        Frame(rows, made, side.labels, labels) if isinstance(side, Frame) else Vector(rows, made[0], side.name, labels)
        for side, made in zip((left, right), found, strict=True)
    )  # type: ignore[return-value]


def array_column(rows: Rows, values: Any) -> Column:
    """An array, or a list, as a column over rows in memory of as many."""
    base = space_of(rows)
    if not isinstance(base, MemoryRows):
        raise Refused("an array beside rows that are not computed yet")
    array = values
    if isinstance(values, (list, tuple, np.ndarray)):
        if isinstance(values, np.ndarray) and values.ndim != 1 or not len(values) and not isinstance(values, np.ndarray):
            raise Refused("an array that is not one-dimensional, or an empty list")
        try:
            array = registry.BaseSeries(values).array
        except (ValueError, TypeError, OverflowError) as error:
            raise Refused("a list of which pandas makes no column") from error
    array = getattr(array, "_ndarray", array) if type(array) is pandas.arrays.NumpyExtensionArray else array
    if isinstance(array, np.ma.MaskedArray):
        raise Refused("a masked array")
    if isinstance(array, np.ndarray) and array.ndim != 1:
        raise Refused(f"an array of {array.ndim} dimensions")
    if len(array) != base.count:
        raise Refused(f"an array of length {len(array)} beside {base.count} rows")
    # A series made of an array has a copy of it already.
    return captured_array(base, array if array is not values and not isinstance(values, pandas.arrays.NumpyExtensionArray) else array.copy(), "values")

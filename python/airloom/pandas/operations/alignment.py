"""Bringing two operands to the same rows, as pandas aligns them by labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas

from airloom.pandas.data.capture import captured_array
from airloom.pandas.face import dispatch
from airloom.pandas.plan.expression import Call, Expression, Fold, Literal, Over, Ref, Slot
from airloom.pandas.plan.frame import Column, Index, Keys, Positions, Refused, Vector, same_index, together
from airloom.pandas.plan.rows import DataSlot, Rows, Space, space_of


def vector_of(value: Any) -> Vector | None:
    """The plan of a series; none of anything else."""
    if isinstance(value, dispatch.BaseSeries):
        plan = dispatch.plan_of(value)
        assert isinstance(plan, Vector)
        return plan
    return None


def aligned(rows: Rows, index: Index, other: Vector) -> tuple[Rows, Column]:
    """The column of another vector over these rows, where its labels are the same; and the rows in which both can be seen."""
    both = together(rows, other.rows)
    if both is not None and same_index(index, other.index):
        return both, other.column
    base, far = space_of(rows), space_of(other.rows)
    if isinstance(base, Space) and isinstance(far, Space) and base.count == far.count and far is other.rows and same_labels(index, other.index):
        return rows, other.column.at(into(other.column.expression, far, base)) if not other.column.opaque else _refuse()
    raise Refused("the labels of the rows are not known to be the same")


def _refuse() -> Column:
    raise Refused("values that only pandas knows")


def same_labels(first: Index, second: Index) -> bool:
    """Whether labels are the same, of rows that are as many."""
    if isinstance(first, Positions) and isinstance(second, Positions):
        return (first.start, first.step) == (second.start, second.step)
    if isinstance(first, Keys) and isinstance(second, Keys) and first.made is not None and second.made is not None:
        return first.made is second.made or bool(first.made.equals(second.made) and first.made.dtype == second.made.dtype)
    return False


def into(expression: Expression, far: Space, base: Space) -> Expression:
    """An expression over one space, over another of as many rows."""
    places: dict[Slot, Slot] = {far.position: base.position}
    for slot in expression.slots:
        if isinstance(slot, DataSlot):
            places[slot] = DataSlot(slot.name, base, slot.type, slot.owner, lambda slot=slot: slot.column)
    return replaced(expression, places)


def replaced(expression: Expression, places: Mapping[Slot, Slot]) -> Expression:
    """An expression with other slots."""
    if isinstance(expression, Ref):
        return Ref(places[expression.slot]) if expression.slot in places else expression
    if isinstance(expression, Literal):
        return expression
    if isinstance(expression, Call):
        return Call(expression.op, tuple(replaced(a, places) for a in expression.arguments), expression.attributes)
    if isinstance(expression, Fold):
        arguments = tuple(replaced(a, places) for a in expression.arguments)
        return Fold(expression.op, arguments, expression.scalars, expression.body, expression.attributes)
    assert isinstance(expression, Over)
    fold = replaced(expression.fold, places)
    assert isinstance(fold, Fold)
    partition = tuple(replaced(key, places) for key in expression.partition)
    return Over(fold, partition, tuple((replaced(key, places), word) for key, word in expression.order))


def array_column(rows: Rows, values: Any) -> Column:
    """An array, or a list, as a column over rows in memory of as many."""
    base = space_of(rows)
    if not isinstance(base, Space):
        raise Refused("an array beside rows that are not computed yet")
    array = values
    if isinstance(values, (list, tuple)):
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
    return captured_array(base, array.copy(), "values")

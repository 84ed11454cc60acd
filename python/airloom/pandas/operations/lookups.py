"""Finding values among many: by a join, where there are more than a few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

from airloom.pandas.data import kinds, restore, types
from airloom.pandas.data.capture import captured_array
from airloom.pandas.face.dispatch import BaseSeries, plan_of
from airloom.pandas.operations.distinct import equal_key
from airloom.pandas.plan.expression import Ref, Slot
from airloom.pandas.plan.frame import Column, Refused, Vector, pinned
from airloom.pandas.plan.rows import Looked, Rows, Space

#: More values than this are looked up by a join.
FEW = 64


def is_many(values: Any) -> bool:
    """Whether values are a series, or an array of more than a few."""
    if isinstance(values, BaseSeries):
        return True
    return isinstance(values, (np.ndarray, pandas.Index, pandas.api.extensions.ExtensionArray, list, set, tuple)) and len(values) > FEW


def found_in(vector: Vector, values: Any) -> Vector:
    """Whether each value stands among others."""
    column = restore.decided(vector.column)
    other, theirs = _values(values)
    theirs = restore.decided(theirs)
    if types.is_masked(column.dtype) or types.is_arrow(column.dtype):
        # What is missing is found among objects alone, by rules of pandas' own.
        raise Refused(f"`{column.dtype}` among a series")
    if column.opaque or theirs.opaque or types.is_category(column.dtype) or not kinds.same(column.dtype, theirs.dtype):
        raise Refused(f"`{column.dtype}` among `{theirs.dtype}`")
    rows, (mine,) = pinned(vector.rows, [column])
    other, (theirs,) = pinned(other, [theirs])
    found = Slot("found")
    looked = Looked(rows, [equal_key(mine)], other, [equal_key(theirs)], {}, found, any_of=True)
    return Vector(looked, Column(Ref(found), types.BOOL), vector.name, vector.index)


def _values(values: Any) -> tuple[Rows, Column]:
    if isinstance(values, BaseSeries):
        plan = plan_of(values)
        return plan.rows, plan.column
    try:
        array = BaseSeries(list(values) if isinstance(values, (set, tuple)) else values).array
    except (TypeError, ValueError) as error:
        raise Refused("values that are no column") from error
    array = array.to_numpy() if type(array) is pandas.arrays.NumpyExtensionArray else array
    space = Space(len(array))
    return space, captured_array(space, array, "values")

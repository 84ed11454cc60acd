"""Finding values among many: by a join, where there are more than a few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

from airloom.pandas.algorithms.duplicates import equal_key
from airloom.pandas.dispatch.registry import BaseSeries
from airloom.pandas.dispatch.wrapping import plan_of
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.expression import Ref, Slot
from airloom.pandas.plan.frame import Column, Vector, evaluate_windows
from airloom.pandas.plan.rows import LookupJoin, MemoryRows, Rows
from airloom.pandas.refusals import Refused

#: More values than this are looked up by a join.
FEW = 64


def is_many(values: Any) -> bool:
    """Whether values are a series, or an array of more than a few."""
    if isinstance(values, BaseSeries):
        return True
    return isinstance(values, (np.ndarray, pandas.Index, pandas.api.extensions.ExtensionArray, list, set, tuple)) and len(values) > FEW


def found_in(vector: Vector, values: Any) -> Vector:
    """Whether each value stands among others."""
    column = materialize.decided(vector.column)
    other, theirs = _values(values)
    theirs = materialize.decided(theirs)
    if types.is_masked(column.dtype) or types.is_arrow(column.dtype):
        # What is missing is found among objects alone, by rules of pandas' own.
        raise Refused(f"values of `{column.dtype}` looked up among a series")
    if column.unsupported or theirs.unsupported or types.is_category(column.dtype) or not kinds.same(column.dtype, theirs.dtype):
        raise Refused(f"values of `{column.dtype}` looked up among `{theirs.dtype}`")
    rows, (mine,) = evaluate_windows(vector.rows, [column])
    other, (theirs,) = evaluate_windows(other, [theirs])
    found = Slot("found")
    looked = LookupJoin(rows, [equal_key(mine)], other, [equal_key(theirs)], {}, found, any_of=True)
    return Vector(looked, Column(Ref(found), types.BOOL), vector.name, vector.index)


def _values(values: Any) -> tuple[Rows, Column]:
    if isinstance(values, BaseSeries):
        plan = plan_of(values)
        return plan.rows, plan.column
    try:
        array = BaseSeries(list(values) if isinstance(values, (set, tuple)) else values).array
    except (TypeError, ValueError) as error:
        raise Refused("values of which pandas makes no column") from error
    array = array.to_numpy() if type(array) is pandas.arrays.NumpyExtensionArray else array
    space = MemoryRows(len(array))
    return space, captured_array(space, array, "values")

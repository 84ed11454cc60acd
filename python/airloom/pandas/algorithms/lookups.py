"""Finding values among many: by a join, where there are more than a few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.duplicates import equal_key
from airloom.pandas.dispatch.registry import BaseSeries
from airloom.pandas.dispatch.wrapping import plan_of
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.expression import Ref, Slot, call
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
    nullable = types.is_masked(column.dtype) and column.dtype.numpy_dtype.kind in "iu" and not types.is_masked(theirs.dtype)
    alike = kinds.same(theirs.dtype, column.dtype.numpy_dtype) if nullable else kinds.same(column.dtype, theirs.dtype)
    if column.unsupported or theirs.unsupported or types.is_category(column.dtype) or not alike or (types.is_arrow(column.dtype) and column.dtype.kind == "f"):
        raise Refused(f"values of `{column.dtype}` looked up among `{theirs.dtype}`")
    if types.is_masked(column.dtype) and column.dtype.numpy_dtype.kind not in "iu":
        raise Refused(f"values of `{column.dtype}` looked up among a series")
    rows, (mine,) = evaluate_windows(vector.rows, [column])
    other, (theirs,) = evaluate_windows(other, [theirs])
    found = Slot("found")
    looked = LookupJoin(rows, [equal_key(mine)], other, [equal_key(theirs)], {}, found, any_of=True)
    if types.is_masked(column.dtype):
        # What is missing is never found among integers.
        there = elementwise.both(Ref(found), elementwise.negated(call("is_null", mine.expression)))
        return Vector(looked, Column(there, pandas.BooleanDtype()), vector.name, vector.index)
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

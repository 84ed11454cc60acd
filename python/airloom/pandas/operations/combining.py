"""Values of one frame, and those of another where it has none: `combine_first`."""

from __future__ import annotations

from typing import Any

import numpy as np
from pandas.core.dtypes.cast import find_common_type

from airloom.pandas.data import restore, types
from airloom.pandas.face.dispatch import BaseDataFrame, BaseSeries, operation, plan_of
from airloom.pandas.operations import elements, scalars
from airloom.pandas.operations.conforming import conformed
from airloom.pandas.plan import run
from airloom.pandas.plan.frame import Column, Frame, Refused, Vector


@operation("DataFrame.combine_first")
def combine_first(frame: Frame, other: Any) -> Frame:
    if not isinstance(other, BaseDataFrame):
        raise Refused("what is no frame")
    far = plan_of(other)
    if not frame.labels.is_unique or not far.labels.is_unique or not frame.columns or run.count(frame.rows) == 0 or run.count(far.rows) == 0:
        raise Refused("labels that stand for several columns, or nothing to combine")
    _stand_once(frame, far)
    mine, theirs = conformed(frame, far, {"join": "outer"})
    columns = []
    for label, first, second in zip(mine.labels, mine.columns, theirs.columns, strict=True):
        if label not in frame.labels:
            columns.append(second)
        elif label not in far.labels:
            columns.append(first)
        else:
            columns.append(_combined(frame.column(label), far.column(label), first, second))
    order = frame.labels.union(far.labels, sort=False)
    places = mine.labels.get_indexer(order)
    return Frame(theirs.rows, [columns[place] for place in places], order, mine.index)


def _stand_once(first: Any, second: Any) -> None:
    if not all(restore.restored_index(plan.rows, plan.index).is_unique for plan in (first, second)):
        raise Refused("labels that stand twice")


def _combined(one: Column, two: Column, first: Column, second: Column) -> Column:
    """A column where both have one: in the dtype that both have, as nothing is missing for want of a label."""
    have = [restore.decided(column).dtype for column in (one, two)]
    first, second = elements.known(first), elements.known(second)
    target = find_common_type(have)
    numbers = all(types.is_number(dtype) and not types.is_bool(dtype) for dtype in have)
    if not numbers and (have[0] != have[1] or types.is_bool(have[0]) or types.is_masked(have[0]) or types.is_category(have[0])):
        raise Refused("columns of several kinds")
    if numbers and any(dtype.itemsize == 8 and dtype.kind in "iu" for dtype in have) and first.dtype != have[0]:
        raise Refused("whole numbers that go through floats")
    gone = elements.missing(first)
    if numbers:
        common = types.FLOAT64 if types.is_float(first.dtype) or types.is_float(second.dtype) else np.result_type(first.dtype, second.dtype)
        values = [scalars.cast(column.expression, column.dtype, common) for column in (first, second)]
        return Column(scalars.cast(elements.select(gone, values[1], values[0]), common, target), target)
    return first.at(elements.select(gone, second.expression, first.expression))


@operation("Series.combine_first")
def vector_combine_first(vector: Vector, other: Any) -> Vector:
    if not isinstance(other, BaseSeries):
        raise Refused("what is no series")
    far = plan_of(other)
    dtype, theirs = restore.decided(vector.column).dtype, restore.decided(far.column).dtype
    if dtype != theirs or types.is_masked(dtype) or types.is_category(dtype) or not (types.is_float(dtype) or types.is_text(dtype) or types.is_time(dtype) or types.is_duration(dtype)):
        raise Refused("values of several kinds")
    if not len(restore.restored_index(vector.rows, vector.index)) or not len(restore.restored_index(far.rows, far.index)):
        raise Refused("nothing to combine")
    _stand_once(vector, far)
    first, second = conformed(vector, far, {"join": "outer"})
    mine, beside = elements.known(first.column), elements.known(second.column)
    return Vector(second.rows, mine.at(elements.select(elements.missing(mine), beside.expression, mine.expression)), vector.name, first.index)

"""Values of one frame and those of another: of the first that has one, or by a function of both."""

from __future__ import annotations

from typing import Any

import numpy as np
from pandas.api.types import is_scalar
from pandas.core.dtypes.cast import find_common_type

from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.align import aligned
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.algorithms.reindex import conformed
from airloom.pandas.apply import compiled
from airloom.pandas.dispatch.calls import invoke
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plan_of, wrap
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.ops.arithmetic import common_name
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.refusals import Refused
from airloom.pandas.udf.values import Constant


@operation("DataFrame.combine_first")
def combine_first(frame: Frame, other: Any) -> Frame:
    if not isinstance(other, BaseDataFrame):
        raise Refused("`other` is not a DataFrame")
    far = plan_of(other)
    if frame.labels.nlevels != far.labels.nlevels:
        raise Refused("columns of different numbers of levels")
    if not frame.labels.is_unique or not far.labels.is_unique or not frame.columns or run.count(frame.rows) == 0 or run.count(far.rows) == 0:
        raise Refused("duplicate column labels, or an empty frame")
    _stand_once(frame, far)
    mine, theirs = conformed(frame, far, {"join": "outer"})
    columns = []
    for label, first, second in zip(mine.labels, mine.columns, theirs.columns, strict=True):
        if label not in far.labels:
            columns.append(first.copy())
            continue
        own = materialize.decided(far.column(label))
        # Of nothing but missing values pandas takes the column of the first frame, also where it has none.
        empty = (label in frame.labels or own.dtype != types.FLOAT64) and not elementwise.any_row(far.rows, elementwise.negated(elementwise.missing(own)))
        if label not in frame.labels:
            columns.append(Column(literals.number(np.nan, types.FLOAT64), types.FLOAT64) if empty else second.copy())
        elif empty and kinds.same(materialize.decided(first).dtype, materialize.decided(frame.column(label)).dtype):
            columns.append(first.copy())
        else:
            columns.append(_combined(frame.column(label), far.column(label), first, second))
    order = frame.labels.union(far.labels, sort=False)
    positions = mine.labels.get_indexer(order)
    return Frame(theirs.rows, [columns[position] for position in positions], order, mine.index)


def _stand_once(first: Any, second: Any) -> None:
    indexes = [materialize.restored_index(plan.rows, plan.index) for plan in (first, second)]
    if not all(index.is_unique for index in indexes):
        raise Refused("duplicate index labels")
    if indexes[0].nlevels != indexes[1].nlevels:
        # pandas joins such by a level, so that rows of one side may be left out.
        raise Refused("indexes of different numbers of levels")


def _combined(one: Column, two: Column, first: Column, second: Column) -> Column:
    """A column where both have one: in the dtype that both have, as nothing is missing for want of a label."""
    have = [materialize.decided(column).dtype for column in (one, two)]
    first, second = elementwise.known(first), elementwise.known(second)
    target = find_common_type(have)
    numbers = all(types.is_number(dtype) and not types.is_bool(dtype) for dtype in have)
    if not numbers and (have[0] != have[1] or types.is_bool(have[0]) or types.is_masked(have[0]) or types.is_category(have[0])):
        raise Refused(f"columns of `{have[0]}` and `{have[1]}`")
    if numbers and any(dtype.itemsize == 8 and dtype.kind in "iu" for dtype in have) and not kinds.same(first.dtype, have[0]):
        raise Refused("integers that are combined as floats")
    gone = elementwise.missing(first)
    if numbers:
        common = types.FLOAT64 if types.is_float(first.dtype) or types.is_float(second.dtype) else np.result_type(first.dtype, second.dtype)
        values = [literals.cast(column.expression, column.dtype, common) for column in (first, second)]
        return Column(literals.cast(elementwise.select(gone, values[1], values[0]), common, target), target)
    return first.at(elementwise.select(gone, second.expression, first.expression))


@operation("Series.combine_first")
def vector_combine_first(vector: Vector, other: Any) -> Vector:
    if not isinstance(other, BaseSeries):
        raise Refused("`other` is not a Series")
    far = plan_of(other)
    dtype, theirs = materialize.decided(vector.column).dtype, materialize.decided(far.column).dtype
    if not kinds.same(dtype, theirs) or types.is_masked(dtype) or types.is_category(dtype) or not (types.is_float(dtype) or types.is_text(dtype) or types.is_time(dtype) or types.is_duration(dtype)):
        raise Refused(f"values of `{dtype}` and `{theirs}`")
    if not len(materialize.restored_index(vector.rows, vector.index)) or not len(materialize.restored_index(far.rows, far.index)):
        raise Refused("an empty Series")
    _stand_once(vector, far)
    first, second = conformed(vector, far, {"join": "outer"})
    mine, beside = elementwise.known(first.column), elementwise.known(second.column)
    return Vector(second.rows, mine.at(elementwise.select(elementwise.missing(mine), beside.expression, mine.expression)), vector.name, first.index)


@operation("Series.combine")
def combine_vector(vector: Vector, other: Any, func: Any, fill_value: Any = None) -> Vector:
    first = elementwise.known(vector.column)
    if not isinstance(other, BaseSeries):
        if not is_scalar(other):
            raise Refused("a list as `other`")
        return Vector(vector.rows, compiled.combined(vector.rows, func, [first, Constant(other)]), vector.name, vector.index)
    far = plan_of(other)
    if tuple(vector.index.names) != tuple(far.index.names):
        raise Refused("indexes with different names")
    name = common_name(vector, far)
    try:
        rows, second = aligned(vector.rows, vector.index, far)
        index = vector.index
    except Refused:
        mine, theirs = _of_all_labels(vector, far, fill_value)
        rows, first, second, index = theirs.rows, mine.column, theirs.column, mine.index
    second = elementwise.known(second)
    if isinstance(func, np.ufunc):
        return _by_ufunc(Vector(rows, first, name, index), Vector(rows, second, name, index), func)
    return Vector(rows, compiled.combined(rows, func, [first, second]), name, index)


def _of_all_labels(vector: Vector, far: Vector, fill_value: Any) -> tuple[Vector, Vector]:
    """Both with the labels that either has, and what is put in where it has not: of floats only, which a function gets as floats all the same."""
    if not (fill_value is None or type(fill_value) is float) or any(elementwise.known(one.column).dtype != types.FLOAT64 for one in (vector, far)):
        raise Refused("a `fill_value` that is not a float, or a dtype that is not `float64`")
    _stand_once(vector, far)
    mine, theirs = conformed(vector, far, {"join": "outer"}, fill_value)
    first, second = (materialize.restored_index(one.rows, one.index) for one in (vector, far))
    if not ask_pandas(lambda: first.union(second)).identical(materialize.restored_index(mine.rows, mine.index)):
        raise Refused("indexes whose union pandas sorts otherwise")
    return mine, theirs


def _by_ufunc(first: Vector, second: Vector, func: Any) -> Vector:
    """A function of NumPy's: what it makes of two columns is what it makes of each two values, in numbers that are as wide as Python's."""
    if any(one.column.dtype not in (types.INT64, types.FLOAT64) for one in (first, second)) or run.count(first.rows) == 0:
        raise Refused("an empty Series, or a dtype that is neither `int64` nor `float64`")
    made = func(wrap(first), wrap(second))
    plan = plan_of(made) if isinstance(made, BaseSeries) else None
    if plan is None or plan.dtype not in (types.INT64, types.FLOAT64, types.BOOL):
        raise Refused("a NumPy function that returns something else than numbers")
    return Vector(plan.rows, plan.column, first.name, plan.index)


@operation("DataFrame.combine")
def combine_frame(frame: Frame, other: Any, func: Any, fill_value: Any = None, overwrite: Any = True) -> Frame:
    if not isinstance(other, BaseDataFrame) or not callable(func) or not isinstance(overwrite, bool):
        raise Refused("`other` is not a DataFrame, `func` is not callable, or `overwrite` is not boolean")
    if fill_value is not None and type(fill_value) not in (int, float):
        raise Refused("`fill_value` is not a number")
    far = plan_of(other)
    if frame.labels.nlevels != far.labels.nlevels:
        raise Refused("columns of different numbers of levels")
    if not frame.labels.is_unique or not far.labels.is_unique or not frame.columns or not far.columns or run.count(frame.rows) == 0 or run.count(far.rows) == 0:
        raise Refused("duplicate column labels, or an empty frame")
    _stand_once(frame, far)
    mine, theirs = conformed(frame, far, {"join": "outer"})
    order = frame.labels.union(far.labels, sort=False)
    rows, columns = theirs.rows, []
    for label in order:
        position = mine.position(label)
        first = Vector(theirs.rows, materialize.decided(mine.columns[position]), label, mine.index)
        second = Vector(theirs.rows, materialize.decided(theirs.columns[position]), label, mine.index)
        if not overwrite and not elementwise.any_row(second.rows, elementwise.negated(elementwise.missing(second.column))):
            columns.append(first.column)
            continue
        rows, column = aligned(rows, mine.index, _of_pair(first, second, func, fill_value, there=label in frame.labels))
        columns.append(column)
    return Frame(rows, columns, order, mine.index)


def _of_pair(first: Vector, second: Vector, func: Any, fill_value: Any, *, there: bool) -> Vector:
    """What a function makes of two columns, which it gets in one dtype; `there` tells whether the first stands for a column at all."""
    have = (first.column.dtype, second.column.dtype)
    common = find_common_type(list(have)) if there else have[1]
    if not kinds.same(have[0], have[1]) and (common == types.OBJECT or not all(types.is_number(dtype) for dtype in have)):
        raise Refused(f"columns of `{have[0]}` and `{have[1]}`")
    if not there and not types.is_number(common):
        raise Refused(f"a column of one frame only, of dtype `{common}`")
    if any(types.type_of(dtype) is None for dtype in have):
        raise Refused(f"a column of `{have[0]}`, which has no native type")
    one, two = wrap(first), wrap(second)
    if fill_value is not None:
        if any(dtype != types.FLOAT64 for dtype in have):
            raise Refused("`fill_value` in a dtype that is not `float64`")
        one, two = one.fillna(fill_value), two.fillna(fill_value)
    if there or not types.is_integer(common):
        one = one.astype(common)
    if there:
        two = two.astype(common)
    made = invoke(func, one, two)
    if not isinstance(made, BaseSeries):
        raise Refused("a function that does not return a Series")
    plan: Vector = plan_of(made)
    column = elementwise.known(plan.column)
    if kinds.same(column.dtype, common) or not isinstance(common, np.dtype) or (types.is_bool(column.dtype) and types.is_number(common)):
        return plan
    if common == types.FLOAT64 and types.is_integer(column.dtype):
        return plan.with_column(literals.cast(column.expression, column.dtype, common), common)
    # pandas makes it the common dtype again, where no value is lost.
    raise Refused("a function that returns another dtype")

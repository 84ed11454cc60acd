"""What stands on the other side of an operator: rows, arrays, frames, and values in place of what is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas.tseries.offsets import BaseOffset

from airloom.pandas.algorithms import literals
from airloom.pandas.algorithms.align import aligned, array_column, united
from airloom.pandas.algorithms.elementwise import both, each, known, missing, negated, select
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.algorithms.reindex import conformed, refuse_narrow
from airloom.pandas.dispatch import registry, wrapping
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dtypes import types
from airloom.pandas.plan.expression import Expression
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.plan.index import Relation, relation
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused


#: A series of more values than this many has the labels of no columns.
MOST_LABELS = 4096


def array(rows: Rows, other: Any, beside: Any) -> Column:
    """An array, an index or a list, as a column beside rows. Text that is compared with text of a dtype is of that dtype."""
    if _are_objects_beside_time(other, beside):
        objects = np.empty(len(other), object)
        objects[:] = list(other)
        # Not the array itself, of which pandas would make timestamps where it holds such.
        return array_column(rows, pandas.arrays.NumpyExtensionArray(objects))
    if isinstance(other, list):
        if isinstance(beside, pandas.StringDtype) and str in map(type, other) and all(type(item) is str or literals.is_missing(item) and item is not pandas.NaT for item in other):
            return array_column(rows, pandas.array(other, dtype=beside))
        if other and isinstance(beside, pandas.IntervalDtype) and all(isinstance(item, pandas.Interval) for item in other):
            return array_column(rows, pandas.array(other))
        if other and all(type(item) is str for item in other):
            return array_column(rows, pandas.array(other, dtype=types.STR))
        if other and _is_timed(beside) and all(type(item) is (pandas.Timestamp if types.is_time(beside) else pandas.Timedelta) for item in other):
            return array_column(rows, other)
        if not all(literals.is_number(item) for item in other):
            raise Refused("a list of values that are not numbers")
        made = np.asarray(other)
        if made.ndim != 1 or made.dtype.kind not in "biuf":
            raise Refused("a list of values that are not numbers")
        return array_column(rows, made)
    if isinstance(other, np.ma.MaskedArray):
        raise Refused("a masked array")
    if isinstance(other, np.ndarray) and other.dtype.kind not in "biufmM":
        raise Refused(f"an array of dtype `{other.dtype}`")
    return array_column(rows, other.array if isinstance(other, pandas.Index) else other)


def _are_objects_beside_time(other: Any, beside: Any) -> bool:
    """Whether this is an array of objects, or a list of which pandas makes one, beside timestamps or timedeltas."""
    if not _is_timed(beside):
        return False
    if isinstance(other, list):
        return any(isinstance(item, BaseOffset) for item in other)
    return isinstance(other, (np.ndarray, pandas.Index)) and other.dtype == types.OBJECT and other.ndim == 1


def numbers(left: Column, right: Any) -> tuple[np.dtype[Any], Expression, Expression]:
    """Two numbers as NumPy would bring them together."""
    if not types.is_number(left.dtype):
        raise Refused(f"arithmetic with `{left.dtype}`")
    if isinstance(right, Column):
        if not types.is_number(right.dtype):
            raise Refused(f"arithmetic of `{left.dtype}` and `{right.dtype}`")
        common = np.result_type(left.dtype, right.dtype)
        if types.type_of(common) is None:
            raise Refused(f"numbers of dtype `{common}`")
        return common, literals.cast(left.expression, left.dtype, common), literals.cast(right.expression, right.dtype, common)
    if not literals.is_number(right):
        raise Refused(f"arithmetic of `{left.dtype}` and `{type(right).__name__}`")
    common = np.result_type(left.dtype, right)
    if types.type_of(common) is None:
        raise Refused(f"numbers of dtype `{common}`")
    if common.kind in "iu" and not np.iinfo(common).min <= int(right) <= np.iinfo(common).max:
        raise Refused(f"a number out of bounds of `{common}`")
    return common, literals.cast(left.expression, left.dtype, common), literals.number(right, common)


def frames(frame: Frame, far: Frame, *, unite: bool) -> tuple[Rows, Frame, list[Column]]:
    """Two frames with the same columns over the same rows: those of the first, and what the second has for each."""
    if len(far.columns) != len(frame.columns) or not far.labels.equals(frame.labels) or not frame.labels.is_unique:
        if not unite or not frame.labels.is_unique or not far.labels.is_unique or not all(_is_plain(column) for column in (*frame.columns, *far.columns)):
            raise Refused("frames with different columns")
        refuse_narrow(frame, far)
        same = _over_same_rows(frame, far)
        if same is not None:
            return same
        beside, there = conformed(frame, far, {"join": "outer"})
        return there.rows, Frame(there.rows, beside.columns, beside.labels, beside.index), list(there.columns)
    try:
        rows, columns = frame.rows, []
        for theirs in far.columns:
            rows, column = aligned(rows, frame.index, Vector(far.rows, theirs, None, far.index))
            columns.append(column)
        if not columns:
            raise Refused("no columns")
        return rows, frame, columns
    except Refused:
        if not unite:
            raise
    mine, theirs = united(frame, far)
    return theirs.rows, Frame(theirs.rows, mine.columns, mine.labels, mine.index), list(theirs.columns)


def _over_same_rows(frame: Frame, far: Frame) -> tuple[Rows, Frame, list[Column]] | None:
    """Two frames whose rows are the same, with all columns that either has; none where the rows are others."""
    if relation(frame.rows, frame.index, far.rows, far.index) not in (Relation.SAME, Relation.EQUAL):
        return None
    models = [adopted(registry.BaseDataFrame(np.arange(len(plan.columns))[np.newaxis, :], columns=plan.labels)) for plan in (frame, far)]
    mine, theirs = ask_pandas(lambda: models[0].align(models[1], join="outer", axis=1))
    nothing = Column(literals.missing(types.FLOAT64), types.FLOAT64)
    rows, columns = frame.rows, []
    try:
        for position in theirs.iloc[0].to_numpy():
            if position != position:
                columns.append(nothing)
                continue
            rows, column = aligned(rows, frame.index, Vector(far.rows, far.columns[int(position)], None, far.index))
            columns.append(column)
    except Refused:
        return None
    own = [nothing if position != position else frame.columns[int(position)] for position in mine.iloc[0].to_numpy()]
    return rows, Frame(rows, own, mine.columns, frame.index), columns


def _is_plain(column: Column) -> bool:
    dtype = known(column).dtype
    return types.is_number(dtype) and not types.is_bool(dtype)


def united_row(frame: Frame, other: Any) -> tuple[Frame, Any]:
    """A frame and a series with all labels that either has, where the series has others than the columns of the frame."""
    if not isinstance(other, registry.BaseSeries) or len(other) > MOST_LABELS or not frame.columns:
        return frame, other
    series = wrapping.plain(other)
    if series.index.equals(frame.labels):
        return frame, other
    if not types.is_number(series.dtype) or types.is_bool(series.dtype) or not all(_is_plain(column) for column in frame.columns):
        raise Refused("a Series whose index is not the columns")
    model = adopted(registry.BaseDataFrame(np.arange(len(frame.columns))[np.newaxis, :], columns=frame.labels))
    mine, theirs = ask_pandas(lambda: model.align(adopted(series), join="outer", axis=1))
    positions = mine.iloc[0].to_numpy()
    nothing = Column(literals.missing(types.FLOAT64), types.FLOAT64)
    columns = [nothing if position != position else frame.columns[int(position)] for position in positions]
    return frame.with_columns(columns, mine.columns), theirs


def row(frame: Frame, other: Any) -> list[Any]:
    """One value for each column, of a series whose labels are those of the columns, or of an array or a list."""
    if isinstance(other, registry.BaseSeries):
        series = wrapping.plain(other)
        if not series.index.equals(frame.labels):
            raise Refused("a Series whose index is not the columns")
    else:
        if isinstance(other, np.ndarray) and (other.ndim != 1 or other.dtype == types.OBJECT):
            raise Refused(f"an array of {other.ndim} dimensions and dtype `{other.dtype}`")
        if len(other) != len(frame.columns):
            raise Refused("values that are not one for each column")
        try:
            series = registry.BaseSeries(other, index=frame.labels)
        except (ValueError, TypeError, OverflowError) as error:
            raise Refused("a list of which pandas makes no column") from error
    if isinstance(other, list) and types.is_number(series.dtype) and not all(literals.is_number(item) for item in other):
        raise Refused("values that are not one for each column")
    if _is_timed(series.dtype):
        return [Column(literals.literal(value, series.dtype), series.dtype) for value in series]
    if not types.is_number(series.dtype):
        raise Refused(f"a row of dtype `{series.dtype}`")
    # They are numbers of NumPy's: the dtype of the row counts, as it would for a whole column of each.
    return list(series.to_numpy())


def _is_timed(dtype: Any) -> bool:
    return (types.is_time(dtype) or types.is_duration(dtype)) and types.type_of(dtype) is not None


def number(value: Any) -> Any:
    """A value beside a column whose missing values are filled."""
    if not literals.is_number(value) or literals.is_missing(value):
        raise Refused("`fill_value` is not a number")
    return value


def filled(plan: Any, value: Any) -> Any:
    """Frames and vectors of numbers with a value in place of what is missing."""
    return each(plan, lambda column: _filled(column, value))


def _filled(column: Column, value: Any) -> Column:
    if not types.is_number(column.dtype):
        raise Refused(f"`fill_value` of dtype `{column.dtype}`")
    if not types.is_float(column.dtype):
        return column
    return column.at(select(missing(column), _fill(value, column.dtype), column.expression))


def _fill(value: Any, dtype: Any) -> Any:
    if not literals.is_number(value) or isinstance(value, (bool, np.bool_)) or abs(float(value)) > 2**24:
        raise Refused("a `fill_value` out of bounds")
    return literals.fitting(value, dtype)


def filled_pair(left: Column, right: Column, value: Any) -> tuple[Column, Column]:
    """Two columns of numbers, each with a value where only the other has one."""
    left, right = known(left), known(right)
    if not types.is_number(left.dtype) or not types.is_number(right.dtype):
        raise Refused(f"`fill_value` of `{left.dtype}` and `{right.dtype}`")
    gone = (missing(left), missing(right))
    made = []
    for column, mine, other in ((left, gone[0], gone[1]), (right, gone[1], gone[0])):
        if types.is_float(column.dtype):
            column = column.at(select(both(mine, negated(other)), _fill(value, column.dtype), column.expression))
        made.append(column)
    return made[0], made[1]

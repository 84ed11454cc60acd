"""What is missing: finding it, filling it, leaving it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas
from pandas.api.types import is_list_like

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.align import vector_of
from airloom.pandas.algorithms.by_key import columns_asked
from airloom.pandas.dispatch.registry import BaseDataFrame, operation
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, Frame, ObjectView, RangeLabels, Vector, is_data
from airloom.pandas.plan.rows import Grouped, MemoryRows, space_of
from airloom.pandas.refusals import Refused, value_text

NO_DEFAULT = pandas.api.extensions.no_default


@operation("Series.isna", "Series.isnull", "DataFrame.isna", "DataFrame.isnull", "pandas.isna", "pandas.isnull")
def isna(plan: Any) -> Any:
    return _tested(plan, elementwise.missing)


@operation("Series.notna", "Series.notnull", "DataFrame.notna", "DataFrame.notnull", "pandas.notna", "pandas.notnull")
def notna(plan: Any) -> Any:
    return _tested(plan, lambda column: elementwise.negated(elementwise.missing(column)))


def _tested(plan: Any, test: Callable[[Column], Expression]) -> Any:
    """Whether something is true of each value, whether it has a native type or not."""
    given = [materialize.decided(column) for column in (plan.columns if isinstance(plan, Frame) else (plan.column,))]
    for column in given:
        if types.is_sparse(column.dtype):
            raise Refused(f"missing values of dtype `{column.dtype}`")
    columns = [Column(test(column), types.BOOL) for column in given]
    return plan.with_columns(columns) if isinstance(plan, Frame) else Vector(plan.rows, columns[0], plan.name, plan.index)


@operation("Series.fillna")
def fill_vector(vector: Vector, value: Any = None, *, axis: Any = None, inplace: bool = False, limit: Any = None) -> Vector:
    _plain_fill(axis, inplace, limit)
    far = vector_of(value)
    column = elementwise.understood(materialize.decided(vector.column))
    if far is None and column.dtype == types.OBJECT:
        return Vector(vector.rows, _filled_objects(column, vector, value), vector.name, vector.index)
    if far is None:
        return elementwise.each(vector, lambda column: filled(column, value))
    found = elementwise.operand(vector, vector.rows, value)
    assert found is not None
    rows, other = found
    column = elementwise.known(vector.column)
    if types.is_number(column.dtype) and not types.is_float(column.dtype):
        # Nothing of these is missing.
        return Vector(rows, column, vector.name, vector.index)
    if column.dtype == types.FLOAT64 and types.is_integer(other.dtype):
        other = Column(literals.cast(other.expression, other.dtype, types.FLOAT64), types.FLOAT64)
    if not kinds.same(column.dtype, other.dtype) or types.is_category(column.dtype):
        raise Refused(f"filling `{column.dtype}` with `{other.dtype}`")
    return Vector(rows, column.at(_instead(column, other.expression)), vector.name, vector.index)


@operation("DataFrame.fillna")
def fill_frame(frame: Frame, value: Any = None, *, axis: Any = None, inplace: bool = False, limit: Any = None) -> Frame:
    _plain_fill(axis, inplace, limit)
    if not isinstance(value, dict):
        return elementwise.each(frame, lambda column: filled(column, value))
    if not frame.labels.is_unique or isinstance(frame.labels, pandas.MultiIndex):
        raise Refused("duplicate column labels, or MultiIndex columns")
    columns = list(frame.columns)
    for label, one in value.items():
        if label in frame.labels:
            position = frame.position(label)
            columns[position] = filled(elementwise.known(columns[position]), one)
    return frame.with_columns(columns)


def _filled_objects(column: Column, vector: Vector, value: Any) -> Column:
    """Objects with a value in place of what is missing."""
    if value is None or value is pandas.NaT or is_list_like(value):
        raise Refused(f"a `value` of type `{type(value).__name__}`")
    if literals.is_missing(value):
        return _missing_otherwise(column, value)
    if column.unsupported and not elementwise.has_missing(vector.rows, column):
        return vector.column
    if column.shown is None or not types.is_text(column.shown.dtype) or type(value) is not str:
        raise Refused(f"dtype `{column.dtype}` has no native type")
    return column.at(call("coalesce", column.expression, Literal(value, ir.str_)))


def _missing_otherwise(column: Column, value: Any) -> Column:
    """Objects with another value for what is missing."""
    if column.shown is not None and types.is_number(column.shown.dtype) and (value is np.nan or not types.is_float(column.shown.dtype)):
        return column
    if column.shown is not None and column.shown.dtype != types.OBJECT and not types.is_number(column.shown.dtype):
        return Column(column.expression, types.OBJECT, shown=ObjectView(column.shown.dtype, value))
    if not column.by_position or value is not np.nan:
        raise Refused(f"a `value` of type `{type(value).__name__}`")
    return column.at(elementwise.select(elementwise.missing(column), Literal(-1, ir.i64), column.expression))


def _plain_fill(axis: Any, inplace: bool, limit: Any) -> None:
    if inplace or limit is not None or axis not in (None, 0, "index"):
        raise Refused(f"`inplace=True`, `axis={value_text(axis)}` or `limit={value_text(limit)}`")


def filled(column: Column, value: Any) -> Column:
    """A column with a value in place of what is missing."""
    if value is None or is_list_like(value) or isinstance(value, (BaseDataFrame, Mapping)):
        raise Refused(f"a `value` of type `{type(value).__name__}`")
    if literals.is_missing(value):
        raise Refused("a missing `value`")
    if types.is_number(column.dtype) and not types.is_float(column.dtype):
        return column
    literal = elementwise.fits(value, column.dtype)
    if literal is None:
        raise Refused(f"filling `{column.dtype}` with `{type(value).__name__}`")
    if types.is_nullable(column.dtype) and is_data(column) and not column.expression.slot.column.null_count:  # type: ignore[attr-defined]
        # It stays what it is, and pandas tells that it is the same.
        return column
    return column.at(_instead(column, literal))


def _instead(column: Column, other: Expression) -> Expression:
    if types.is_float(column.dtype) or types.is_category(column.dtype):
        return elementwise.select(elementwise.missing(column), other, column.expression)
    if types.is_number(column.dtype):
        return column.expression
    return call("coalesce", column.expression, other)


@operation("Series.dropna")
def drop_vector(vector: Vector, *, axis: Any = 0, inplace: bool = False, how: Any = None, ignore_index: bool = False) -> Vector:
    if inplace or axis not in (0, "index"):
        raise Refused(f"`inplace=True`, or `axis={value_text(axis)}`")
    column = materialize.decided(vector.column)
    vector = Vector(vector.rows, column, vector.name, vector.index)
    gone = elementwise.missing(column)
    if not isinstance(gone, Literal):
        vector = vector.filtered(elementwise.negated(gone), by_mask=True)
    return Vector(vector.rows, vector.column, vector.name, RangeLabels()) if ignore_index else vector


@operation("DataFrame.dropna")
def drop_frame(
    frame: Frame, *, axis: Any = 0, how: Any = NO_DEFAULT, thresh: Any = NO_DEFAULT, subset: Any = None, inplace: bool = False, ignore_index: bool = False
) -> Frame:
    if not inplace and axis in (1, "columns") and subset is None and ignore_index is False:
        return _columns_left(frame, how, thresh)
    if inplace or axis not in (0, "index"):
        raise Refused(f"`inplace=True`, or `axis={value_text(axis)}`")
    if how is not NO_DEFAULT and thresh is not NO_DEFAULT:
        raise Refused("both `how` and `thresh`")
    if how not in (NO_DEFAULT, "any", "all"):
        raise Refused(f"`how={value_text(how)}`")
    if not frame.labels.is_unique or isinstance(frame.labels, pandas.MultiIndex) or not len(frame.columns):
        raise Refused("duplicate column labels, MultiIndex columns, or no columns")
    chosen = frame.labels if subset is None else (list(subset) if is_list_like(subset) else [subset])
    if not all(label in frame.labels for label in chosen) or not len(chosen):
        raise Refused("`subset` with labels that are not columns")
    found = [elementwise.missing(materialize.decided(frame.column(label))) for label in chosen]
    predicate = _enough(found, thresh) if thresh is not NO_DEFAULT else _present(found, how)
    # Where no row goes, the frame is taken as it is: in memory that is soon seen, and much is saved.
    known = isinstance(space_of(frame.rows), MemoryRows)
    whole = (isinstance(predicate, Literal) and predicate.value) or (known and not elementwise.any_row(frame.rows, elementwise.negated(predicate)))
    result = frame if whole else frame.filtered(predicate)
    return Frame(result.rows, result.columns, result.labels, RangeLabels()) if ignore_index else result


def _columns_left(frame: Frame, how: Any, thresh: Any) -> Frame:
    """The columns in which nothing is missing, or not everything, or that have enough values."""
    if (how is not NO_DEFAULT and thresh is not NO_DEFAULT) or how not in (NO_DEFAULT, "any", "all") or not frame.columns:
        raise Refused(f"`how={value_text(how)}`, `thresh` together with `how`, or no columns")
    if thresh is not NO_DEFAULT and (not isinstance(thresh, int) or isinstance(thresh, bool)):
        raise Refused(f"`thresh={value_text(thresh)}` is not an integer")
    columns = [materialize.decided(column) for column in frame.columns]
    gone = [elementwise.missing(column) for column in columns]
    asked = [at for at, one in enumerate(gone) if not isinstance(one, Literal)]
    slots = [Slot("value") for _ in asked]
    count = run.count(frame.rows)
    there = [count] * len(columns)
    if asked:
        folds: dict[Slot, Expression] = {slot: fold("sum", call("cast", elementwise.negated(gone[at]), to=ir.i64)) for slot, at in zip(slots, asked, strict=True)}
        table = run.table(Grouped(frame.rows, {}, folds), {f"c{at}": call("coalesce", Ref(slot), Literal(0, ir.i64)) for slot, at in zip(slots, asked, strict=True)})
        for at in asked:
            there[at] = int(table.numpy(f"c{at}", "int64")[0])
    least = thresh if thresh is not NO_DEFAULT else 1 if how == "all" else count
    kept = [found >= least for found in there]
    frame = frame.with_columns(columns)
    return frame if all(kept) else columns_asked(frame, lambda model: model.loc[:, kept])


def _present(found: list[Expression], how: Any) -> Expression:
    if how == "all":
        if any(isinstance(one, Literal) for one in found):
            return elementwise.TRUE
        gone = found[0]
        for one in found[1:]:
            gone = elementwise.both(gone, one)
        return elementwise.negated(gone)
    kept: Expression = elementwise.TRUE
    for one in found:
        if not isinstance(one, Literal):
            kept = elementwise.negated(one) if kept is elementwise.TRUE else elementwise.both(kept, elementwise.negated(one))
    return kept


def _enough(found: list[Expression], thresh: Any) -> Expression:
    if not isinstance(thresh, int) or isinstance(thresh, bool):
        raise Refused(f"`thresh={value_text(thresh)}` is not an integer")
    count: Expression = Literal(sum(isinstance(one, Literal) for one in found), ir.i64)
    for one in found:
        if not isinstance(one, Literal):
            count = call("add", count, elementwise.select(one, Literal(0, ir.i64), Literal(1, ir.i64)))
    return call("ge", count, Literal(thresh, ir.i64))

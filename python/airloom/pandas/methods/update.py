"""Frames beside others of the same labels: `update` and `compare`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.align import aligned
from airloom.pandas.algorithms.prototypes import ask_pandas, one_row
from airloom.pandas.algorithms.relocate import in_memory
from airloom.pandas.algorithms.take import gathered
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plan_of
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.expression import Expression, Literal, call, fold
from airloom.pandas.plan.frame import Column, Frame, Vector, evaluate_windows
from airloom.pandas.plan.rows import Filtered, MemoryRows, Rows, space_of
from airloom.pandas.reductions.reductions import reduced
from airloom.pandas.refusals import Refused, value_text


def _beside(plan: Any, far: Any, columns: list[Column]) -> tuple[Rows, list[Column], Expression]:
    """Columns of another plan beside the rows of one by their labels, and which rows have the label."""
    if not columns:
        return plan.rows, [], elementwise.FALSE
    try:
        rows, made = plan.rows, []
        for column in columns:
            rows, found = aligned(rows, plan.index, Vector(far.rows, column, None, far.index))
            made.append(found)
        return rows, made, elementwise.TRUE
    except Refused:
        pass
    far = Frame(far.rows, columns, pandas.RangeIndex(len(columns)), far.index)
    if not isinstance(space_of(far.rows), MemoryRows):
        far = materialize.restored_frame(far)[1]
    mine, theirs = materialize.restored_index(plan.rows, plan.index), materialize.restored_index(far.rows, far.index)
    space = space_of(plan.rows)
    if not isinstance(space, MemoryRows) or not mine.is_unique or not theirs.is_unique or mine.nlevels != theirs.nlevels:
        raise Refused("duplicate index labels, or indexes of different levels")
    positions = ask_pandas(lambda: theirs.get_indexer(mine))
    if not len(theirs) or (positions < 0).all():
        return plan.rows, [], elementwise.FALSE
    rows, made = gathered(plan.rows, space, far.rows, far.columns, np.where(positions < 0, 0, positions))
    return rows, made, captured_array(space, positions >= 0, "found").expression


def _updated(this: Column, that: Column, found: Expression, *, overwrite: bool) -> Column:
    """A column with the values of another where it has any."""
    this, that = elementwise.known(this), elementwise.known(that)
    if not kinds.same(this.dtype, that.dtype) or types.is_category(this.dtype) or types.is_masked(this.dtype) or types.is_arrow(this.dtype):
        raise Refused(f"columns of `{this.dtype}` and `{that.dtype}`")
    wanted = elementwise.both(found, elementwise.negated(elementwise.missing(that)))
    if not overwrite:
        wanted = elementwise.both(wanted, elementwise.missing(this))
    return this.at(elementwise.select(wanted, that.expression, this.expression))


@operation("DataFrame.update")
def update(frame: Frame, other: Any, join: Any = "left", overwrite: Any = True, filter_func: Any = None, errors: Any = "ignore") -> Frame:
    if not isinstance(other, BaseDataFrame) or join != "left" or filter_func is not None or errors != "ignore" or not isinstance(overwrite, bool):
        raise Refused("`join`, `filter_func`, `errors`, `overwrite`, or an `other` that is not a DataFrame")
    far = plan_of(other)
    if not frame.labels.is_unique or not far.labels.is_unique:
        raise Refused("duplicate column labels")
    labels = [label for label in frame.labels if label in far.labels]
    if not isinstance(space_of(frame.rows), MemoryRows):
        frame = in_memory(frame)
    _same_labels(frame, far)
    rows, columns, found = _beside(frame, far, [materialize.decided(far.column(label)) for label in labels])
    if not columns:
        return frame
    made = list(frame.columns)
    for label, that in zip(labels, columns, strict=True):
        position = frame.position(label)
        made[position] = _updated(materialize.decided(made[position]), that, found, overwrite=overwrite)
    return frame.with_columns(made, rows=rows)


def _same_labels(frame: Any, far: Any) -> None:
    """Refuses labels that pandas would not take, or that are duplicates."""
    mine, theirs = materialize.restored_index(frame.rows, frame.index), materialize.restored_index(far.rows, far.index)
    if not mine.is_unique or not theirs.is_unique:
        raise Refused("duplicate index labels")


@operation("Series.update")
def update_vector(vector: Vector, other: Any) -> Vector:
    if not isinstance(other, BaseSeries):
        raise Refused("`other` is not a Series")
    far = plan_of(other)
    if not isinstance(space_of(vector.rows), MemoryRows):
        vector = in_memory(vector)
    _same_labels(vector, far)
    rows, columns, found = _beside(vector, far, [materialize.decided(far.column)])
    if not columns:
        return vector
    return Vector(rows, _updated(materialize.decided(vector.column), columns[0], found, overwrite=True), vector.name, vector.index)


def _differs(this: Column, that: Column) -> Expression:
    """Whether two values are neither equal nor both missing."""
    if not kinds.same(this.dtype, that.dtype) or types.is_category(this.dtype):
        raise Refused(f"columns of `{this.dtype}` and `{that.dtype}`")
    equal: Expression = call("is_true", call("eq", this.expression, that.expression))
    gone = [elementwise.missing(side) for side in (this, that)]
    if not any(isinstance(one, Literal) for one in gone):
        equal = elementwise.either(equal, elementwise.both(gone[0], gone[1]))
    return elementwise.negated(equal)


@operation("DataFrame.compare", "Series.compare")
def compare(plan: Any, other: Any, align_axis: Any = 1, keep_shape: Any = False, keep_equal: Any = False, result_names: Any = ("self", "other")) -> Frame:
    alone = isinstance(plan, Vector)
    if not isinstance(other, BaseSeries if alone else BaseDataFrame) or align_axis not in (1, "columns") or not isinstance(result_names, tuple):
        raise Refused(f"`align_axis={value_text(align_axis)}`, `result_names`, or an `other` of another class")
    if not isinstance(keep_shape, bool) or not isinstance(keep_equal, bool):
        raise Refused("`keep_shape` or `keep_equal` is not boolean")
    far = plan_of(other)
    if not alone and not (plan.labels.identical(far.labels) and plan.labels.is_unique and plan.columns):
        raise Refused("frames with different columns")
    mine = [elementwise.known(column) for column in ((plan.column,) if alone else plan.columns)]
    rows, theirs = plan.rows, []
    for column in (far.column,) if alone else far.columns:
        rows, found = aligned(rows, plan.index, Vector(far.rows, column, None, far.index))
        theirs.append(elementwise.known(found))
    rows, masks = evaluate_windows(rows, [Column(_differs(*pair), types.BOOL) for pair in zip(mine, theirs, strict=True)])
    kept = list(range(len(mine)))
    if not keep_shape and not alone:
        some = reduced(rows, [Column(call("is_true", fold("any", mask.expression)), types.BOOL) for mask in masks])
        kept = [at for at, any in enumerate(some) if any]
        if not kept:
            raise Refused("frames that are equal")
    columns = []
    for at in kept:
        for side in (mine[at], theirs[at]):
            columns.append(side if keep_equal else elementwise.widened(side, rows, elementwise.negated(masks[at].expression)))
    if alone:
        model = one_row(Vector(rows, mine[0], plan.name, plan.index))
    else:
        model = one_row(Frame(rows, [mine[at] for at in kept], plan.labels.take(kept), plan.index))
    labels = ask_pandas(lambda: model.compare(model, keep_shape=True, keep_equal=True, result_names=result_names)).columns
    made = Frame(rows, columns, labels, plan.index)
    if keep_shape:
        return made
    differs = masks[kept[0]].expression
    for at in kept[1:]:
        differs = elementwise.either(differs, masks[at].expression)
    return made.moved(lambda below: Filtered(below, differs, by_mask=alone))

"""Where the least and the greatest stand: `idxmin` and `idxmax` of frames."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.algorithms.relocate import bare, in_memory
from airloom.pandas.dispatch.registry import BaseSeries, operation
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.plan.rows import MemoryRows, Projected, space_of
from airloom.pandas.reductions.axis1 import in_common
from airloom.pandas.reductions.axis1_masked import are_masked, one_dtype
from airloom.pandas.reductions.reductions import reduced
from airloom.pandas.refusals import Refused, value_text


def _register(name: str, op: str) -> None:
    @operation(f"DataFrame.{name}")
    def of_frame(frame: Frame, axis: Any = 0, skipna: Any = True, numeric_only: Any = False) -> Any:
        if axis not in (0, 1, "index", "columns") or not isinstance(skipna, (bool, np.bool_)) or not isinstance(numeric_only, (bool, np.bool_)):
            raise Refused(f"`axis={value_text(axis)}`, or `skipna` or `numeric_only` is not boolean")
        columns = [materialize.decided(column) for column in frame.columns]
        if numeric_only:
            kept = [at for at, column in enumerate(columns) if types.is_numeric(column.dtype)]
            frame = Frame(frame.rows, [columns[at] for at in kept], frame.labels.take(kept), frame.index)
        if not frame.columns or run.count(frame.rows) == 0:
            empty = bare(in_memory(frame))
            return ask_pandas(lambda: getattr(empty, name)(axis=axis, skipna=skipna))
        return _down(frame, op, bool(skipna)) if axis in (0, "index") else _across(frame, op, bool(skipna))


def _down(frame: Frame, op: str, skipna: bool) -> Any:
    positions = []
    for column in map(elementwise.known, frame.columns):
        if not (types.is_number(column.dtype) or types.is_time(column.dtype) or types.is_duration(column.dtype)):
            raise Refused(f"`idxmin` and `idxmax` of dtype `{column.dtype}`")
        if not skipna and elementwise.has_missing(frame.rows, column):
            raise Refused("`skipna=False`")
        value = call("cast", column.expression, to=ir.i8) if types.is_bool(column.dtype) else column.expression
        position = call("cast", fold(op, value, skip="all"), to=ir.optional(ir.i64))
        positions.append(Column(call("coalesce", position, Literal(-1, ir.i64)), types.INT64))
    found = np.array(reduced(frame.rows, positions), dtype=np.int64)
    if (found < 0).any():
        raise Refused("a column of missing values only")
    return BaseSeries(materialize.restored_index(frame.rows, frame.index).take(found)._values, index=frame.labels)


def _across(frame: Frame, op: str, skipna: bool) -> Any:
    frame = in_memory(frame)
    known = [elementwise.known(column) for column in frame.columns]
    gone: list[Expression] = [elementwise.missing(column) for column in known]
    if are_masked(known):
        dtype = one_dtype(known).numpy_dtype
        values: list[Expression] = [column.expression for column in known]
    else:
        values, dtype = in_common(known)
    if types.is_bool(dtype):
        values, dtype = [call("cast", value, to=ir.i64) for value in values], types.INT64
    best = "greatest" if op == "argmax" else "least"
    edge = literals.number(_edge(dtype, op), dtype)
    shown = [value if isinstance(missing, Literal) else elementwise.select(missing, edge, value) for missing, value in zip(gone, values, strict=True)]
    slot = Slot("best")
    rows = Projected(frame.rows, {slot: reduce(lambda found, value: call(best, found, value), shown)})
    position: Expression = Literal(-1, ir.i64)
    for at in reversed(range(len(values))):
        # What stands there is told from what stands in place of what is missing.
        position = elementwise.select(elementwise.both(elementwise.negated(gone[at]), call("eq", shown[at], Ref(slot))), Literal(at, ir.i64), position)
    found = run.table(rows, {"position": position}).numpy("position", "int64")
    if (found < 0).any() or (not skipna and any(elementwise.has_missing(frame.rows, column) for column in known)):
        raise Refused("a row of missing values only, or `skipna=False`")
    space = space_of(frame.rows)
    assert isinstance(space, MemoryRows)
    # Of objects pandas infers a dtype, as of text among other labels.
    labels = BaseSeries(frame.labels.take(found)._values)._values
    return Vector(frame.rows, captured_array(space, labels, "label"), None, frame.index)


def _edge(dtype: Any, op: str) -> Any:
    """What is never chosen before anything else."""
    if types.is_float(dtype):
        return -np.inf if op == "argmax" else np.inf
    limits = np.iinfo(dtype)
    return limits.min if op == "argmax" else limits.max


_register("idxmin", "argmin")
_register("idxmax", "argmax")

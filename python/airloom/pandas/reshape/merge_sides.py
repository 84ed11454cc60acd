"""The two sides of a join: what keys of theirs are compared by, and what a column is where its side is missing."""

from __future__ import annotations

import numpy as np

from airloom import ir
from airloom.pandas.algorithms import literals, take
from airloom.pandas.algorithms.duplicates import equal_key
from airloom.pandas.algorithms.elementwise import any_row, are_dates, both, either, negated, tells_zeros_apart, understood
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, DeferredDtype, Question
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused


def key_pair(left: Column, right: Column, left_rows: Rows, right_rows: Rows) -> tuple[Expression, Expression]:
    """What two keys are compared by."""
    if left.unsupported and right.unsupported:
        left, right = understood(left), understood(right)
        if are_dates(left) and are_dates(right):
            return left.expression, right.expression
    if left.unsupported or right.unsupported:
        raise Refused(f"keys of dtype `{left.dtype}`, which has no native type")
    if types.is_category(left.dtype) or types.is_category(right.dtype):
        if not kinds.same(left.dtype, right.dtype):
            raise Refused("keys of different categories")
        return left.expression, right.expression
    if kinds.same(left.dtype, right.dtype):
        if tells_zeros_apart(left_rows, left) or tells_zeros_apart(right_rows, right):
            raise Refused(f"keys of `{left.dtype}` with negative zeros")
        return equal_key(left), equal_key(right)
    if types.is_integer(left.dtype) and types.is_integer(right.dtype) and left.dtype.kind == right.dtype.kind:
        common = np.result_type(left.dtype, right.dtype)
        return literals.cast(left.expression, left.dtype, common), literals.cast(right.expression, right.dtype, common)
    if {left.dtype.kind, right.dtype.kind} == {"i", "f"} and types.is_number(left.dtype) and types.is_number(right.dtype):
        _check_whole(*((left, left_rows) if types.is_float(left.dtype) else (right, right_rows)))
        return literals.cast(left.expression, left.dtype, types.FLOAT64), literals.cast(right.expression, right.dtype, types.FLOAT64)
    raise Refused(f"keys of `{left.dtype}` and `{right.dtype}`")


def _check_whole(column: Column, rows: Rows) -> None:
    """Refuses floats that are not integers: pandas warns of them as keys beside integers."""
    value = column.expression
    type = types.type_of(column.dtype)
    assert type is not None
    great = call("ge", call("abs", value), Literal(2.0**62, type))
    broken = negated(call("eq", call("floor", value), value))
    if any_row(rows, both(negated(call("is_nan", value)), either(great, broken))):
        raise Refused("fractions as keys beside integers")


def missing_side(column: Column, slot: Slot, test: Question) -> Column:
    """A column of a side that may be missing: as pandas has it where it is."""
    if isinstance(column.dtype, DeferredDtype):
        column = materialize.decided(column)
    if column.shown is not None and are_dates(column) and column.shown.missing is np.nan:
        return column.at(Ref(slot))
    if column.shown is not None:
        raise Refused("objects of a side that may be missing")
    if column.by_position:
        made = Column(call("coalesce", Ref(slot), Literal(-1, ir.i64)), column.dtype, column.held)
        return take.intervals(made, test) if take.are_whole_intervals(column.dtype) else made
    dtype = column.dtype
    if types.is_float(dtype):
        return Column(call("null_to_nan", Ref(slot)), dtype)
    if types.is_category(dtype):
        width = types.type_of(dtype)
        assert width is not None
        return Column(call("coalesce", Ref(slot), Literal(-1, width)), dtype)
    if types.is_integer(dtype):
        return Column(Ref(slot), DeferredDtype(dtype, types.FLOAT64, test))
    if types.is_bool(dtype):
        return Column(Ref(slot), DeferredDtype(dtype, types.OBJECT, test))
    return Column(Ref(slot), dtype)

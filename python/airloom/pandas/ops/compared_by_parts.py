"""Comparison of values that the engine has by their parts alone: intervals by their ends, periods by their numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.dtypes import types
from airloom.pandas.internals import convert
from airloom.pandas.ops import comparison, masked
from airloom.pandas.plan.expression import Expression, Literal, Ref
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import DataSlot, Rows
from airloom.pandas.refusals import Refused

#: Dtypes of which values have parts.
_PARTED = (pandas.IntervalDtype, pandas.PeriodDtype)
_EQUALITY = frozenset(("eq", "ne"))


def applies(left: Column, right: Any) -> bool:
    """Whether one side is of intervals or periods that pandas holds."""
    return any(isinstance(one, Column) and one.by_position and isinstance(one.dtype, _PARTED) for one in (left, right))


def compared(op: str, left: Column, right: Any, rows: Rows | None) -> Column:
    """Whether values are equal to, or less than, others or a value."""
    if not (left.by_position and isinstance(left.dtype, _PARTED)):
        assert isinstance(right, Column)
        if not types.is_number(left.dtype) or op not in _EQUALITY:
            raise Refused(f"comparing `{left.dtype}` with `{right.dtype}`")
        return comparison.never(op)
    if isinstance(right, Column):
        right = elementwise.understood(right)
        if right.dtype == types.OBJECT or types.is_category(right.dtype) or types.is_nullable(right.dtype):
            raise Refused(f"comparing `{left.dtype}` with `{right.dtype}`")
        if type(right.dtype) is not type(left.dtype):
            return _unlike(op, left, str(right.dtype))
    elif pandas.api.types.is_list_like(right):
        raise Refused(f"comparing `{left.dtype}` with a value of type `{type(right).__name__}`")
    return _intervals(op, left, right, rows) if isinstance(left.dtype, pandas.IntervalDtype) else _periods(op, left, right)


def _unlike(op: str, left: Column, other: str) -> Column:
    """A comparison with what nothing is equal to; of what is less pandas complains."""
    if op not in _EQUALITY:
        raise Refused(f"comparing `{left.dtype}` with `{other}`")
    return comparison.never(op)


def _intervals(op: str, left: Column, right: Any, rows: Rows | None) -> Column:
    if right is pandas.NA:
        return Column(Literal(None, ir.bool_), masked.BOOLEAN)
    if not isinstance(right, (Column, pandas.Interval)):
        return _unlike(op, left, type(right).__name__)
    closed = right.dtype.closed if isinstance(right, Column) else right.closed
    if closed != left.dtype.closed:
        return _unlike(op, left, f"an interval that is closed {closed}")
    mine = _ends(left)
    theirs: tuple[Any, Any] = _ends(right) if isinstance(right, Column) else (right.left, right.right)

    def each(word: str, at: int) -> Expression:
        return comparison.compared(word, mine[at], theirs[at], rows).expression

    equal = elementwise.both(each("eq", 0), each("eq", 1))
    if op == "eq":
        return Column(equal, types.BOOL)
    if op == "ne":
        return Column(elementwise.either(each("ne", 0), each("ne", 1)), types.BOOL)
    strict = "lt" if op in ("lt", "le") else "gt"
    found = elementwise.either(each(strict, 0), elementwise.both(each("eq", 0), each(strict, 1)))
    return Column(found if op == strict else elementwise.either(equal, found), types.BOOL)


def _ends(column: Column) -> tuple[Column, Column]:
    """The ends of intervals."""
    held, space, dtype = column.held, column.held.space, column.dtype.subtype
    type = types.type_of(dtype)
    if space is None or type is None or not isinstance(column.expression, Ref) or column.expression.slot is not space._position:
        raise Refused(f"dtype `{column.dtype}` has no native type")
    array = held.array
    left, right = (DataSlot(name, space, type, None, partial(convert.to_column, end, dtype)) for name, end in (("left", array._left), ("right", array._right)))
    return Column(Ref(left), dtype), Column(Ref(right), dtype)


def _periods(op: str, left: Column, right: Any) -> Column:
    if isinstance(right, Column):
        if right.dtype.freq != left.dtype.freq:
            return _unlike(op, left, str(right.dtype))
        other: Expression = _number(right)
    elif isinstance(right, str):
        try:
            other = _literal(pandas.Period(right, freq=left.dtype.freq))
        except ValueError:
            return _unlike(op, left, "text that is no period")
    elif right is pandas.NaT:
        return comparison.never(op)
    elif not isinstance(right, pandas.Period) or right.freq != left.dtype.freq:
        return _unlike(op, left, type(right).__name__)
    else:
        other = _literal(right)
    return comparison.known(op, _number(left), other)


def _number(column: Column) -> Expression:
    numbered = elementwise.ordered(column)
    if numbered is column:
        raise Refused(f"dtype `{column.dtype}` has no native type")
    return numbered.expression


def _literal(period: Any) -> Literal:
    if period is pandas.NaT:
        return literals.missing(elementwise.NUMBERED)
    return Literal(np.int64(period.ordinal).view("M8[ns]"), ir.timestamp("ns"))

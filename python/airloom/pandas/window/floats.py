"""What windows move along: numbers of any kind, as floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dtypes import types
from airloom.pandas.internals import convert, materialize
from airloom.pandas.plan.expression import Expression, Literal, Ref, call
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import DataSlot
from airloom.pandas.refusals import Refused

#: Categories are written into a program one by one.
MOST_CATEGORIES = 32
_NARROW = np.dtype(np.float16)


def as_floats(column: Column) -> Expression:
    """Numbers as floats, NaN where they are missing: objects that are numbers, categories that are, and what Arrow has, too."""
    column = elementwise.understood(materialize.decided(column))
    if column.shown is not None:
        return _of_objects(column)
    if column.by_position and column.dtype == _NARROW:
        return _of_narrow(column)
    if not column.unsupported and types.is_category(column.dtype):
        return _of_categories(column)
    if not column.unsupported and types.is_arrow_number(column.dtype):
        return call("null_to_nan", call("cast", column.expression, to=ir.optional(ir.f64)))
    return elementwise.as_floats(column)


def _of_objects(column: Column) -> Expression:
    assert column.shown is not None
    if column.shown.missing is pandas.NA or not (types.is_number(column.shown.dtype) or types.is_masked(column.shown.dtype)):
        raise Refused(f"objects of dtype `{column.shown.dtype}` as floats")
    return elementwise.as_floats(column.unwrapped())


def _of_narrow(column: Column) -> Expression:
    """Floats of 16 bits, of which the graph knows none: each of them is one of 64 bits as well."""
    held = column.held
    space = held.space
    if space is None or not isinstance(column.expression, Ref) or column.expression.slot is not space._position:
        raise Refused(f"dtype `{column.dtype}` has no native type")
    array = held.array
    return Ref(DataSlot("value", space, ir.f64, None, lambda: convert.to_column(array.astype(np.float64), types.FLOAT64)))


def _of_categories(column: Column) -> Expression:
    categories, width = column.dtype.categories, types.type_of(column.dtype)
    assert width is not None
    if not types.is_number(categories.dtype) or len(categories) > MOST_CATEGORIES:
        raise Refused(f"categories of dtype `{categories.dtype}` as floats, or more than {MOST_CATEGORIES} of them")
    found: Expression = Literal(float("nan"), ir.f64)
    for code, value in enumerate(categories.to_numpy().astype(np.float64)):
        found = elementwise.select(call("eq", column.expression, Literal(code, width)), Literal(float(value), ir.f64), found)
    return found


def stores_negative_zero(rows: Any, column: Column) -> bool:
    """Whether a column in memory has a negative zero, in whichever of its rows."""
    if elementwise.stores_negative_zero(rows, column):
        return True
    column = materialize.decided(column)
    if types.is_category(column.dtype):
        values = column.dtype.categories.to_numpy()
        return values.dtype.kind == "f" and bool((np.signbit(values) & (values == 0)).any())
    if not column.by_position:
        return False
    try:
        found = as_floats(column)
    except Refused:
        return False
    return elementwise.stores_negative_zero(rows, Column(found, types.FLOAT64))

"""Quotients that are rounded down, what they leave, and powers: where NumPy's rules end, pandas' own begin."""

from __future__ import annotations

from typing import Any

import numpy as np

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.align import has_rows
from airloom.pandas.dtypes import types
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused


def quotient(a: Expression, b: Expression, dtype: np.dtype[Any], rows: Rows | None) -> Column:
    """The quotient rounded down. By zero it is infinite, or NaN of zero, and all are wide floats."""
    if dtype == types.FLOAT64:
        return Column(call("floordiv", a, b), dtype)
    zero = literals.number(0, dtype)
    by_zero: Expression = call("eq", b, zero)
    if dtype.kind == "f":
        by_zero = elementwise.both(by_zero, elementwise.negated(call("is_nan", a)))
    made = call("floordiv", a, b, zero="zero") if dtype.kind != "f" else call("floordiv", a, b)
    if not _any_row(b, rows, by_zero):
        return Column(made, dtype)
    wide = literals.cast(made, dtype, types.FLOAT64)
    if dtype.kind == "f":
        return Column(wide, types.FLOAT64)
    signed = elementwise.select(call("eq", a, zero), Literal(float("nan"), ir.f64), Literal(float("inf"), ir.f64))
    if dtype.kind == "i":
        signed = elementwise.select(call("lt", a, zero), Literal(float("-inf"), ir.f64), signed)
    return Column(elementwise.select(call("eq", b, zero), signed, wide), types.FLOAT64)


def remainder(a: Expression, b: Expression, dtype: np.dtype[Any], rows: Rows | None) -> Column:
    """What a quotient leaves. Integers divided by zero leave NaN, and all are floats."""
    if dtype.kind == "f":
        return Column(call("floormod", a, b), dtype)
    by_zero = call("eq", b, literals.number(0, dtype))
    made = call("floormod", a, b, zero="zero")
    if isinstance(b, Literal):
        found = b.value == 0
    else:
        found = _any_row(b, rows, by_zero)
    if not found:
        return Column(made, dtype)
    return Column(elementwise.select(by_zero, Literal(float("nan"), ir.f64), literals.cast(made, dtype, types.FLOAT64)), types.FLOAT64)


def _any_row(b: Expression, rows: Rows | None, by_zero: Expression) -> bool:
    """Whether anything is divided by zero. It is looked at now."""
    if isinstance(b, Literal) and b.value != 0:
        return False
    if rows is None:
        raise Refused("a divisor that may be zero, over rows that are not known")
    return has_rows(rows) if isinstance(b, Literal) else elementwise.any_row(rows, by_zero)


def power(a: Expression, b: Expression, dtype: np.dtype[Any], rows: Rows | None) -> Column:
    """A power of the same dtype; of integers, none that is negative."""
    if dtype.kind == "i":
        if isinstance(b, Literal):
            bad = b.value < 0
        elif rows is None:
            raise Refused("a power that may be negative, over rows that are not known")
        else:
            bad = elementwise.any_row(rows, call("lt", b, literals.number(0, dtype)))
        if bad:
            raise Refused("a negative power of integers")
    if isinstance(b, Literal) and b.value == 2:
        # NumPy has a square for this exponent too, so that the last bit is the same.
        return Column(call("mul", a, a), dtype)
    return Column(call("pow", a, b), dtype)

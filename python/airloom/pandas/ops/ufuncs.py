"""NumPy's functions of each value.

Those whose result is the same to the last bit, and that warn of nothing, are ops of the engine, and computed with whatever is made of them. All others are computed by NumPy, at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plan_of
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.ops import arithmetic, numpy_loops
from airloom.pandas.plan.expression import Expression, call
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.plan.signs import cannot_be_negative
from airloom.pandas.refusals import Refused

#: Functions of floats that give floats, by the op for them.
_FLOATS = {np.floor: "floor", np.ceil: "ceil", np.trunc: "trunc", np.rint: "round", np.sign: "sign", np.fabs: "abs", np.negative: "neg"}
#: Functions that leave integers as they are.
_WHOLE = frozenset((np.floor, np.ceil, np.trunc))
_UNARY = {np.absolute: "abs", np.negative: "neg", np.positive: "pos", np.invert: "not"}
#: Functions of floats that give booleans.
_TESTS = {np.isnan: "is_nan", np.isfinite: "is_finite", np.isinf: "is_infinite"}
_BINARY = {
    np.add: "add",
    np.subtract: "sub",
    np.multiply: "mul",
    np.true_divide: "truediv",
    np.floor_divide: "floordiv",
    np.remainder: "mod",
    np.power: "pow",
    np.divmod: "divmod",
    np.bitwise_and: "and",
    np.bitwise_or: "or",
    np.bitwise_xor: "xor",
    np.greater: "gt",
    np.greater_equal: "ge",
    np.less: "lt",
    np.less_equal: "le",
    np.equal: "eq",
    np.not_equal: "ne",
}
_LOGIC = {np.logical_and: "and", np.logical_or: "or", np.logical_xor: "xor"}
_TURNED = {"gt": "lt", "ge": "le", "lt": "gt", "le": "ge", "eq": "eq", "ne": "ne"}


@operation("Series.__array_ufunc__", "DataFrame.__array_ufunc__")
def apply(plan: Any, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
    if method == "__call__" and not keywords:
        if len(inputs) == 2 and ufunc in _BINARY and not (ufunc is np.power and not all(map(_is_integer, inputs))):
            return _operated(_BINARY[ufunc], *inputs)
        try:
            return _planned(plan, ufunc, inputs)
        except Refused:
            pass
    return numpy_loops.computed(ufunc, method, inputs, keywords)


def _planned(plan: Any, ufunc: Any, inputs: Sequence[Any]) -> Any:
    """What the engine computes, when somebody asks for it."""
    if len(inputs) == 1:
        return elementwise.each(plan, lambda column: _unary(ufunc, column))
    if ufunc in (np.maximum, np.minimum):
        return _extreme(ufunc, *inputs)
    if ufunc in _LOGIC and all(isinstance(one, BaseSeries) and one.dtype == bool for one in inputs):
        return _operated(_LOGIC[ufunc], *inputs)
    raise Refused(f"`{ufunc.__name__}`, whose last bit may differ")


def _is_integer(value: Any) -> bool:
    """Whether an operand is of integers, whose powers are exact."""
    if isinstance(value, BaseSeries):
        return bool(types.is_integer(value.dtype))
    return not isinstance(value, (bool, np.timedelta64)) and isinstance(value, (int, np.integer))


def _operated(name: str, left: Any, right: Any) -> Any:
    """What the operator of Python's makes of both sides, as pandas itself has it."""
    if isinstance(left, BaseSeries) and isinstance(right, BaseDataFrame):
        raise Refused("a Series before a DataFrame in a NumPy function")
    if isinstance(left, (BaseSeries, BaseDataFrame)):
        made = getattr(left, f"__{name}__")(right)
    else:
        made = getattr(right, f"__{_TURNED.get(name, 'r' + name)}__")(left)
    if made is NotImplemented:
        raise Refused("operands of different classes")
    return made if isinstance(made, tuple) else plan_of(made)


def _unary(ufunc: Any, column: Column) -> Column:
    dtype = column.dtype
    if ufunc in _UNARY and not (ufunc is np.negative and types.is_float(dtype)):
        return arithmetic.unary(_UNARY[ufunc], column)
    if ufunc is np.logical_not and types.is_bool(dtype):
        return arithmetic.unary("not", column)
    if ufunc is np.square and types.is_integer(dtype):
        return column.at(call("mul", column.expression, column.expression))
    if ufunc in _WHOLE and types.is_integer(dtype):
        return column.copy()
    if (types.is_time(dtype) or types.is_duration(dtype)) and ufunc in (np.isnat, np.isnan, np.isfinite):
        gone = elementwise.missing(column)
        return Column(elementwise.negated(gone) if ufunc is np.isfinite else gone, types.BOOL)
    if not types.is_float(dtype):
        raise Refused(f"`{ufunc.__name__}` of `{dtype}`")
    if ufunc in _TESTS:
        return Column(call(_TESTS[ufunc], column.expression), types.BOOL)
    if ufunc is np.sqrt and cannot_be_negative(column.expression):
        return column.at(call("sqrt", column.expression))
    if ufunc in (np.deg2rad, np.radians) and np.geterr()["under"] == "ignore":
        return column.at(call("mul", column.expression, literals.number(dtype.type(np.pi) / dtype.type(180), dtype)))
    if ufunc not in _FLOATS:
        raise Refused(f"`{ufunc.__name__}`, whose last bit may differ, or that may warn")
    made: Expression = call(_FLOATS[ufunc], column.expression)
    if ufunc is np.sign:
        # NumPy's sign of a zero is the positive one.
        zero = literals.number(0, dtype)
        made = elementwise.select(call("eq", column.expression, zero), zero, made)
    return column.at(made)


def _as(column: Column, dtype: Any) -> Column:
    """A column of numbers as wider ones."""
    return column if kinds.same(column.dtype, dtype) else Column(literals.cast(column.expression, column.dtype, dtype), dtype)


def _extreme(ufunc: Any, left: Any, right: Any) -> Any:
    if isinstance(left, BaseDataFrame) or isinstance(right, BaseDataFrame):
        raise Refused(f"`{ufunc.__name__}` of DataFrames")
    turned = not isinstance(left, BaseSeries)
    plan, other = (plan_of(right), left) if turned else (plan_of(left), right)
    assert isinstance(plan, Vector) and not isinstance(plan, Frame)
    column = elementwise.known(plan.column)
    beside = elementwise.operand(plan, plan.rows, other)
    rows, name = plan.rows, plan.name
    if beside is not None:
        rows, far = beside
        if not all(types.is_number(dtype) and not types.is_bool(dtype) for dtype in (column.dtype, far.dtype)):
            raise Refused(f"`{ufunc.__name__}` of `{column.dtype}` and `{far.dtype}`")
        common = np.result_type(column.dtype, far.dtype)
        column, second = _as(column, common), literals.cast(far.expression, far.dtype, common)
        if isinstance(other, BaseSeries):
            name = arithmetic.common_name(plan, plan_of(other))
    else:
        if types.is_integer(column.dtype) and type(other) is float:
            column = _as(column, types.FLOAT64)
        plain = type(other) in (int, float) or (isinstance(other, np.generic) and kinds.same(other.dtype, column.dtype))
        fitting = elementwise.fits(other, column.dtype) if plain else None
        if fitting is None:
            raise Refused(f"`{ufunc.__name__}` of `{column.dtype}` and a value of type `{type(other).__name__}`")
        second = fitting
    if not types.is_number(column.dtype) or types.is_bool(column.dtype):
        raise Refused(f"`{ufunc.__name__}` of `{column.dtype}`")
    first: Expression = column.expression
    if turned:
        first, second = second, first
    taken: Expression = call("gt" if ufunc is np.maximum else "lt", first, second)
    if types.is_float(column.dtype):
        # Of two zeros the second is taken, whatever their signs; of a NaN and anything, the NaN.
        taken = elementwise.either(taken, call("is_nan", first))
    return Vector(rows, column.at(elementwise.select(taken, first, second)), name, plan.index)

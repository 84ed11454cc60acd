"""Reductions of a row, where all of its values are numbers of one dtype."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.refusals import Refused
from airloom.pandas.udf.values import Row, Value

if TYPE_CHECKING:
    from airloom.pandas.udf.translate import Translation

#: Functions of NumPy's that call the method of a row.
FUNCTIONS: dict[Any, str] = {np.sum: "sum", np.mean: "mean", np.max: "max", np.min: "min"}
#: From this many values on NumPy adds floats up in another order.
MOST_FLOATS = 7
_NAN = Literal(float("nan"), ir.f64)


def reduced(translation: Translation, row: Row, name: str) -> Value:
    """The sum, mean or an extreme of a row, what is missing passed over."""
    if name not in FUNCTIONS.values():
        raise Refused(f"`{name}` of a row")
    values: list[Expression] = []
    kinds = set()
    for value in row.values.values():
        if isinstance(value, str):
            raise Refused(value)
        if not value.numpy or value.kind not in ("int", "float"):
            raise Refused(f"`{name}` of a row that is not of numbers")
        values.append(value.expression)
        kinds.add(value.kind)
    if len(kinds) != 1:
        raise Refused(f"`{name}` of a row of several dtypes, or of no columns")
    if kinds == {"int"}:
        return _of_integers(values, name)
    if name in ("sum", "mean") and len(values) > MOST_FLOATS:
        raise Refused(f"`{name}` of a row of more than {MOST_FLOATS} floats")
    return _of_floats(translation, values, name)


def _of_integers(values: list[Expression], name: str) -> Value:
    if name == "mean":
        total = _total([call("cast", value, to=ir.f64) for value in values])
        if len(values) > MOST_FLOATS:
            raise Refused(f"`{name}` of a row of more than {MOST_FLOATS} integers")
        return Value("float", call("div", total, Literal(float(len(values)), ir.f64)), numpy=True)
    op = {"sum": "add", "min": "least", "max": "greatest"}[name]
    return Value("int", reduce(lambda made, value: call(op, made, value), values), numpy=True)


def _of_floats(translation: Translation, values: list[Expression], name: str) -> Value:
    gone: list[Expression] = [call("is_nan", value) for value in values]
    nothing = reduce(elementwise.both, gone)
    if name in ("min", "max"):
        edge = Literal(float("inf") if name == "min" else float("-inf"), ir.f64)
        op = "least" if name == "min" else "greatest"
        found = reduce(lambda made, value: call(op, made, value), [elementwise.select(missing, edge, value) for missing, value in zip(gone, values, strict=True)])
        return Value("float", elementwise.select(nothing, _NAN, found), numpy=True)
    zero = Literal(0.0, ir.f64)
    total = call("add", _total([elementwise.select(missing, zero, value) for missing, value in zip(gone, values, strict=True)]), zero)
    if name == "sum":
        return Value("float", total, numpy=True)
    # Of nothing it is a float of Python's own, which has other rules.
    translation.never(nothing)
    count = _total([elementwise.select(missing, zero, Literal(1.0, ir.f64)) for missing in gone])
    return Value("float", call("div", total, count), numpy=True)


def _total(values: list[Expression]) -> Expression:
    return reduce(lambda made, value: call("add", made, value), values)

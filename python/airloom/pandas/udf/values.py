"""Values while a function is translated: of one kind of Python's, for each row."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.plan import walk
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.refusals import Refused

#: The kinds of values that rows have, and their types.
TYPES = {"int": ir.i64, "float": ir.f64, "bool": ir.bool_, "str": ir.str_}
#: Expressions with more parts than this are not worth what they take to compile.
MOST_PARTS = 4000


class Value:
    """A value of each row. `missing` tells where it is NaN or NaT in place of what its kind says; `numpy` that it is a scalar of NumPy's, not Python's."""

    __slots__ = ("expression", "kind", "missing", "numpy")

    def __init__(self, kind: str, expression: Expression, missing: Expression | None = None, *, numpy: bool = False) -> None:
        self.kind = kind
        self.expression = expression
        self.missing = missing
        self.numpy = numpy


class TypeOf(Value):
    """The class of a value."""

    __slots__ = ("of",)

    def __init__(self, of: Value) -> None:
        super().__init__("type", of.expression)
        self.of = of


class Constant:
    """A value of Python's that is the same for all rows."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Row:
    """A row of a frame: its values by label."""

    __slots__ = ("values",)

    def __init__(self, values: dict[Any, Any]) -> None:
        self.values = values


class Several:
    """A tuple or a list of values that are computed: what names are given at once."""

    __slots__ = ("items",)

    def __init__(self, items: Sequence[Operand]) -> None:
        self.items = items


class Extreme:
    """The smaller or the larger of an integer and a float, which is of the kind of the one that it is: it may be named and returned."""

    __slots__ = ("condition", "otherwise", "then")

    def __init__(self, condition: Expression, then: Operand, otherwise: Operand) -> None:
        self.condition = condition
        self.then = then
        self.otherwise = otherwise


Operand = Value | Constant | Row | Several | Extreme


def words(value: str) -> Literal:
    return Literal(value, ir.str_)


def whole(value: int) -> Literal:
    return Literal(value, ir.i64)


def kind_of(value: Any) -> str | None:
    """The kind of a constant."""
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    if type(value) is int or (isinstance(value, np.integer) and not isinstance(value, np.timedelta64)):
        return "int"
    if type(value) is float or isinstance(value, np.floating):
        return "float"
    if type(value) is str:
        return "str"
    return None


def typed(operand: Operand) -> Value:
    """An operand as a value of each row."""
    if isinstance(operand, Value):
        return operand
    if isinstance(operand, Row):
        raise Refused("a row as a value")
    if isinstance(operand, Several):
        raise Refused("a list of computed values")
    if isinstance(operand, Extreme):
        raise Refused("`min` or `max` of different types")
    kind = kind_of(operand.value)
    if kind is None:
        if type(operand.value) in (datetime.datetime, pandas.Timestamp):
            raise Refused("a timestamp as a constant")
        raise Refused(f"a constant of type `{type(operand.value).__name__}`")
    value = {"bool": bool, "int": int, "float": float, "str": str}[kind](operand.value)
    if kind == "int" and not -(2**63) <= value < 2**63:
        raise Refused("an integer of more than 64 bits")
    return Value(kind, Literal(value, TYPES[kind]), numpy=isinstance(operand.value, np.generic))


def to_float(value: Value) -> Expression:
    """A number as a float."""
    if value.kind == "float":
        return value.expression
    expression = value.expression
    if value.kind == "bool":
        expression = call("cast", expression, to=ir.i64)
    return call("cast", expression, to=ir.f64)


def to_int(value: Value) -> Expression:
    """An integer or a boolean as an integer."""
    if value.kind == "bool":
        return call("cast", value.expression, to=ir.i64)
    assert value.kind == "int"
    return value.expression


def chosen(condition: Expression, then: Operand, otherwise: Operand) -> Operand:
    """One of two values, by a condition."""
    if isinstance(then, Constant) and isinstance(otherwise, Constant) and type(then.value) is type(otherwise.value) and then.value is otherwise.value:
        return then
    first, second = typed(then), typed(otherwise)
    if first.kind != second.kind:
        raise Refused(f"{first.kind} in some rows and {second.kind} in others")
    missing = None
    if first.missing is not None or second.missing is not None:
        missing = elementwise.select(condition, first.missing or elementwise.FALSE, second.missing or elementwise.FALSE)
    return Value(first.kind, elementwise.select(condition, first.expression, second.expression), missing, numpy=first.numpy or second.numpy)


def conjunction(first: Expression, second: Expression) -> Expression:
    if first is elementwise.TRUE:
        return second
    return first if second is elementwise.TRUE else elementwise.both(first, second)


def parts(expressions: list[Expression]) -> int:
    """How many parts expressions have, what they share counted once."""
    return len(walk.reached(expressions, walk.calls))


def folded(compute: Callable[[], Any], *constants: Constant) -> Constant:
    """What constants make, computed now."""
    if not all(isinstance(one.value, (bool, int, float, str, tuple)) for one in constants):
        raise Refused("constants that are not scalars")
    try:
        return Constant(compute())
    except Exception as error:
        raise Refused("constants for which Python raises") from error

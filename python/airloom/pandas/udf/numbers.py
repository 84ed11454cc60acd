"""Arithmetic and comparison as Python does them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.refusals import Refused
from airloom.pandas.udf.values import Constant, Operand, Row, Value, to_float, to_int, typed

if TYPE_CHECKING:
    from airloom.pandas.udf.translate import Translation

#: Operators by the names of the module `operator`, and how they are written.
OPERATORS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**"}
_WHOLE = ("add", "sub", "mul")
ZERO = Literal(0, ir.i64)
#: Integers up to here are floats without being rounded.
EXACT = 2**53


def binary(translation: Translation, op: str, left: Operand, right: Operand) -> Value:
    """An operation of two values."""
    first, second = translation.known(left), translation.known(right)
    if first.kind == "str" or second.kind == "str":
        if op == "add" and first.kind == second.kind:
            return Value("str", call("str_concat", first.expression, second.expression))
        raise Refused(f"`{OPERATORS[op]}` of {first.kind} and {second.kind}")
    if not {first.kind, second.kind} <= {"int", "float", "bool"}:
        raise Refused(f"`{OPERATORS[op]}` of {first.kind} and {second.kind}")
    numpy = first.numpy or second.numpy
    if numpy and "bool" in (first.kind, second.kind):
        raise Refused("arithmetic of NumPy's booleans")
    if op == "pow":
        return _power(translation, first, second, numpy)
    if "float" not in (first.kind, second.kind):
        return _whole(translation, op, to_int(first), to_int(second), numpy)
    a, b = to_float(first), to_float(second)
    if op in _WHOLE:
        return Value("float", call(op, a, b), numpy=numpy)
    translation.never(call("eq", b, Literal(0.0, ir.f64)))
    if op == "truediv":
        return Value("float", call("div", a, b), numpy=numpy)
    if numpy:
        raise Refused("the remainder of a division, as NumPy rounds it")
    if not (isinstance(b, Literal) and abs(b.value) < float("inf")):
        translation.never(elementwise.negated(call("is_finite", b)))
    translation.never(elementwise.negated(call("is_finite", a)))
    return Value("float", call("floordiv" if op == "floordiv" else "floormod", a, b))


def _whole(translation: Translation, op: str, a: Expression, b: Expression, numpy: bool) -> Value:
    if op in _WHOLE:
        made = call(op, a, b, overflow="null")
        # Integers of Python have no end.
        translation.never(call("is_null", made))
        return Value("int", call("coalesce", made, ZERO), numpy=numpy)
    translation.never(call("eq", b, ZERO))
    if op == "truediv":
        for one in (a, b):
            if not (isinstance(one, Literal) and abs(one.value) <= EXACT):
                exact(translation, one)
        return Value("float", call("div", call("cast", a, to=ir.f64), call("cast", b, to=ir.f64)), numpy=numpy)
    if not (isinstance(b, Literal) and b.value != -1):
        translation.never(elementwise.both(call("eq", b, Literal(-1, ir.i64)), call("eq", a, Literal(-(2**63), ir.i64))))
    made = call("floordiv" if op == "floordiv" else "floormod", a, b, zero="null")
    return Value("int", call("coalesce", made, ZERO), numpy=numpy)


def exact(translation: Translation, whole: Expression) -> None:
    """Notes that integers which a float would round are not known."""
    within = elementwise.both(call("le", whole, Literal(EXACT, ir.i64)), call("ge", whole, Literal(-EXACT, ir.i64)))
    translation.never(elementwise.negated(within))


def _power(translation: Translation, base: Value, power: Value, numpy: bool) -> Value:
    exponent = power.expression
    if not isinstance(exponent, Literal) or power.kind == "bool" or base.kind == "bool":
        raise Refused("a power that is computed")
    if base.kind == "int" and power.kind == "int":
        if not 0 <= exponent.value <= 8:
            raise Refused("a power of integers that is negative or above 8")
        made: Expression = Literal(1, ir.i64) if exponent.value == 0 else base.expression
        for _ in range(exponent.value - 1):
            made = binary(translation, "mul", Value("int", made), base).expression
        return Value("int", made, numpy=numpy)
    value = to_float(base)
    if numpy:
        raise Refused("a power, as NumPy rounds it")
    if power.kind == "float" and not float(exponent.value).is_integer():
        # A root of a negative number is a complex one.
        translation.never(call("lt", value, Literal(0.0, ir.f64)))
    made = call("pow", value, Literal(float(exponent.value), ir.f64))
    if exponent.value < 0:
        translation.never(call("eq", value, Literal(0.0, ir.f64)))
    # What overflows raises.
    translation.never(elementwise.both(call("is_infinite", made), call("is_finite", value)))
    return Value("float", made)


def negative(translation: Translation, operand: Operand) -> Value:
    """A number with the other sign."""
    value = translation.known(operand)
    if value.kind == "float":
        return Value("float", call("neg", value.expression), numpy=value.numpy)
    if value.kind == "int" or (value.kind == "bool" and not value.numpy):
        return _whole(translation, "sub", ZERO, to_int(value), value.numpy)
    raise Refused(f"the negative of {value.kind}")


def compared(translation: Translation, op: str, left: Operand, right: Operand) -> Expression:
    """A comparison of two values."""
    if isinstance(left, Row) or isinstance(right, Row):
        raise Refused("a comparison of rows")
    if op in ("eq", "ne") and (isinstance(left, Constant) or isinstance(right, Constant)):
        operand, constant = (right, left) if isinstance(left, Constant) else (left, right)
        value = typed(operand)
        if value.missing is not None and isinstance(constant, Constant) and value.kind == "str" and type(constant.value) is str:
            # NaN equals no text.
            found = call("is_true", call("eq", value.expression, typed(constant).expression))
            return found if op == "eq" else elementwise.negated(found)
    first, second = translation.known(left), translation.known(right)
    if first.kind == second.kind and first.kind in ("int", "float", "bool", "str"):
        return call(op, first.expression, second.expression)
    if not {first.kind, second.kind} <= {"int", "float", "bool"}:
        raise Refused(f"a comparison of {first.kind} and {second.kind}")
    if "float" not in (first.kind, second.kind):
        return call(op, to_int(first), to_int(second))
    for one in (first, second):
        if one.kind == "int" and not (isinstance(one.expression, Literal) and abs(one.expression.value) <= EXACT):
            exact(translation, one.expression)
    return call(op, to_float(first), to_float(second))

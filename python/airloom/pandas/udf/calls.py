"""Functions that a function may call."""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.ops import cast
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.refusals import Refused
from airloom.pandas.udf import matches, methods, numbers, rows
from airloom.pandas.udf.methods import as_text, method
from airloom.pandas.udf.values import Constant, Extreme, Operand, Row, TypeOf, Value, to_float, to_int, typed, whole

if TYPE_CHECKING:
    from airloom.pandas.udf.translate import Translation


def called(translation: Translation, function: Any, arguments: Sequence[Operand], keywords: dict[str, Operand]) -> Operand:
    """What a function makes of arguments."""
    inner = getattr(function, "__wrapped__", None)
    if inner is not None and _hashable(inner) and inner in _FUNCTIONS:
        # A function of pandas in the place of which ours stands.
        function = inner
    if isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, str) and function.__name__ == "format":
        return methods.filled(translation, function.__self__, arguments, keywords)
    if isinstance(function, types.FunctionType) and function not in _FUNCTIONS and function not in matches.FUNCTIONS:
        return translation.call_function(function, arguments, keywords)
    if _hashable(function) and function in matches.FUNCTIONS and not keywords:
        return matches.function(translation, matches.FUNCTIONS[function], arguments)
    if len(arguments) == 1 and isinstance(arguments[0], Row) and not keywords and _hashable(function) and function in rows.FUNCTIONS:
        return rows.reduced(translation, arguments[0], rows.FUNCTIONS[function])
    made = _FUNCTIONS.get(function) if _hashable(function) else None
    if made is not None:
        if keywords:
            raise Refused("keyword arguments in a call")
        if arguments and all(isinstance(one, Constant) for one in arguments):
            return _folded(function, [one.value for one in arguments if isinstance(one, Constant)])
        return made(translation, *arguments)
    if isinstance(function, types.MethodDescriptorType) and function.__objclass__ is str and arguments:
        return method(translation, arguments[0], function.__name__, arguments[1:], keywords)
    raise Refused(f"a call of `{getattr(function, '__name__', type(function).__name__)}`")


def _folded(function: Any, values: Sequence[Any]) -> Constant:
    """What a function makes of constants, computed now."""
    if not all(type(value) in (bool, int, float, str) for value in values) or function in (isinstance, str):
        raise Refused("constants that are not scalars")
    try:
        return Constant(function(*values))
    except Exception as error:
        raise Refused("constants for which Python raises") from error


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _length(translation: Translation, operand: Operand) -> Value:
    value = translation.known(operand)
    if value.kind not in ("str", "list"):
        raise Refused(f"`len` of {value.kind}")
    return Value("int", call("str_len" if value.kind == "str" else "list_len", value.expression))


def _absolute(translation: Translation, operand: Operand) -> Value:
    value = translation.known(operand)
    if value.kind == "float":
        return Value("float", call("abs", value.expression), numpy=value.numpy)
    if value.kind != "int":
        raise Refused(f"`abs` of {value.kind}")
    made = call("abs", value.expression, overflow="null")
    translation.never(call("is_null", made))
    return Value("int", call("coalesce", made, whole(0)), numpy=value.numpy)


def _extreme(op: str) -> Callable[..., Operand]:
    def make(translation: Translation, *operands: Operand) -> Operand:
        if len(operands) < 2:
            raise Refused("`min` or `max` of a collection")
        if len(operands) == 2 and {typed(one).kind for one in operands} == {"int", "float"}:
            first, second = operands
            return Extreme(numbers.compared(translation, op, second, first), second, first)
        values = [translation.known(one) for one in operands]
        if len({value.kind for value in values}) > 1 or values[0].kind not in ("int", "float", "str"):
            raise Refused("`min` or `max` of different types")
        result = values[0]
        for value in values[1:]:
            # The first stays unless another is beyond it: so of NaN.
            beyond = call(op, value.expression, result.expression)
            result = Value(value.kind, elementwise.select(beyond, value.expression, result.expression), numpy=value.numpy or result.numpy)
        return result

    return make


def _rounded(translation: Translation, operand: Operand, digits: Operand | None = None) -> Value:
    value = translation.known(operand)
    if value.kind == "int":
        if digits is None or (isinstance(digits, Constant) and type(digits.value) is int and digits.value >= 0):
            return value
        raise Refused("`round` of integers")
    if value.kind != "float":
        raise Refused(f"`round` of {value.kind}")
    if digits is None:
        return _integral(translation, Value("float", call("round", value.expression)))
    if not isinstance(digits, Constant) or type(digits.value) is not int or not 0 <= digits.value <= 15:
        raise Refused("`round` to digits that are computed or negative")
    if value.numpy:
        return Value("float", call("round", value.expression, digits=digits.value), numpy=True)
    # Python rounds what the decimal expansion says, as it is written.
    finite = call("is_finite", value.expression)
    inner = elementwise.select(finite, value.expression, Literal(0.0, ir.f64))
    written = call("cast", call("str_format", inner, spec=f".{digits.value}f"), to=ir.f64)
    return Value("float", elementwise.select(finite, written, value.expression))


def _integral(translation: Translation, value: Value) -> Value:
    """A float without its fraction, as an integer."""
    within = elementwise.both(call("ge", value.expression, Literal(-(2.0**63), ir.f64)), call("lt", value.expression, Literal(2.0**63, ir.f64)))
    translation.never(elementwise.negated(within))
    return Value("int", call("cast", value.expression, to=ir.i64, mode="wrap"))


def _int(translation: Translation, operand: Operand) -> Value:
    value = translation.known(operand)
    if value.kind in ("int", "bool"):
        return Value("int", to_int(value))
    if value.kind == "float":
        return _integral(translation, value)
    return _read_number(translation, value, "int")


def _float(translation: Translation, operand: Operand) -> Value:
    value = typed(operand)
    if value.kind in ("int", "bool", "float"):
        value = translation.known(value)
        return Value("float", to_float(value))
    return _read_number(translation, translation.known(value), "float")


def _read_number(translation: Translation, value: Value, kind: str) -> Value:
    if value.kind != "str":
        raise Refused(f"{value.kind} as a number")
    target = np.dtype("int64") if kind == "int" else np.dtype("float64")
    made = cast.number_of(value.expression, target)
    translation.never(call("is_null", made))
    filler = whole(0) if kind == "int" else Literal(0.0, ir.f64)
    return Value(kind, call("coalesce", made, filler))


def _str(translation: Translation, operand: Operand) -> Value:
    return Value("str", as_text(translation.known(operand)))


def _bool(translation: Translation, operand: Operand) -> Value:
    return Value("bool", translation.truth(operand))


def _is_missing(translation: Translation, operand: Operand) -> Value:
    value = typed(operand)
    if value.kind == "float":
        return Value("bool", call("is_nan", value.expression))
    if value.kind == "list":
        raise Refused("`isna` of lists")
    return Value("bool", value.missing if value.missing is not None else elementwise.FALSE)


def _is_present(translation: Translation, operand: Operand) -> Value:
    return Value("bool", elementwise.negated(_is_missing(translation, operand).expression))


def _is_instance(translation: Translation, operand: Operand, classes: Operand) -> Value:
    value = typed(operand)
    wanted = {"int": int, "float": float, "bool": bool, "str": str}.get(value.kind)
    if not isinstance(classes, Constant) or wanted is None or value.numpy:
        raise Refused("`isinstance` with such classes")
    if value.missing is None:
        return Value("bool", elementwise.TRUE if issubclass(wanted, classes.value) else elementwise.FALSE)
    usual, gone = issubclass(wanted, classes.value), issubclass(float, classes.value)
    if value.kind != "str":
        raise Refused("`isinstance` of a missing value")
    return Value("bool", elementwise.select(value.missing, elementwise.TRUE if gone else elementwise.FALSE, elementwise.TRUE if usual else elementwise.FALSE))


def _float_test(op: str) -> Callable[..., Value]:
    def make(translation: Translation, operand: Operand) -> Value:
        value = translation.known(operand)
        if value.kind not in ("int", "float"):
            raise Refused(f"`{op}` of {value.kind}")
        return Value("bool", call(op, to_float(value)))

    return make


def _mathematical(op: str, outside: Callable[[Expression], Expression] | None = None) -> Callable[..., Value]:
    """A function of `math`: it raises outside of where it is defined, and where it overflows."""

    def make(translation: Translation, operand: Operand) -> Value:
        value = translation.known(operand)
        if value.kind not in ("int", "float"):
            raise Refused(f"`{op}` of {value.kind}")
        number = to_float(value)
        if value.kind == "int":
            numbers.exact(translation, value.expression)
        if outside is not None:
            translation.never(outside(number))
        made = call(op, number)
        translation.never(elementwise.both(elementwise.negated(call("is_finite", made)), call("is_finite", number)))
        return Value("float", made)

    return make


def _toward(op: str) -> Callable[..., Value]:
    def make(translation: Translation, operand: Operand) -> Value:
        value = translation.known(operand)
        if value.kind == "int":
            return value
        if value.kind != "float":
            raise Refused(f"`{op}` of {value.kind}")
        return _integral(translation, Value("float", call(op, value.expression)))

    return make


def _below(bound: float, *, open: bool = False) -> Callable[[Expression], Expression]:
    return lambda number: call("le" if open else "lt", number, Literal(bound, ir.f64))


def _infinite(number: Expression) -> Expression:
    return call("is_infinite", number)


def _root(translation: Translation, operand: Operand) -> Value:
    value = translation.known(operand)
    if value.kind not in ("int", "float"):
        raise Refused(f"the square root of {value.kind}")
    if value.kind == "int":
        numbers.exact(translation, value.expression)
    number = to_float(value)
    translation.never(call("lt", number, Literal(0.0, ir.f64)))
    return Value("float", call("sqrt", number), numpy=True)


def _type(translation: Translation, operand: Operand) -> Value:
    return TypeOf(typed(operand))


_FUNCTIONS: dict[Any, Callable[..., Operand]] = {
    type: _type,
    len: _length,
    abs: _absolute,
    min: _extreme("lt"),
    max: _extreme("gt"),
    round: _rounded,
    int: _int,
    float: _float,
    str: _str,
    bool: _bool,
    isinstance: _is_instance,
    pandas.isna: _is_missing,
    pandas.isnull: _is_missing,
    pandas.notna: _is_present,
    pandas.notnull: _is_present,
    np.isnan: _float_test("is_nan"),
    math.isnan: _float_test("is_nan"),
    math.isinf: _float_test("is_infinite"),
    math.isfinite: _float_test("is_finite"),
    math.sqrt: _mathematical("sqrt", _below(0.0)),
    math.exp: _mathematical("exp"),
    math.log: _mathematical("log", _below(0.0, open=True)),
    math.log2: _mathematical("log2", _below(0.0, open=True)),
    math.log10: _mathematical("log10", _below(0.0, open=True)),
    math.log1p: _mathematical("log1p", _below(-1.0, open=True)),
    math.sin: _mathematical("sin", _infinite),
    math.cos: _mathematical("cos", _infinite),
    math.tan: _mathematical("tan", _infinite),
    math.atan: _mathematical("atan"),
    math.fabs: _mathematical("abs"),
    math.floor: _toward("floor"),
    math.ceil: _toward("ceil"),
    math.trunc: _toward("trunc"),
    np.sqrt: _root,
}

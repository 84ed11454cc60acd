"""Functions, methods, items and attributes that a function may use."""

from __future__ import annotations

import math
import re
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.compile import numbers
from airloom.pandas.compile.values import Constant, Operand, Row, Value, chosen, kind_of, to_float, to_int, typed
from airloom.pandas.operations import conversion, dates, elements, text
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Refused

END = Literal(2**63 - 1, ir.i64)
#: Formats that everybody reads alike.
_SPEC = re.compile(r"0?[0-9]{0,2}d?|,d?|[0-9]{0,2},?\.[0-9]{1,2}f|[<>^]?[0-9]{0,3}s?")
#: So many entries of a dict are looked up one after the other.
MOST = 100


def words(value: str) -> Literal:
    return Literal(value, ir.str_)


def whole(value: int) -> Literal:
    return Literal(value, ir.i64)


def attribute(translation: Any, owner: Operand, name: str) -> Operand:
    """An attribute: a column of a row, a part of an instant, or something in a module."""
    if isinstance(owner, Row):
        if hasattr(pandas.Series, name):
            raise Refused(f"`{name}` of a row")
        return _column(owner, name)
    if isinstance(owner, Constant):
        if isinstance(owner.value, (types.ModuleType, type)):
            return Constant(_read(owner.value, name))
        raise Refused(f"an attribute of `{type(owner.value).__name__}`")
    parts = {"dayofweek": "weekday", "day_of_week": "weekday", "dayofyear": "day_of_year", "day_of_year": "day_of_year", "microsecond": "micro"}
    if owner.kind == "instant" and (name in parts or name in ("year", "month", "day", "hour", "minute", "second", "quarter", "days_in_month")):
        return _part(translation, owner, parts.get(name, name))
    raise Refused(f"`{name}` of {owner.kind}")


def _read(owner: Any, name: str) -> Any:
    try:
        return getattr(owner, name)
    except AttributeError as error:
        raise Refused(f"`{name}`, which is not there") from error


def _part(translation: Any, owner: Value, name: str) -> Value:
    value = translation.known(owner)
    found = call("cast", dates.part(value.expression, name), to=ir.optional(ir.i64))
    return Value("int", call("coalesce", found, whole(0)))


def _column(row: Row, label: Any) -> Operand:
    if label not in row.values:
        raise Refused("a label that is no column")
    found = row.values[label]
    if isinstance(found, str):
        raise Refused(found)
    return found


def contained(translation: Any, left: Operand, right: Operand) -> Expression:
    """Whether a value is in a collection, or a part of text."""
    if isinstance(right, Constant) and isinstance(right.value, (tuple, list, set, frozenset, dict)):
        if isinstance(left, Constant):
            return elements.TRUE if left.value in right.value else elements.FALSE
        value = typed(left)
        items = [item for item in right.value if kind_of(item) == value.kind]
        if len(items) != len(right.value) or value.kind not in ("int", "str", "float", "bool"):
            raise Refused("a collection of other kinds")
        if value.kind == "float" and any(item != item for item in items):
            raise Refused("NaN in a collection")
        if value.missing is not None and value.kind != "str":
            value = translation.known(value)
        if not items:
            return elements.FALSE
        # What is missing is in no collection of text.
        return call("is_true", call("is_in", value.expression, *(typed(Constant(item)).expression for item in items)))
    first, second = translation.known(left), translation.known(right)
    if first.kind == second.kind == "str":
        return call("str_contains", second.expression, first.expression)
    raise Refused(f"{first.kind} in {second.kind}")


def formatted(translation: Any, operand: Operand, spec: str) -> Expression:
    """A value as an f-string writes it."""
    value = translation.known(operand)
    if not spec:
        return as_text(value)
    if not _SPEC.fullmatch(spec):
        raise Refused(f"the format `{spec}`")
    letter = {"int": "d", "float": "f", "str": "s"}.get(value.kind)
    if letter is None or (spec[-1] in "dfs" and spec[-1] != letter) or (value.kind == "float" and not spec.endswith("f")):
        raise Refused(f"{value.kind} by the format `{spec}`")
    if value.kind == "str" and spec.startswith("0"):
        raise Refused("text filled with zeros")
    return call("str_format", value.expression, spec=spec)


def as_text(value: Value) -> Expression:
    """A value as `str` writes it."""
    if value.kind == "str":
        return value.expression
    if value.kind == "int":
        return call("cast", value.expression, to=ir.str_)
    if value.kind == "bool":
        return elements.select(value.expression, words("True"), words("False"))
    if value.kind == "float" and not value.numpy:
        return call("str_format", value.expression, spec="")
    raise Refused(f"{value.kind} as text")


def cut(translation: Any, container: Operand, bounds: Sequence[Operand | None]) -> Value:
    """A slice of text."""
    value = translation.known(container)
    start, stop, step = bounds
    if value.kind != "str" or step is not None:
        raise Refused(f"a slice of {value.kind}, or with a step")
    places = []
    for bound, otherwise in ((start, whole(0)), (stop, END)):
        if bound is None or (isinstance(bound, Constant) and bound.value is None):
            places.append(otherwise)
            continue
        place = translation.known(bound)
        if place.kind != "int":
            raise Refused("a place that is no number")
        places.append(place.expression)
    return Value("str", call("str_slice", value.expression, *places))


def item(translation: Any, container: Operand, key: Operand) -> Operand:
    """An item of a row, of a dict, of text or of its parts."""
    if isinstance(container, Row):
        if not isinstance(key, Constant) or not isinstance(key.value, str):
            raise Refused("a label that is computed")
        return _column(container, key.value)
    if isinstance(container, Constant) and isinstance(key, Constant):
        if not isinstance(container.value, (dict, tuple, list, str)):
            raise Refused(f"an item of `{type(container.value).__name__}`")
        try:
            return Constant(container.value[key.value])
        except Exception as error:
            raise Refused("an item that is not there") from error
    if isinstance(container, Constant) and type(container.value) is dict:
        return _looked_up(translation, container.value, key, None)
    value = translation.known(container)
    place = translation.known(key)
    if place.kind != "int" or value.kind not in ("str", "list"):
        raise Refused(f"an item of {value.kind}")
    found = call("str_at" if value.kind == "str" else "list_at", value.expression, place.expression)
    translation.never(call("is_null", found))
    return Value("str", call("coalesce", found, words("")))


def _looked_up(translation: Any, mapping: dict[Any, Any], key: Operand, default: Operand | None) -> Operand:
    value = typed(key)
    if len(mapping) > MOST or not mapping or any(kind_of(one) != value.kind for one in mapping) or value.kind not in ("int", "str", "bool"):
        raise Refused("a dict of many values, or with keys of other kinds")
    if value.missing is not None and (value.kind != "str" or default is None):
        value = translation.known(value)
    hits = [(call("is_true", call("eq", value.expression, typed(Constant(one)).expression)), Constant(found)) for one, found in mapping.items()]
    if default is None:
        default = hits[-1][1]
        anywhere = hits[0][0]
        for hit, _ in hits[1:]:
            anywhere = elements.either(anywhere, hit)
        translation.never(elements.negated(anywhere))
    result: Operand = default
    for hit, found in reversed(hits):
        result = chosen(hit, found, result)
    return result


def called(translation: Any, function: Any, arguments: Sequence[Operand], keywords: dict[str, Operand]) -> Operand:
    """What a function makes of arguments."""
    if isinstance(function, types.FunctionType) and function not in _FUNCTIONS:
        return translation.call_function(function, arguments, keywords)
    made = _FUNCTIONS.get(function) if _hashable(function) else None
    if made is not None:
        if keywords:
            raise Refused("keywords of a function")
        if all(isinstance(one, Constant) for one in arguments) and arguments:
            raise Refused("a function of constants")
        return made(translation, *arguments)
    if isinstance(function, types.MethodDescriptorType) and function.__objclass__ is str and arguments:
        return method(translation, arguments[0], function.__name__, arguments[1:], keywords)
    raise Refused(f"`{getattr(function, '__name__', type(function).__name__)}`, which is not known")


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _length(translation: Any, operand: Operand) -> Value:
    value = translation.known(operand)
    if value.kind not in ("str", "list"):
        raise Refused(f"the length of {value.kind}")
    return Value("int", call("str_len" if value.kind == "str" else "list_len", value.expression))


def _absolute(translation: Any, operand: Operand) -> Value:
    value = translation.known(operand)
    if value.kind == "float":
        return Value("float", call("abs", value.expression), numpy=value.numpy)
    if value.kind != "int":
        raise Refused(f"the size of {value.kind}")
    made = call("abs", value.expression, overflow="null")
    translation.never(call("is_null", made))
    return Value("int", call("coalesce", made, whole(0)), numpy=value.numpy)


def _extreme(op: str) -> Callable[..., Value]:
    def make(translation: Any, *operands: Operand) -> Value:
        if len(operands) < 2:
            raise Refused("the least of a collection")
        values = [translation.known(one) for one in operands]
        if len({value.kind for value in values}) > 1 or values[0].kind not in ("int", "float", "str"):
            raise Refused("the least of different kinds")
        result = values[0]
        for value in values[1:]:
            # The first stays unless another is beyond it: so of NaN.
            beyond = call(op, value.expression, result.expression)
            result = Value(value.kind, elements.select(beyond, value.expression, result.expression), numpy=value.numpy or result.numpy)
        return result

    return make


def _rounded(translation: Any, operand: Operand, digits: Operand | None = None) -> Value:
    value = translation.known(operand)
    if value.kind == "int":
        if digits is None or (isinstance(digits, Constant) and type(digits.value) is int and digits.value >= 0):
            return value
        raise Refused("rounding whole numbers")
    if value.kind != "float":
        raise Refused(f"rounding {value.kind}")
    if digits is None:
        return _integral(translation, Value("float", call("round", value.expression)))
    if not isinstance(digits, Constant) or type(digits.value) is not int or not 0 <= digits.value <= 15:
        raise Refused("digits that are computed, or before the point")
    if value.numpy:
        return Value("float", call("round", value.expression, digits=digits.value), numpy=True)
    # Python rounds what the decimal expansion says, as it is written.
    finite = call("is_finite", value.expression)
    inner = elements.select(finite, value.expression, Literal(0.0, ir.f64))
    written = call("cast", call("str_format", inner, spec=f".{digits.value}f"), to=ir.f64)
    return Value("float", elements.select(finite, written, value.expression))


def _integral(translation: Any, value: Value) -> Value:
    """A float without its fraction, as a whole number."""
    within = elements.both(call("ge", value.expression, Literal(-(2.0**63), ir.f64)), call("lt", value.expression, Literal(2.0**63, ir.f64)))
    translation.never(elements.negated(within))
    return Value("int", call("cast", value.expression, to=ir.i64, mode="wrap"))


def _int(translation: Any, operand: Operand) -> Value:
    value = translation.known(operand)
    if value.kind in ("int", "bool"):
        return Value("int", to_int(value))
    if value.kind == "float":
        return _integral(translation, value)
    return _read_number(translation, value, "int")


def _float(translation: Any, operand: Operand) -> Value:
    value = typed(operand)
    if value.kind in ("int", "bool", "float"):
        value = translation.known(value)
        return Value("float", to_float(value))
    return _read_number(translation, translation.known(value), "float")


def _read_number(translation: Any, value: Value, kind: str) -> Value:
    if value.kind != "str":
        raise Refused(f"{value.kind} as a number")
    target = np.dtype("int64") if kind == "int" else np.dtype("float64")
    made = conversion.number_of(value.expression, target)
    translation.never(call("is_null", made))
    filler = whole(0) if kind == "int" else Literal(0.0, ir.f64)
    return Value(kind, call("coalesce", made, filler))


def _str(translation: Any, operand: Operand) -> Value:
    return Value("str", as_text(translation.known(operand)))


def _bool(translation: Any, operand: Operand) -> Value:
    return Value("bool", translation.truth(operand))


def _is_missing(translation: Any, operand: Operand) -> Value:
    value = typed(operand)
    if value.kind == "float":
        return Value("bool", call("is_nan", value.expression))
    if value.kind == "list":
        raise Refused("lists that may be missing")
    return Value("bool", value.missing if value.missing is not None else elements.FALSE)


def _is_present(translation: Any, operand: Operand) -> Value:
    return Value("bool", elements.negated(_is_missing(translation, operand).expression))


def _is_instance(translation: Any, operand: Operand, classes: Operand) -> Value:
    value = typed(operand)
    wanted = {"int": int, "float": float, "bool": bool, "str": str}.get(value.kind)
    if not isinstance(classes, Constant) or wanted is None or value.numpy:
        raise Refused("what a value is an instance of")
    if value.missing is None:
        return Value("bool", elements.TRUE if issubclass(wanted, classes.value) else elements.FALSE)
    usual, gone = issubclass(wanted, classes.value), issubclass(float, classes.value)
    if value.kind != "str":
        raise Refused("what a missing value is an instance of")
    return Value("bool", elements.select(value.missing, elements.TRUE if gone else elements.FALSE, elements.TRUE if usual else elements.FALSE))


def _float_test(op: str) -> Callable[..., Value]:
    def make(translation: Any, operand: Operand) -> Value:
        value = translation.known(operand)
        if value.kind not in ("int", "float"):
            raise Refused(f"`{op}` of {value.kind}")
        return Value("bool", call(op, to_float(value)))

    return make


def _mathematical(op: str, outside: Callable[[Expression], Expression] | None = None) -> Callable[..., Value]:
    """A function of `math`: it raises outside of where it is defined, and where it overflows."""

    def make(translation: Any, operand: Operand) -> Value:
        value = translation.known(operand)
        if value.kind not in ("int", "float"):
            raise Refused(f"`{op}` of {value.kind}")
        number = to_float(value)
        if value.kind == "int":
            numbers.exact(translation, value.expression)
        if outside is not None:
            translation.never(outside(number))
        made = call(op, number)
        translation.never(elements.both(elements.negated(call("is_finite", made)), call("is_finite", number)))
        return Value("float", made)

    return make


def _toward(op: str) -> Callable[..., Value]:
    def make(translation: Any, operand: Operand) -> Value:
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


def _root(translation: Any, operand: Operand) -> Value:
    value = translation.known(operand)
    if value.kind not in ("int", "float"):
        raise Refused(f"the root of {value.kind}")
    if value.kind == "int":
        numbers.exact(translation, value.expression)
    number = to_float(value)
    translation.never(call("lt", number, Literal(0.0, ir.f64)))
    return Value("float", call("sqrt", number), numpy=True)


_FUNCTIONS: dict[Any, Callable[..., Operand]] = {
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


def method(translation: Any, owner: Operand, name: str, arguments: Sequence[Operand], keywords: dict[str, Operand]) -> Operand:
    """What a method of a value makes of arguments."""
    if keywords:
        raise Refused(f"keywords of `{name}`")
    if isinstance(owner, Constant) and type(owner.value) is dict:
        if name != "get" or not 1 <= len(arguments) <= 2:
            raise Refused(f"`{name}` of a dict")
        if isinstance(arguments[0], Constant):
            raise Refused("a dict and a constant")
        return _looked_up(translation, owner.value, arguments[0], arguments[1] if len(arguments) == 2 else Constant(None))
    if isinstance(owner, Row):
        raise Refused(f"`{name}` of a row")
    value = translation.known(owner)
    if value.kind == "instant":
        return _of_instant(translation, value, name, arguments)
    if value.kind != "str":
        raise Refused(f"`{name}` of {value.kind}")
    return _of_text(translation, value.expression, name, arguments)


def _of_instant(translation: Any, value: Value, name: str, arguments: Sequence[Operand]) -> Value:
    if name in ("weekday", "isoweekday") and not arguments:
        found = _part(translation, value, "weekday")
        return found if name == "weekday" else numbers.binary(translation, "Add", found, Constant(1))
    if name == "strftime" and len(arguments) == 1 and isinstance(arguments[0], Constant) and isinstance(arguments[0].value, str):
        format = arguments[0].value
        if not set(re.findall("%(.?)", format, re.S)) <= dates.CODES or not format.isascii():
            raise Refused("a format with codes that are not alike everywhere")
        year = dates.part(value.expression, "year")
        unusual = elements.either(call("lt", year, dates.number(1000)), call("gt", year, dates.number(9999)))
        translation.never(call("is_true", unusual))
        return Value("str", call("coalesce", call("dt_format", value.expression, format=format), words("")))
    raise Refused(f"`{name}` of an instant")


def _of_text(translation: Any, value: Expression, name: str, arguments: Sequence[Operand]) -> Value:
    cases = {"lower": "lower", "upper": "upper", "title": "title", "capitalize": "capitalize", "swapcase": "swap", "casefold": "fold"}
    if name in cases and not arguments:
        _common(translation, value)
        return Value("str", call("str_case", value, to=cases[name]))
    if name in ("isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "isdecimal") and not arguments:
        _common(translation, value)
        return Value("bool", call("str_is", value, class_=name[2:]))
    if name in ("strip", "lstrip", "rstrip") and len(arguments) <= 1:
        characters = _word(arguments[0]) if arguments else ""
        if arguments and not characters:
            raise Refused("nothing to strip")
        side = {"strip": "both", "lstrip": "start", "rstrip": "end"}[name]
        return Value("str", call("str_strip", value, words(characters), side=side))
    if name in ("startswith", "endswith") and len(arguments) == 1:
        return _ends(value, name, arguments[0])
    if name == "split" and len(arguments) <= 1:
        separator = _word(arguments[0]) if arguments else ""
        if arguments and not separator:
            raise Refused("nothing to split at")
        return Value("list", call("str_split", value, words(separator), whole(-1)))
    if name == "replace" and len(arguments) == 2:
        old = _word(arguments[0])
        if not old:
            raise Refused("nothing to replace")
        return Value("str", call("str_replace", value, words(old), _known_text(translation, arguments[1]), whole(-1)))
    if name in ("find", "rfind", "count") and len(arguments) == 1:
        op = {"find": "str_find", "rfind": "str_find_last", "count": "str_count"}[name]
        return Value("int", call(op, value, words(_word(arguments[0]))))
    if name in ("removeprefix", "removesuffix") and len(arguments) == 1:
        return Value("str", call("str_strip_prefix" if name == "removeprefix" else "str_strip_suffix", value, words(_word(arguments[0]))))
    if name == "zfill" and len(arguments) == 1 and isinstance(arguments[0], Constant) and type(arguments[0].value) is int:
        return Value("str", call("str_zfill", value, whole(max(arguments[0].value, 0))))
    raise Refused(f"`{name}` of text")


def _ends(value: Expression, name: str, parts: Operand) -> Value:
    if not isinstance(parts, Constant):
        raise Refused("an end that is computed")
    items = parts.value if isinstance(parts.value, tuple) else (parts.value,)
    if not items or not all(isinstance(one, str) for one in items):
        raise Refused("an end that is no text")
    op = "str_starts" if name == "startswith" else "str_ends"
    found: Expression = call(op, value, words(items[0]))
    for one in items[1:]:
        found = elements.either(found, call(op, value, words(one)))
    return Value("bool", found)


def _word(operand: Operand) -> str:
    if not isinstance(operand, Constant) or not isinstance(operand.value, str):
        raise Refused("text that is computed, or none")
    return operand.value


def _known_text(translation: Any, operand: Operand) -> Expression:
    value = translation.known(operand)
    if value.kind != "str":
        raise Refused(f"{value.kind} in place of text")
    return value.expression


def _common(translation: Any, value: Expression) -> None:
    """Notes that characters of which tables differ are not known."""
    translation.never(elements.negated(call("str_matches", value, words(text.COMMON), anchor="full")))

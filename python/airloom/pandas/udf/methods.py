"""Methods of text, timestamps and dicts."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.datetimes import accessor
from airloom.pandas.plan.expression import Expression, call
from airloom.pandas.refusals import Refused
from airloom.pandas.strings import methods
from airloom.pandas.udf import matches, numbers, rows
from airloom.pandas.udf.items import looked_up, part
from airloom.pandas.udf.values import Constant, Operand, Row, Value, whole, words

if TYPE_CHECKING:
    from airloom.pandas.udf.translate import Translation

#: Formats that everybody reads alike.
_SPEC = re.compile(r"0?[0-9]{0,2}d?|,d?|[0-9]{0,2},?\.[0-9]{1,2}f|[<>^]?[0-9]{0,3}s?")


def method(translation: Translation, owner: Operand, name: str, arguments: Sequence[Operand], keywords: dict[str, Operand]) -> Operand:
    """What a method of a value makes of arguments."""
    if keywords:
        raise Refused(f"keyword arguments of `{name}`")
    if isinstance(owner, Constant) and type(owner.value) is dict:
        if name != "get" or not 1 <= len(arguments) <= 2:
            raise Refused(f"`{name}` of a dict")
        if isinstance(arguments[0], Constant):
            raise Refused("`get` of a dict with a constant")
        return looked_up(translation, owner.value, arguments[0], arguments[1] if len(arguments) == 2 else Constant(None))
    if isinstance(owner, Row):
        if arguments:
            raise Refused(f"arguments of `{name}` of a row")
        return rows.reduced(translation, owner, name)
    if isinstance(owner, Constant) and isinstance(owner.value, str) and name == "format":
        return filled(translation, owner.value, arguments, keywords)
    if isinstance(owner, Constant) and isinstance(owner.value, re.Pattern):
        return matches.applied(translation, owner.value, name, arguments)
    if isinstance(owner, matches.Match):
        if name != "group":
            raise Refused(f"`{name}` of a match")
        return matches.group(translation, owner, arguments)
    if isinstance(owner, Constant) and isinstance(owner.value, str) and name == "join" and len(arguments) == 1:
        parts = arguments[0]
        if not isinstance(parts, Value) or parts.kind != "list":
            raise Refused("`join` of values that are not a list")
        return Value("str", call("str_join", parts.expression, words(owner.value)))
    value = translation.known(owner)
    if value.kind == "timestamp":
        return _of_timestamp(translation, value, name, arguments)
    if value.kind != "str":
        raise Refused(f"`{name}` of {value.kind}")
    return _of_text(translation, value.expression, name, arguments)


def _of_timestamp(translation: Translation, value: Value, name: str, arguments: Sequence[Operand]) -> Value:
    if name in ("weekday", "isoweekday") and not arguments:
        found = part(translation, value, "weekday")
        return found if name == "weekday" else numbers.binary(translation, "add", found, Constant(1))
    if name == "strftime" and len(arguments) == 1 and isinstance(arguments[0], Constant) and isinstance(arguments[0].value, str):
        format = arguments[0].value
        if not set(re.findall("%(.?)", format, re.S)) <= accessor.CODES or not format.isascii():
            raise Refused("a format with directives that depend on the platform")
        year = accessor.part(value.expression, "year")
        unusual = elementwise.either(call("lt", year, accessor.number(1000)), call("gt", year, accessor.number(9999)))
        translation.never(call("is_true", unusual))
        return Value("str", call("coalesce", call("dt_format", value.expression, format=format), words("")))
    raise Refused(f"`{name}` of a timestamp")


def _of_text(translation: Translation, value: Expression, name: str, arguments: Sequence[Operand]) -> Value:
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
            raise Refused("`strip` of an empty string")
        side = {"strip": "both", "lstrip": "start", "rstrip": "end"}[name]
        return Value("str", call("str_strip", value, words(characters), side=side))
    if name in ("startswith", "endswith") and len(arguments) == 1:
        return _ends(value, name, arguments[0])
    if name == "split" and len(arguments) <= 1:
        separator = _word(arguments[0]) if arguments else ""
        if arguments and not separator:
            raise Refused("an empty separator")
        return Value("list", call("str_split", value, words(separator), whole(-1)))
    if name == "replace" and len(arguments) == 2:
        old = _word(arguments[0])
        if not old:
            raise Refused("`replace` of an empty string")
        return Value("str", call("str_replace", value, words(old), _known_text(translation, arguments[1]), whole(-1)))
    if name in ("find", "rfind", "count") and len(arguments) == 1:
        op = {"find": "str_find", "rfind": "str_find_last", "count": "str_count"}[name]
        return Value("int", call(op, value, words(_word(arguments[0]))))
    if name in ("removeprefix", "removesuffix") and len(arguments) == 1:
        return Value("str", call("str_strip_prefix" if name == "removeprefix" else "str_strip_suffix", value, words(_word(arguments[0]))))
    if name == "zfill" and len(arguments) == 1 and isinstance(arguments[0], Constant) and type(arguments[0].value) is int:
        return Value("str", call("str_zfill", value, whole(max(arguments[0].value, 0))))
    raise Refused(f"`{name}` of a string")


def _ends(value: Expression, name: str, parts: Operand) -> Value:
    if not isinstance(parts, Constant):
        raise Refused("a prefix or suffix that is computed")
    items = parts.value if isinstance(parts.value, tuple) else (parts.value,)
    if not items or not all(isinstance(one, str) for one in items):
        raise Refused("a prefix or suffix that is not a string")
    op = "str_starts" if name == "startswith" else "str_ends"
    found: Expression = call(op, value, words(items[0]))
    for one in items[1:]:
        found = elementwise.either(found, call(op, value, words(one)))
    return Value("bool", found)


def _word(operand: Operand) -> str:
    if not isinstance(operand, Constant) or not isinstance(operand.value, str):
        raise Refused("a string that is computed")
    return operand.value


def _known_text(translation: Translation, operand: Operand) -> Expression:
    value = translation.known(operand)
    if value.kind != "str":
        raise Refused(f"{value.kind} in place of a string")
    return value.expression


def _common(translation: Translation, value: Expression) -> None:
    """Notes that characters of which tables differ are not known."""
    translation.never(elementwise.negated(call("str_matches", value, words(methods.COMMON), anchor="full")))


def filled(translation: Translation, template: str, arguments: Sequence[Operand], keywords: dict[str, Operand]) -> Value:
    """A template with values in its fields, as `str.format` fills it."""
    if keywords:
        raise Refused("a template with names")
    pieces: list[Expression] = []
    waiting = list(arguments)
    try:
        positions = list(string.Formatter().parse(template))
    except ValueError as error:
        raise Refused("a template that is not valid") from error
    for before, field, spec, conversion in positions:
        if before:
            pieces.append(words(before))
        if field is None:
            continue
        if field or conversion or not waiting or "{" in (spec or ""):
            raise Refused("a template with names")
        pieces.append(formatted(translation, waiting.pop(0), spec or ""))
    if not pieces:
        raise Refused("an empty template")
    return Value("str", call("str_concat", *pieces) if len(pieces) > 1 else pieces[0])


def formatted(translation: Translation, operand: Operand, spec: str) -> Expression:
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
        raise Refused("strings filled with zeros")
    return call("str_format", value.expression, spec=spec)


def as_text(value: Value) -> Expression:
    """A value as `str` writes it."""
    if value.kind == "str":
        return value.expression
    if value.kind == "int":
        return call("cast", value.expression, to=ir.str_)
    if value.kind == "bool":
        return elementwise.select(value.expression, words("True"), words("False"))
    if value.kind == "float" and not value.numpy:
        return call("str_format", value.expression, spec="")
    raise Refused(f"{value.kind} as a string")

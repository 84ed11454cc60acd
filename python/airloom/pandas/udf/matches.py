"""Regular expressions that a function uses by the module `re`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airloom.pandas.algorithms import elementwise
from airloom.pandas.plan.expression import Expression, call
from airloom.pandas.refusals import Refused
from airloom.pandas.strings.regex import Pattern
from airloom.pandas.udf.values import Constant, Operand, Value, whole, words

if TYPE_CHECKING:
    from airloom.pandas.udf.translate import Translation

_ANCHORS = {"search": "search", "match": "start", "fullmatch": "full"}
FUNCTIONS: dict[Any, str] = {re.sub: "sub", re.search: "search", re.match: "match", re.fullmatch: "fullmatch"}


class Match(Value):
    """What a search found, or None: `expression` tells which."""

    __slots__ = ("pattern", "text")

    def __init__(self, found: Expression, pattern: Pattern, text: Expression) -> None:
        super().__init__("match", found)
        self.pattern = pattern
        self.text = text


def function(translation: Translation, name: str, arguments: Sequence[Operand]) -> Value:
    """`re.sub(pattern, new, text)`, `re.search(pattern, text)` and their like."""
    if not arguments or not isinstance(arguments[0], Constant):
        raise Refused("a pattern that is computed")
    return applied(translation, arguments[0].value, name, arguments[1:])


def applied(translation: Translation, source: Any, name: str, arguments: Sequence[Operand]) -> Value:
    """What a pattern, as text or compiled, makes of text."""
    if isinstance(source, re.Pattern):
        if source.flags & ~(re.UNICODE | re.IGNORECASE):
            raise Refused("a pattern with flags")
        pattern = Pattern(source.pattern, ignore_case=bool(source.flags & re.IGNORECASE))
    elif isinstance(source, str):
        pattern = Pattern(source)
    else:
        raise Refused("a pattern that is not a string")
    if name == "sub":
        return _substituted(translation, pattern, arguments)
    if name not in _ANCHORS or len(arguments) != 1:
        raise Refused(f"`{name}` of a pattern")
    if pattern.anchored and name != "search":
        raise Refused("a pattern with anchors")
    text = _meant(translation, pattern, arguments[0])
    found = call("str_matches", text, words(pattern.text), anchor=_ANCHORS[name])
    if name != "search":
        # What the groups hold depends on where the search began.
        pattern.tangled = True
    return Match(found, pattern, text)


def _substituted(translation: Translation, pattern: Pattern, arguments: Sequence[Operand]) -> Value:
    if len(arguments) != 2 or not isinstance(arguments[0], Constant) or not isinstance(arguments[0].value, str):
        raise Refused("a replacement that is computed")
    new = arguments[0].value
    if "\\" in new or pattern.matches_empty:
        raise Refused("groups in a replacement, or a pattern that matches the empty string")
    text = _meant(translation, pattern, arguments[1])
    return Value("str", call("str_replace_regex", text, words(pattern.text), words(new.replace("$", "$$")), whole(-1)))


def _meant(translation: Translation, pattern: Pattern, operand: Operand) -> Expression:
    """Text in which a pattern means what Python's means: other text is not known."""
    value = translation.known(operand)
    if value.kind != "str":
        raise Refused(f"a pattern in {value.kind}")
    text = value.expression
    if pattern.ascii:
        translation.never(call("ne", call("str_len", text, unit="bytes"), call("str_len", text)))
    if pattern.one_line:
        translation.never(call("str_contains", text, words("\n")))
    return text


def group(translation: Translation, match: Match, arguments: Sequence[Operand]) -> Value:
    """A group of what was found: where nothing was, it raises."""
    number: Any = None if arguments else 0
    if len(arguments) == 1 and isinstance(arguments[0], Constant):
        number = arguments[0].value
    names: dict[Any, int] = {name: position for position, name in match.pattern.names.items()}
    number = names.get(number, number)
    if type(number) is not int or not 0 <= number <= match.pattern.groups or match.pattern.tangled:
        raise Refused("a group that may not take part in a match")
    translation.never(elementwise.negated(match.expression))
    pattern = match.pattern.text
    if number == 0:
        # The whole is the first group of the pattern in parentheses.
        pattern, number = f"({pattern})", 1
    return Value("str", call("coalesce", call("str_extract", match.text, words(pattern), group=number), words("")))

"""Regular expressions of Python as the engine's, where both surely mean the same.

A pattern is read by Python's own parser and written anew, so that nothing of its syntax is taken for something else.
"""

from __future__ import annotations

import re
from re import _constants as constants  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from airloom.pandas.refusals import Refused

#: What classes of characters mean in text of ASCII.
_CLASSES = {
    constants.CATEGORY_DIGIT: "0-9",
    constants.CATEGORY_WORD: "0-9A-Za-z_",
    constants.CATEGORY_SPACE: r"\t\n\x0b\x0c\r\x1c-\x1f\x20",
}
_OTHERS = {
    constants.CATEGORY_NOT_DIGIT: constants.CATEGORY_DIGIT,
    constants.CATEGORY_NOT_WORD: constants.CATEGORY_WORD,
    constants.CATEGORY_NOT_SPACE: constants.CATEGORY_SPACE,
}


def plain_pattern(pattern: Any, flags: Any) -> tuple[str, bool]:
    """The text of a pattern, which may be compiled, and whether letter case does not matter."""
    if isinstance(pattern, re.Pattern):
        if flags not in (0, None) or not isinstance(pattern.pattern, str):
            raise Refused("a compiled pattern with `flags`")
        flags, pattern = pattern.flags & ~re.UNICODE, pattern.pattern
    given = int(flags or 0) & ~re.UNICODE
    if not isinstance(pattern, str) or given & ~(re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE | re.ASCII):
        raise Refused("a pattern that is not a string, or with `flags` that are not known")
    if _flags_within(pattern) & (re.ASCII | re.VERBOSE):
        # Where pandas asks Arrow, there are no such flags.
        raise Refused("the flags `a` or `x` inside a pattern")
    letters = "".join(letter for letter, flag in _LETTERS.items() if given & flag)
    return f"(?{letters}){pattern}" if letters else pattern, bool(given & re.IGNORECASE)


_LETTERS = {"m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE, "a": re.ASCII}


def _flags_within(pattern: str) -> int:
    try:
        return re.compile(pattern).flags
    except (re.error, OverflowError, RecursionError) as error:
        raise Refused("a pattern that is not valid") from error


def replacement(new: str, pattern: str) -> str:
    """What stands in place of a match, as the engine has it: groups by their number."""
    if "\\" not in new:
        return new.replace("$", "$$")
    try:
        parts = parser.parse_template(new, re.compile(pattern))
    except (re.error, IndexError) as error:
        raise Refused("a `repl` that is not valid") from error
    if isinstance(parts, tuple):
        # Before Python 3.12: which groups stand where, and the text between them.
        groups, parts = parts
        parts = list(parts)
        for at, group in groups:
            parts[at] = group
    return "".join(part.replace("$", "$$") if isinstance(part, str) else f"${{{part}}}" for part in parts)


class Pattern:
    """A pattern for the engine, and what must hold of the text for it to mean what Python's means."""

    def __init__(self, source: str, *, ignore_case: bool = False) -> None:
        try:
            compiled = re.compile(source)
            tree = parser.parse(source)
        except (re.error, OverflowError, RecursionError) as error:
            raise Refused("a pattern that is not valid") from error
        if compiled.flags & re.LOCALE:
            raise Refused("a pattern with flags")
        self._flags = compiled.flags
        ignore_case = ignore_case or bool(compiled.flags & re.IGNORECASE)
        #: Whether it means the same only in text of ASCII.
        self.ascii = ignore_case
        #: Whether it means the same only in text without ends of lines.
        self.one_line = False
        self.groups = compiled.groups
        self.names = {number: name for name, number in compiled.groupindex.items()}
        #: Whether a group stands in a repetition, where engines differ in what it holds.
        self.tangled = False
        self.anchored = False
        self.matches_empty = tree.getwidth()[0] == 0
        #: The text itself, where the pattern is no more than that.
        self.literal = None
        if not ignore_case and all(op is constants.LITERAL for op, _ in tree):
            self.literal = "".join(chr(value) for _, value in tree)
        self.text = ("(?i)" if ignore_case else "") + self._sequence(tree, inner=False)

    def _sequence(self, items: Any, inner: bool) -> str:
        return "".join(self._item(op, value, inner) for op, value in items)

    def _item(self, op: Any, value: Any, inner: bool) -> str:
        if op is constants.LITERAL:
            return _character(value)
        if op is constants.NOT_LITERAL:
            return f"[^{_character(value)}]"
        if op is constants.ANY:
            return "(?s:.)" if self._flags & re.DOTALL else r"[^\n]"
        if op is constants.IN:
            return self._set(value)
        if op is constants.BRANCH:
            return "(?:" + "|".join(self._sequence(branch, inner) for branch in value[1]) + ")"
        if op is constants.SUBPATTERN:
            return self._group(value, inner)
        if op in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            return self._repeat(op, value, inner)
        if op is constants.AT:
            return self._position(value)
        raise Refused(f"`{op}` in a pattern")

    def _group(self, value: Any, inner: bool) -> str:
        number, added, removed, items = value
        if added or removed:
            raise Refused("flags inside a pattern")
        if number is None:
            return f"(?:{self._sequence(items, inner)})"
        if inner:
            self.tangled = True
        return f"({self._sequence(items, inner)})"

    def _repeat(self, op: Any, value: Any, inner: bool) -> str:
        least, most, items = value
        if most is not constants.MAXREPEAT and most > 500 or least > 500:
            raise Refused("a pattern with more than 500 repetitions")
        bounds = f"{{{least},{'' if most is constants.MAXREPEAT else most}}}"
        return f"(?:{self._sequence(items, inner or most != 1)}){bounds}{'?' if op is constants.MIN_REPEAT else ''}"

    def _position(self, value: Any) -> str:
        self.anchored = True
        if value in (constants.AT_BEGINNING, constants.AT_END) and self._flags & re.MULTILINE:
            return "(?m:^)" if value is constants.AT_BEGINNING else "(?m:$)"
        if value in (constants.AT_BEGINNING, constants.AT_BEGINNING_STRING):
            return r"\A"
        if value is constants.AT_END_STRING:
            return r"\z"
        if value is constants.AT_END:
            self.one_line = True
            return r"\z"
        if value in (constants.AT_BOUNDARY, constants.AT_NON_BOUNDARY):
            self.ascii = True
            return r"\b" if value is constants.AT_BOUNDARY else r"\B"
        raise Refused("an anchor in a pattern")

    def _set(self, items: Any) -> str:
        made = []
        for op, value in items:
            if op is constants.NEGATE:
                made.append("^")
            elif op is constants.LITERAL:
                made.append(_character(value))
            elif op is constants.RANGE:
                made.append(f"{_character(value[0])}-{_character(value[1])}")
            elif op is constants.CATEGORY:
                self.ascii = self.ascii or not self._flags & re.ASCII
                made.append(_CLASSES[value] if value in _CLASSES else f"[^{_CLASSES[_OTHERS[value]]}]")
            else:
                raise Refused(f"`{op}` in a pattern")
        return f"[{''.join(made)}]"


def _character(value: int) -> str:
    if chr(value).isascii() and chr(value).isalnum():
        return chr(value)
    if 0xD800 <= value < 0xE000:
        raise Refused("half of a surrogate pair in a pattern")
    return f"\\x{{{value:x}}}"

"""The accessor `str`: operations on text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pyarrow

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.align import array_column
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.ops import masked
from airloom.pandas.plan import walk
from airloom.pandas.plan.expression import Call, Expression, Literal, Ref, call
from airloom.pandas.plan.frame import Column, ObjectView, Vector
from airloom.pandas.plan.rows import DataSlot, Rows
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.strings import object_strings
from airloom.pandas.strings.regex import Pattern, plain_pattern, replacement

NO_DEFAULT = pandas.api.extensions.no_default
END = 2**63 - 1
#: Characters of which Arrow, whose tables pandas uses, and Python's say the same: ASCII, and the common letters of some scripts beyond.
COMMON = r"[\x00-\x7F\u00C0-\u00D6\u00D8-\u00DE\u00E0-\u00F6\u00F8-\u00FE\u0410-\u044F\u3041-\u3096\u30A1-\u30FA\u4E00-\u9FA5\uAC00-\uD7A3]*"


def words(value: str) -> Literal:
    return Literal(value, ir.str_)


def whole(value: Any) -> Literal:
    return Literal(int(value), ir.i64)


def text_of(vector: Vector) -> Expression:
    """The text of a vector, which pandas may hold as objects; refused where it is something else."""
    found = elementwise.object_text(vector.column)
    if found is None and object_strings.is_shown(vector):
        raise Refused(f"`str` of dtype `{vector.dtype}`")
    return found if found is not None else proper_text(vector)


def proper_text(vector: Vector) -> Expression:
    """The text of a vector of that dtype, or of objects that are all text."""
    if object_strings.is_shown(vector):
        return text_of(vector)
    column = elementwise.known(vector.column)
    if not isinstance(column.dtype, pandas.StringDtype) and not types.is_arrow_text(column.dtype):
        raise Refused(f"`str` of dtype `{column.dtype}`")
    return column.expression


def lists_of(vector: Vector) -> Expression | None:
    """The lists of a vector that was split into such, where it was."""
    column = vector.column
    made = column.expression
    known = not column.by_position and (column.shown is None or column.shown.dtype == types.OBJECT)
    return made if known and column.dtype == types.OBJECT and getattr(made, "op", None) in ("str_split", "str_split_regex", "str_find_all") else None


def as_text(vector: Vector, expression: Expression) -> Vector:
    if object_strings.is_shown(vector):
        return Vector(vector.rows, object_strings.text(expression, object_strings.missing_of(vector)), vector.name, vector.index)
    return vector.with_column(expression, vector.dtype)


def as_objects(vector: Vector, expression: Expression, missing: Any = ...) -> Vector:
    """Values that pandas holds as objects of Python: NaN by itself would be a float."""
    if types.is_arrow(vector.dtype):
        raise Refused(f"lists or parts of `{vector.dtype}`")
    if object_strings.of_categories(vector) and not run.count(vector.rows):
        raise Refused("`str` of categories without rows")
    if run.count(vector.rows) and not elementwise.any_row(vector.rows, elementwise.negated(call("is_null", expression))):
        raise Refused("missing values only")
    shown = ObjectView(types.OBJECT, pandas.NA) if types.is_nullable(vector.dtype) else None
    if object_strings.is_shown(vector):
        shown = ObjectView(types.OBJECT, object_strings.missing_of(vector) if missing is ... else missing)
    return Vector(vector.rows, Column(expression, types.OBJECT, shown=shown), vector.name, vector.index)


def as_number(vector: Vector, expression: Expression, *, narrow: bool = False) -> Vector:
    """Integers, which are floats where any is missing. With `narrow` those of Arrow's short text have 32 bits."""
    if types.is_arrow(vector.dtype):
        if narrow and str(vector.dtype.pyarrow_dtype) == "string":
            return vector.with_column(call("cast", expression, to=ir.optional(ir.i32)), pandas.ArrowDtype(pyarrow.int32()))
        return vector.with_column(expression, types.ARROW_INT64)
    if types.is_nullable(vector.dtype):
        return vector.with_column(expression, pandas.Int64Dtype())
    if object_strings.is_shown(vector) and object_strings.missing_of(vector) is pandas.NA and object_strings.has_missing(vector):
        raise Refused("objects of which some are `NA`")
    return Vector(vector.rows, elementwise.nullable(expression, types.INT64, vector.rows), vector.name, vector.index)


def as_truth(vector: Vector, expression: Expression, na: Any = NO_DEFAULT) -> Vector:
    """Booleans; of missing text `na`, or false, and of objects that are missing themselves."""
    if na is not NO_DEFAULT and literals.is_missing(na) and na is not pandas.NaT and vector.dtype != types.OBJECT:
        na = NO_DEFAULT
    if object_strings.is_shown(vector):
        return Vector(vector.rows, object_strings.truth(vector, expression, na), vector.name, vector.index)
    if vector.dtype == types.OBJECT:
        if na is not NO_DEFAULT:
            raise Refused("`na` for objects")
        return Vector(vector.rows, elementwise.nullable(expression, types.BOOL, vector.rows), vector.name, vector.index)
    if types.is_nullable(vector.dtype):
        truth = types.ARROW_BOOL if types.is_arrow(vector.dtype) else masked.BOOLEAN
        if na is NO_DEFAULT or na is pandas.NA:
            return vector.with_column(expression, truth)
        if not isinstance(na, (bool, np.bool_)):
            raise Refused(f"`na={value_text(na)}` is not boolean")
        return vector.with_column(call("coalesce", expression, Literal(bool(na), ir.bool_)), truth)
    if na is NO_DEFAULT:
        return vector.with_column(call("is_true", expression), types.BOOL)
    if not isinstance(na, (bool, np.bool_)):
        raise Refused(f"`na={value_text(na)}` is not boolean")
    return vector.with_column(call("coalesce", expression, Literal(bool(na), ir.bool_)), types.BOOL)


def _beyond_ascii(text: Expression) -> Expression:
    return call("is_true", call("ne", call("str_len", text, unit="bytes"), call("str_len", text)))


#: Functions that make ASCII of ASCII.
_KEEP_ASCII = frozenset("str_case str_strip str_strip_prefix str_strip_suffix str_pad str_zfill str_slice str_replace str_concat str_repeat str_at coalesce".split())


def _is_ascii(text: Expression) -> bool:
    """Whether text has nothing but ASCII: it is a column in memory, which is looked at once, or made of such. Of anything else nobody knows."""

    def visit(part: Expression, below: list[bool]) -> bool:
        if isinstance(part, Literal):
            return not isinstance(part.value, str) or part.value.isascii()
        if isinstance(part, Ref):
            return isinstance(part.slot, DataSlot) and part.slot.is_text and _has_ascii(part.slot)
        return isinstance(part, Call) and part.op in _KEEP_ASCII and all(below)

    return bool(walk.fold(text, walk.calls, visit, {}))


def _has_ascii(slot: DataSlot) -> bool:
    if slot.ascii is None:
        slot.ascii = not elementwise.any_row(slot.space, _beyond_ascii(Ref(slot)))
    return slot.ascii


def over_common(vector: Vector, text: Expression, made: Expression, dtype: Any, *, ascii: bool = False) -> Vector:
    """What is made of text, refused where it has characters of which tables differ."""
    if object_strings.is_shown(vector):
        if elementwise.any_row(vector.rows, _beyond_ascii(text) if ascii else _uncommon(text)):
            raise Refused("strings with characters whose case depends on the library")
        return as_truth(vector, made) if types.is_bool(dtype) else as_text(vector, made)
    if _is_ascii(text):
        return vector.with_column(made, dtype)
    try:
        column = elementwise.checked(vector.rows, made, dtype, _beyond_ascii(text), "strings beyond ASCII")
    except Refused:
        if ascii:
            raise
        column = elementwise.checked(vector.rows, made, dtype, _uncommon(text), "strings with characters whose case depends on the library")
    return Vector(vector.rows, column, vector.name, vector.index)


def _uncommon(text: Expression) -> Expression:
    return call("is_true", call("not_", call("str_matches", text, words(COMMON), anchor="full")))


def only_meant(rows: Rows, text: Expression, pattern: Pattern) -> None:
    """Refuses text in which a pattern may mean something else."""
    if pattern.ascii and not _is_ascii(text) and elementwise.any_row(rows, _beyond_ascii(text)):
        raise Refused("a pattern with character classes on strings beyond ASCII")
    if pattern.one_line and elementwise.any_row(rows, call("is_true", call("str_contains", text, words("\n")))):
        raise Refused("a pattern with `$` on strings of several lines")


@operation("str.len")
def length(vector: Vector) -> Vector:
    lists = lists_of(vector)
    if lists is not None:
        return as_number(vector, call("list_len", lists))
    return as_number(vector, call("str_len", text_of(vector)), narrow=True)


def _register_case(name: str, to: str) -> None:
    @operation(f"str.{name}")
    def change(vector: Vector) -> Vector:
        text = proper_text(vector)
        return over_common(vector, text, call("str_case", text, to=to), vector.dtype)


for _name, _to in (("lower", "lower"), ("upper", "upper"), ("title", "title"), ("capitalize", "capitalize"), ("swapcase", "swap"), ("casefold", "fold")):
    _register_case(_name, _to)


def _register_class(name: str) -> None:
    @operation(f"str.is{name}")
    def test(vector: Vector) -> Vector:
        text = proper_text(vector)
        made = call("str_is", text, class_=name)
        if object_strings.is_shown(vector):
            return over_common(vector, text, made, types.BOOL, ascii=name == "numeric")
        if types.is_nullable(vector.dtype):
            return over_common(vector, text, made, types.ARROW_BOOL if types.is_arrow(vector.dtype) else masked.BOOLEAN, ascii=name == "numeric")
        return over_common(vector, text, call("is_true", made), types.BOOL, ascii=name == "numeric")


for _name in ("alpha", "alnum", "digit", "decimal", "numeric", "space", "lower", "upper", "title"):
    _register_class(_name)


def _register_strip(name: str, side: str) -> None:
    @operation(f"str.{name}")
    def strip(vector: Vector, to_strip: Any = None) -> Vector:
        if to_strip == "" or not (to_strip is None or isinstance(to_strip, str)):
            raise Refused(f"`to_strip={value_text(to_strip)}`")
        return as_text(vector, call("str_strip", text_of(vector), words(to_strip or ""), side=side))


for _name, _side in (("strip", "both"), ("lstrip", "start"), ("rstrip", "end")):
    _register_strip(_name, _side)


@operation("str.contains")
def contains(vector: Vector, pat: Any, case: bool = True, flags: int = 0, na: Any = NO_DEFAULT, regex: bool = True) -> Vector:
    text = text_of(vector)
    if case not in (True, False) or regex not in (True, False) or (isinstance(pat, re.Pattern) and not (case and regex)):
        raise Refused("`case`, `regex`, or a compiled pattern with them")
    source, ignore_case = plain_pattern(pat, flags)
    if not regex:
        if not case:
            raise Refused("`case=False` without a regular expression")
        return as_truth(vector, call("str_contains", text, words(source)), na)
    pattern = Pattern(source, ignore_case=not case or ignore_case)
    if pattern.groups:
        raise Refused("a pattern with groups, of which pandas warns")
    if pattern.literal is not None:
        return as_truth(vector, call("str_contains", text, words(pattern.literal)), na)
    only_meant(vector.rows, text, pattern)
    return as_truth(vector, call("str_matches", text, words(pattern.text), anchor="search"), na)


def _register_match(name: str, anchor: str, default: Any) -> None:
    @operation(f"str.{name}")
    def match(vector: Vector, pat: Any, case: Any = default, flags: Any = 0, na: Any = NO_DEFAULT) -> Vector:
        text = text_of(vector)
        if case not in (True, False, NO_DEFAULT) or (isinstance(pat, re.Pattern) and (case is False or flags not in (0, NO_DEFAULT))):
            raise Refused("a compiled pattern with `case` or `flags`")
        source, ignore_case = plain_pattern(pat, 0 if flags is NO_DEFAULT else flags)
        if ignore_case and isinstance(pat, str) and case is not NO_DEFAULT:
            raise Refused("both `case` and `flags`")
        pattern = Pattern(source, ignore_case=case is False or ignore_case)
        only_meant(vector.rows, text, pattern)
        return as_truth(vector, call("str_matches", text, words(pattern.text), anchor=anchor), na)


_register_match("match", "start", NO_DEFAULT)
_register_match("fullmatch", "full", True)


def _register_end(name: str, op: str) -> None:
    @operation(f"str.{name}")
    def test(vector: Vector, pat: Any, na: Any = NO_DEFAULT) -> Vector:
        parts = (pat,) if isinstance(pat, str) else pat
        if not isinstance(parts, tuple) or not all(isinstance(part, str) for part in parts):
            raise Refused("`pat` is not a string or a tuple of strings")
        text = text_of(vector)
        # Of no parts none is there.
        found: Expression = call(op, text, words(parts[0])) if parts else call("lt", call("str_len", text), whole(0))
        for part in parts[1:]:
            found = elementwise.either(found, call(op, text, words(part)))
        return as_truth(vector, found, na)


_register_end("startswith", "str_starts")
_register_end("endswith", "str_ends")


@operation("str.replace")
def replace(vector: Vector, pat: Any, repl: Any = None, n: int = -1, case: Any = None, flags: int = 0, regex: bool = False) -> Vector:
    text = text_of(vector)
    if regex not in (True, False) or not isinstance(n, int) or n == 0 or (case is not None and not regex):
        raise Refused(f"`regex`, `n={value_text(n)}`, or `case` without a regular expression")
    ignore_case = case is False
    if isinstance(pat, re.Pattern):
        if case is not None or not regex:
            raise Refused("a compiled pattern with `case` or `regex=False`")
        pat, ignore_case = plain_pattern(pat, flags)
    elif isinstance(pat, str) and regex:
        pat, ignored = plain_pattern(pat, flags)
        ignore_case = ignore_case or ignored
    elif flags:
        raise Refused("`flags` without a regular expression")
    pairs = pat if isinstance(pat, dict) and repl is None else {pat: repl} if isinstance(pat, str) else None
    if not pairs or not all(isinstance(old, str) and isinstance(new, str) and old for old, new in pairs.items()):
        raise Refused("`pat` or `repl` is not a string")
    for old, new in pairs.items():
        if not regex:
            text = call("str_replace", text, words(old), words(new), whole(n))
            continue
        pattern = Pattern(plain_pattern(old, 0)[0], ignore_case=ignore_case)
        if pattern.matches_empty or ("\\" in new and pattern.tangled):
            raise Refused("a pattern that matches the empty string, or with repeated groups")
        if pattern.literal is not None and "\\" not in new:
            text = call("str_replace", text, words(pattern.literal), words(new), whole(n))
            continue
        only_meant(vector.rows, text, pattern)
        text = call("str_replace_regex", text, words(pattern.text), words(replacement(new, old)), whole(n))
    return _as_before(vector, text)


def _as_before(vector: Vector, expression: Expression) -> Vector:
    """Text of the dtype that it had: that of the categories, where it had such."""
    shown = vector.column.shown
    if isinstance(shown, object_strings.OfCategories) and shown.of != types.OBJECT:
        return vector.with_column(expression, shown.of)
    return as_text(vector, expression)


def _position(value: Any, otherwise: int) -> Literal:
    if value is None:
        return whole(otherwise)
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise Refused(f"a position of type `{type(value).__name__}`")
    return whole(value)


@operation("str.slice")
def cut(vector: Vector, start: Any = None, stop: Any = None, step: Any = None) -> Vector:
    if step == -1 and lists_of(vector) is None:
        text = text_of(vector)
        return as_text(vector, _backwards(text, start, stop))
    if step not in (None, 1):
        raise Refused(f"`step={value_text(step)}`")
    if lists_of(vector) is not None:
        raise Refused("a slice of lists")
    return as_text(vector, call("str_slice", text_of(vector), _position(start, 0), _position(stop, END)))


def _backwards(text: Expression, start: Any, stop: Any) -> Expression:
    """A slice from its end to its beginning, as one of the reversed text: there a position counts from the other end."""
    last = call("sub", call("str_len", text), whole(1))

    def turned(position: Any, otherwise: int) -> Expression:
        if position is None:
            return whole(otherwise)
        if not isinstance(position, (int, np.integer)) or isinstance(position, bool):
            raise Refused(f"a position of type `{type(position).__name__}`")
        return whole(-position - 1) if position < 0 else call("greatest", call("sub", last, whole(position)), whole(0))

    return call("str_slice", call("str_reverse", text), turned(start, 0), turned(stop, END))


@operation("str.__getitem__")
def item(vector: Vector, key: Any) -> Any:
    return cut(vector, key.start, key.stop, key.step) if isinstance(key, slice) else get(vector, key)


@operation("str.get")
def get(vector: Vector, i: Any) -> Vector:
    position = _position(i, 0)
    lists = lists_of(vector)
    if lists is not None:
        if object_strings.is_shown(vector):
            object_strings.only_nan(vector)
        # pandas does not know that the parts of lists are text.
        return as_objects(vector, call("list_at", lists, position), np.nan)
    made = call("str_at", text_of(vector), position)
    if object_strings.is_shown(vector):
        object_strings.only_nan(vector)
        return as_objects(vector, made, np.nan)
    return as_objects(vector, made) if vector.dtype == types.OBJECT else as_text(vector, made)


def _register_find(name: str, op: str) -> None:
    @operation(f"str.{name}")
    def find(vector: Vector, sub: Any, start: Any = 0, end: Any = None) -> Vector:
        return as_number(vector, found_between(text_of(vector), op, sub, start, end))


def found_between(text: Expression, op: str, sub: Any, start: Any, end: Any) -> Expression:
    """Where a part stands between positions, or -1."""
    if not isinstance(sub, str):
        raise Refused("`sub` is not a string")
    if start in (0, None) and end is None:
        return call(op, text, words(sub))
    if not sub or not all(position is None or (type(position) is int and position >= 0) for position in (start, end)):
        raise Refused("an empty `sub`, or `start` or `end` that is negative")
    found = call(op, call("str_slice", text, whole(start or 0), whole(END if end is None else end)), words(sub))
    return elementwise.select(call("lt", found, whole(0)), found, call("add", found, whole(start or 0)))


_register_find("find", "str_find")
_register_find("rfind", "str_find_last")


@operation("str.count")
def count(vector: Vector, pat: Any, flags: int = 0) -> Vector:
    source, ignore_case = plain_pattern(pat, flags)
    text = text_of(vector)
    pattern = Pattern(source, ignore_case=ignore_case)
    if pattern.matches_empty or pattern.anchored:
        raise Refused("a pattern that matches the empty string, or has anchors")
    if pattern.literal is not None:
        return as_number(vector, call("str_count", text, words(pattern.literal)), narrow=True)
    only_meant(vector.rows, text, pattern)
    return as_number(vector, call("list_len", call("str_find_all", text, words(pattern.text))), narrow=True)


def _register_pad(name: str, side: str) -> None:
    @operation(f"str.{name}")
    def pad(vector: Vector, width: Any, fillchar: Any = " ") -> Vector:
        return padded(vector, width, side, fillchar)


def padded(vector: Vector, width: Any, side: str, fillchar: Any) -> Vector:
    if not isinstance(width, (int, np.integer)) or isinstance(width, bool) or not isinstance(fillchar, str) or len(fillchar) != 1:
        raise Refused(f"`width={value_text(width)}`, or `fillchar={value_text(fillchar)}`")
    return as_text(vector, call("str_pad", text_of(vector), whole(max(width, 0)), words(fillchar), side=side))


_register_pad("ljust", "end")
_register_pad("rjust", "start")
_register_pad("center", "both")


@operation("str.pad")
def pad_side(vector: Vector, width: Any, side: Any = "left", fillchar: Any = " ") -> Vector:
    sides = {"left": "start", "right": "end", "both": "both"}
    if side not in sides:
        raise Refused(f"`side={value_text(side)}`")
    return padded(vector, width, sides[side], fillchar)


@operation("str.zfill")
def zfill(vector: Vector, width: Any) -> Vector:
    if not isinstance(width, (int, np.integer)) or isinstance(width, bool):
        raise Refused(f"`width={value_text(width)}`")
    return as_text(vector, call("str_zfill", text_of(vector), whole(max(width, 0))))


@operation("str.repeat")
def repeat(vector: Vector, repeats: Any) -> Vector:
    if isinstance(repeats, (list, tuple)) and len(repeats) and all(type(times) is int for times in repeats) and not object_strings.of_categories(vector):
        object_strings.refuse_mixed(vector)
        times = array_column(vector.rows, list(repeats))
        return as_text(vector, call("str_repeat", text_of(vector), times.expression))
    if not isinstance(repeats, int) or isinstance(repeats, bool) or repeats < 0:
        raise Refused("`repeats` is not a positive integer")
    return _as_before(vector, call("str_repeat", text_of(vector), whole(repeats)))


@operation("str.removeprefix")
def remove_prefix(vector: Vector, prefix: Any) -> Vector:
    return _removed(vector, "str_strip_prefix", prefix)


@operation("str.removesuffix")
def remove_suffix(vector: Vector, suffix: Any) -> Vector:
    return _removed(vector, "str_strip_suffix", suffix)


def _removed(vector: Vector, op: str, part: Any) -> Vector:
    if not isinstance(part, str):
        raise Refused("a prefix or suffix that is not a string")
    return as_text(vector, call(op, text_of(vector), words(part)))


def of_objects(vector: Vector) -> Callable[[], bool] | None:
    """For objects that are text, or lists of it, and were not looked at: whether pandas would let text methods be used on them."""
    if lists_of(vector) is None and elementwise.object_text(vector.column) is None:
        return None
    return lambda: run.count(vector.rows) == 0 or elementwise.any_row(vector.rows, elementwise.negated(call("is_null", vector.expression)))

"""The accessor `str`: where parts stand, what they are, and which text has them."""

from __future__ import annotations

from typing import Any

import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals import convert
from airloom.pandas.plan.expression import Expression, Literal, call, fold
from airloom.pandas.plan.frame import Column, Frame, RangeLabels, Vector
from airloom.pandas.plan.rows import Distinct
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.strings import object_strings
from airloom.pandas.strings.methods import END, NO_DEFAULT, as_number, as_objects, as_text, as_truth, found_between, only_meant, proper_text, whole, words
from airloom.pandas.strings.regex import Pattern, plain_pattern
from airloom.pandas.strings.split import parted_text, parts_dtype

#: Text of more parts than this is not made a table.
MOST_PARTS = 50


def _register_index(name: str, op: str) -> None:
    @operation(f"str.{name}")
    def position(vector: Vector, sub: Any, start: Any = 0, end: Any = None) -> Vector:
        if object_strings.of_categories(vector):
            raise Refused("`index` of categories")
        found = found_between(proper_text(vector), op, sub, start, end)
        if elementwise.any_row(vector.rows, call("is_true", call("lt", found, whole(0)))):
            raise Refused("a substring that is not found in every row")
        return as_number(vector, found)


_register_index("index", "str_find")
_register_index("rindex", "str_find_last")


@operation("str.isascii")
def is_ascii(vector: Vector) -> Vector:
    text = proper_text(vector)
    return as_truth(vector, call("eq", call("str_len", text, unit="bytes"), call("str_len", text)), NO_DEFAULT)


@operation("str.findall")
def find_all(vector: Vector, pat: Any, flags: int = 0) -> Vector:
    source, ignore_case = plain_pattern(pat, flags)
    pattern = Pattern(source, ignore_case=ignore_case)
    if pattern.groups or pattern.matches_empty:
        raise Refused("a pattern with groups, or one that matches the empty string")
    text = proper_text(vector)
    only_meant(vector.rows, text, pattern)
    return as_objects(vector, call("str_find_all", text, words(pattern.text)))


@operation("str.slice_replace")
def slice_replace(vector: Vector, start: Any = None, stop: Any = None, repl: Any = None) -> Vector:
    if not all(position is None or type(position) is int for position in (start, stop)) or not isinstance(repl, (str, type(None))):
        raise Refused("`start`, `stop` or `repl`")
    text = proper_text(vector)
    cut = call("str_slice", text, whole(start or 0), whole(END if stop is None else stop))
    parts: list[Expression] = []
    if start is not None:
        parts.append(call("str_slice", text, whole(0), whole(start)))
    parts.append(elementwise.select(call("is_null", text), Literal(None, ir.str_), words(repl or "")))
    if stop is not None:
        after = call("str_slice", text, whole(start or 0), whole(END))
        parts.append(elementwise.select(call("eq", cut, words("")), after, call("str_slice", text, whole(stop), whole(END))))
    return as_text(vector, call("str_concat", *parts) if len(parts) > 1 else parts[0])


@operation("str.rpartition")
def last_partition(vector: Vector, sep: Any = " ", expand: bool = True) -> Frame:
    text = parted_text(vector, sep, expand)
    position = call("str_find_last", text, words(sep))
    has = call("ge", position, whole(0))
    nothing = elementwise.select(call("is_null", text), Literal(None, ir.str_), words(""))
    before = elementwise.select(has, call("str_slice", text, whole(0), call("greatest", position, whole(0))), nothing)
    after = elementwise.select(has, call("str_slice", text, call("add", position, whole(len(sep))), whole(END)), text)
    made: list[Expression] = [before, elementwise.select(has, words(sep), nothing), after]
    columns = object_strings.parts(vector, made, ragged=False) if object_strings.is_shown(vector) else [Column(one, parts_dtype(vector.dtype)) for one in made]
    return Frame(vector.rows, columns, pandas.RangeIndex(3), vector.index)


@operation("str.get_dummies")
def get_dummies(vector: Vector, sep: Any = "|", dtype: Any = None) -> Frame:
    try:
        target = types.INT64 if dtype is None else pandas.api.types.pandas_dtype(dtype)
    except TypeError as error:
        raise Refused("a `dtype` that is not valid") from error
    if not isinstance(sep, str) or not sep or not _of_numbers(target):
        raise Refused(f"`sep={value_text(sep)}`, or a `dtype` that is not of numbers")
    if types.is_arrow(vector.dtype):
        raise Refused(f"`get_dummies` of dtype `{vector.dtype}`, whose columns are of Arrow's dtypes")
    object_strings.refuse_mixed(vector)
    text = proper_text(vector)
    if object_strings.of_categories(vector) and object_strings.has_missing(vector):
        raise Refused("missing categories")
    lists = call("str_split", text, words(sep), whole(-1))
    most = run.value(vector.rows, fold("max", call("coalesce", call("list_len", lists), whole(0)))) or 0
    if not most or most > MOST_PARTS:
        raise Refused(f"strings without parts, or of more than {MOST_PARTS}")
    # The parts that there are, each once: they become labels.
    found: set[str] = set()
    for at in range(most):
        part = call("list_at", lists, whole(at))
        table = run.table(Distinct(vector.rows, [part], "first"), {"part": part})
        found.update(part for part in convert.to_array(table, "part", types.STR) if isinstance(part, str))
    tokens = sorted(found - {""})
    if not tokens or ("" in found and getattr(vector.dtype, "storage", None) == "pyarrow"):
        raise Refused("strings without parts")
    sought = [call("is_true", call("list_contains", lists, words(token))) for token in tokens]
    type = types.type_of(target)
    columns = [Column(call("cast", one, to=type, mode="wrap") if type is not ir.bool_ else one, target) for one in sought]
    # With dtypes of its own pandas forgets the index labels.
    index = vector.index if types.is_number(target) else RangeLabels()
    return Frame(vector.rows, columns, pandas.Index(tokens), index)


def _of_numbers(dtype: Any) -> bool:
    """Whether this is a dtype of numbers or booleans, of NumPy's, nullable, or of Arrow's own."""
    type = types.type_of(dtype)
    return type is not None and (types.is_number(dtype) or types.is_masked(dtype) or types.is_arrow_number(dtype))

"""The accessor `str`: text put together, and taken apart."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas
import pyarrow

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.align import align_to, array_column, vector_of
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Expression, Literal, Over, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, Vector, evaluate_windows, label_columns, moved
from airloom.pandas.plan.rows import Exploded, space_of
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.strings import object_strings
from airloom.pandas.strings.methods import END, as_objects, as_text, lists_of, only_meant, over_common, proper_text, text_of, whole, words
from airloom.pandas.strings.regex import Pattern, plain_pattern

#: Characters that become more texts than this are not replaced one kind after the other.
MOST_KINDS = 40


@operation("str.cat")
def concatenate(vector: Vector, others: Any = None, sep: Any = None, na_rep: Any = None, join: str = "left") -> Any:
    if not isinstance(sep, (str, type(None))) or not isinstance(na_rep, (str, type(None))) or join != "left":
        raise Refused(f"`sep`, `na_rep`, or `join={value_text(join)}`")
    object_strings.refuse_mixed(vector)
    if others is None:
        return _joined(vector, sep or "", na_rep)
    rows = vector.rows
    pieces: list[Expression] = [_shown(proper_text(vector), na_rep)]
    for part in _parts(others):
        far = vector_of(part)
        rows, column = (rows, array_column(rows, part)) if far is None else align_to(rows, vector.index, far)
        column = elementwise.understood(materialize.decided(column))
        text = elementwise.object_text(column) if column.unsupported or not isinstance(column.dtype, pandas.StringDtype) else column.expression
        if text is None:
            raise Refused(f"strings and `{column.dtype}`")
        if sep:
            pieces.append(words(sep))
        pieces.append(_shown(text, na_rep))
    made = call("str_concat", *pieces)
    shown = vector.column.shown
    if shown is None:
        return Vector(rows, Column(made, vector.dtype), vector.name, vector.index)
    of = shown.of if isinstance(shown, object_strings.OfCategories) else types.OBJECT
    return Vector(rows, object_strings.text(made, np.nan) if of == types.OBJECT else Column(made, of), vector.name, vector.index)


def _parts(others: Any) -> list[Any]:
    """What text is put together with, one after the other: series, and arrays of as many values."""
    if isinstance(others, BaseDataFrame):
        return [others.iloc[:, at] for at in range(others.shape[1])]
    if isinstance(others, BaseSeries) or (isinstance(others, np.ndarray) and others.ndim == 1):
        return [others]
    if isinstance(others, pandas.Index):
        return [others.array]
    if not isinstance(others, list) or not others:
        raise Refused(f"`others` of type `{type(others).__name__}`")
    if all(type(item) is str for item in others):
        return [others]
    if not all(isinstance(item, (BaseSeries, pandas.Index)) or (isinstance(item, np.ndarray) and item.ndim == 1) for item in others):
        raise Refused("`others` is a list of several kinds")
    return [item.array if isinstance(item, pandas.Index) else item for item in others]


def _joined(vector: Vector, sep: str, na_rep: str | None) -> Any:
    """All text as one, what is missing left out."""
    whole_text = call("str_join", fold("list", _shown(proper_text(vector), na_rep), skip="null"), words(sep))
    return run.value(vector.rows, call("coalesce", whole_text, words("")))


def _shown(text: Expression, na_rep: str | None) -> Expression:
    return text if na_rep is None else call("coalesce", text, words(na_rep))


@operation("str.split")
def split(vector: Vector, pat: Any = None, *, n: Any = -1, expand: bool = False, regex: Any = None) -> Any:
    if isinstance(pat, re.Pattern) and regex is not False:
        pat, ignore_case = plain_pattern(pat, 0)
        regex = True
    else:
        ignore_case = False
    if not isinstance(n, int) or n < -1 or expand not in (True, False) or not isinstance(pat, (str, type(None))):
        raise Refused(f"`pat`, `n={value_text(n)}` or `expand={value_text(expand)}`")
    text, separator = proper_text(vector), pat
    lists: Expression | None = None
    if pat is not None and regex is not False and (regex or len(pat) > 1):
        pattern = Pattern(plain_pattern(pat, 0)[0], ignore_case=ignore_case)
        separator = pattern.literal
        if separator is None:
            if pattern.groups or pattern.matches_empty or n > 0:
                raise Refused("a pattern with groups, one that matches the empty string, or one with `n`")
            only_meant(vector.rows, text, pattern)
            lists = call("str_split_regex", text, words(pattern.text))
    if separator == "":
        raise Refused("an empty separator")
    if lists is None:
        lists = call("str_split", text, words(separator or ""), whole(n if n > 0 else -1))
    if not expand:
        return as_objects(vector, lists)
    most = run.value(vector.rows, fold("max", call("coalesce", call("list_len", lists), whole(0))))
    if not most:
        raise Refused("strings without parts")
    ragged = object_strings.is_shown(vector) and elementwise.any_row(vector.rows, call("is_true", call("ne", call("list_len", lists), whole(most))))
    return _expanded(vector, [call("list_at", lists, whole(at)) for at in range(most)], pandas.RangeIndex(most), ragged=ragged)


@operation("str.rsplit")
def split_from_end(vector: Vector, pat: Any = None, *, n: Any = -1, expand: bool = False) -> Any:
    if n == 1 and expand is True and isinstance(pat, str) and pat:
        return _split_once(vector, pat)
    if n not in (-1, 0) or not isinstance(pat, (str, type(None))):
        raise Refused(f"`rsplit` with `n={value_text(n)}`")
    return split(vector, pat, expand=expand, regex=False)


def _split_once(vector: Vector, separator: str) -> Frame:
    """The text before and after the last separator."""
    text = proper_text(vector)
    position = call("str_find_last", text, words(separator))
    has = call("ge", position, whole(0))
    if not elementwise.any_row(vector.rows, call("is_true", has)):
        raise Refused("a separator that is nowhere found")
    before = elementwise.select(has, call("str_slice", text, whole(0), call("greatest", position, whole(0))), text)
    rest = call("str_slice", text, call("add", position, whole(len(separator))), whole(END))
    after = elementwise.select(has, rest, Literal(None, ir.str_))
    ragged = object_strings.is_shown(vector) and elementwise.any_row(vector.rows, call("is_true", elementwise.negated(has)))
    return _expanded(vector, [before, after], pandas.RangeIndex(2), ragged=ragged)


@operation("str.join")
def join(vector: Vector, sep: Any) -> Vector:
    lists = lists_of(vector)
    if not isinstance(sep, str):
        raise Refused("`sep` is not a string")
    if lists is None:
        return _between(vector, sep)
    missing = object_strings.missing_of(vector) if object_strings.is_shown(vector) else np.nan
    return Vector(vector.rows, object_strings.text(call("str_join", lists, words(sep)), missing), vector.name, vector.index)


def _between(vector: Vector, sep: str) -> Vector:
    """Text with a separator between its characters."""
    text = text_of(vector)
    if not sep:
        return as_text(vector, text)
    after_each = call("str_replace_regex", text, words("(?s)(.)"), words("${1}" + sep.replace("$", "$$")), whole(-1))
    return as_text(vector, call("str_strip_suffix", after_each, words(sep)))


def _expanded(vector: Vector, columns: list[Expression], labels: Any, *, ragged: bool = False) -> Frame:
    if object_strings.is_shown(vector):
        return Frame(vector.rows, object_strings.parts(vector, columns, ragged=ragged), labels, vector.index)
    return Frame(vector.rows, [Column(column, parts_dtype(vector.dtype)) for column in columns], labels, vector.index)


def parts_dtype(dtype: Any) -> Any:
    """The dtype of the parts of text that each become a column: of Arrow's text pandas makes them anew, with offsets of 32 bits."""
    return pandas.ArrowDtype(pyarrow.string()) if types.is_arrow_text(dtype) else dtype


def parted_text(vector: Vector, sep: Any, expand: Any) -> Expression:
    """The text that is to be cut in three: of none at all pandas makes other columns."""
    if not isinstance(sep, str) or not sep or expand is not True:
        raise Refused(f"`sep={value_text(sep)}`, or `expand={value_text(expand)}`")
    text = proper_text(vector)
    if run.count(vector.rows) == 0 or not elementwise.any_row(vector.rows, elementwise.negated(call("is_null", text))):
        raise Refused("no strings")
    return text


@operation("str.partition")
def partition(vector: Vector, sep: Any = " ", expand: bool = True) -> Frame:
    text = parted_text(vector, sep, expand)
    lists = call("str_split", text, words(sep), whole(1))
    has = call("str_contains", text, words(sep))
    nothing = elementwise.select(call("is_null", text), Literal(None, ir.str_), words(""))
    after = call("coalesce", call("list_at", lists, whole(1)), nothing)
    middle = elementwise.select(has, words(sep), nothing)
    return _expanded(vector, [call("list_at", lists, whole(0)), middle, after], pandas.RangeIndex(3))


@operation("str.extract")
def extract(vector: Vector, pat: Any, flags: int = 0, expand: bool = True) -> Any:
    if expand not in (True, False):
        raise Refused(f"`expand={value_text(expand)}`")
    source, ignore_case = plain_pattern(pat, flags)
    pattern = Pattern(source, ignore_case=ignore_case)
    if not pattern.groups or pattern.tangled:
        raise Refused("a pattern without groups, or with repeated ones")
    text = proper_text(vector)
    only_meant(vector.rows, text, pattern)
    found: list[Expression] = [call("str_extract", text, words(pattern.text), group=at) for at in range(1, pattern.groups + 1)]
    if types.is_arrow_text(vector.dtype) and len(pattern.names) == pattern.groups and isinstance(pat, str) and not flags:
        # Arrow's own function, which pandas asks for groups that all have names, knows none that are missing from a match.
        whole_match = call("str_extract", text, words(pattern.text), group=0)
        found = [elementwise.select(call("is_null", whole_match), Literal(None, ir.str_), call("coalesce", group, words(""))) for group in found]
    if not expand and pattern.groups == 1:
        name = pattern.names.get(1, vector.name)
        if object_strings.is_shown(vector):
            object_strings.only_nan(vector)
            return Vector(vector.rows, object_strings.text(found[0], np.nan), name, vector.index)
        return Vector(vector.rows, Column(found[0], vector.dtype), name, vector.index)
    if run.count(vector.rows) == 0:
        raise Refused("no rows, whose columns pandas decides")
    names = _group_names(pattern)
    if object_strings.is_shown(vector):
        return Frame(vector.rows, [object_strings.text(column, np.nan) for column in found], names, vector.index)
    return Frame(vector.rows, [Column(column, vector.dtype) for column in found], names, vector.index)


def _group_names(pattern: Pattern) -> pandas.Index:
    """The labels of the groups of a pattern."""
    if not pattern.names:
        return pandas.RangeIndex(pattern.groups)
    return pandas.Index([pattern.names.get(at, at - 1) for at in range(1, pattern.groups + 1)])


@operation("str.extractall")
def extract_all(vector: Vector, pat: Any, flags: int = 0) -> Frame:
    source, ignore_case = plain_pattern(pat, flags)
    pattern = Pattern(source, ignore_case=ignore_case)
    # A match by itself has the groups that it has where it stands, but for what a pattern says of what is beside it.
    if not pattern.groups or pattern.tangled or pattern.anchored or pattern.matches_empty:
        raise Refused("a pattern without groups, with repeated ones, with anchors, or one that matches the empty string")
    text = proper_text(vector)
    only_meant(vector.rows, text, pattern)
    keys = [materialize.decided(key) for key in label_columns(vector.rows, vector.index)]
    if len(keys) > 1 or keys[0].unsupported or not (types.is_integer(keys[0].dtype) or types.is_text(keys[0].dtype)):
        raise Refused("index labels that are neither integers nor strings")
    some = call("is_true", call("gt", call("list_len", _matches(text, pattern)), whole(0)))
    if not elementwise.any_row(vector.rows, some):
        raise Refused("no matches, so that pandas decides the index")
    kept = vector.filtered(some)
    slot, position = Slot("match"), Column(Ref(space_of(kept.rows).position), types.INT64)
    lists = _matches(proper_text(kept), pattern)
    rows, (position,), index = moved(kept.rows, (position,), kept.index, lambda below: Exploded(below, {slot: lists}), False)
    (key,) = (materialize.decided(one) for one in label_columns(rows, index))
    if types.is_integer(key.dtype):
        key = Column(literals.cast(key.expression, key.dtype, types.INT64), types.INT64)
    rows, (key, number) = evaluate_windows(rows, [key, Column(Over(fold("row_number", position.expression), (position.expression,)), types.INT64)])
    groups = [call("str_extract", Ref(slot), words(pattern.text), group=at) for at in range(1, pattern.groups + 1)]
    # An empty group is one that is missing.
    found = [elementwise.select(call("is_true", call("eq", group, words(""))), Literal(None, ir.str_), group) for group in groups]
    columns = [object_strings.text(one, np.nan) if object_strings.is_shown(vector) else Column(one, vector.dtype) for one in found]
    return Frame(rows, columns, _group_names(pattern), ColumnLabels([key, number], [*index.names, "match"]))


def _matches(text: Expression, pattern: Pattern) -> Expression:
    return call("str_find_all", text, words(pattern.text))


@operation("str.translate")
def translate(vector: Vector, table: Any) -> Vector:
    if type(table) is not dict or not all(type(key) is int and 0 <= key < 0x110000 for key in table):
        raise Refused("`table` is not a mapping of characters")
    if not all(value is None or type(value) is str or (type(value) is int and 0 <= value < 0x110000) for value in table.values()):
        raise Refused("`table` with values that are not strings")
    becoming: dict[str, str] = {}
    for key, value in table.items():
        new = chr(value) if isinstance(value, int) else value or ""
        becoming[new] = becoming.get(new, "") + chr(key)
    text = text_of(vector)
    for new in _in_order(becoming):
        pattern = Pattern("[" + "".join(map(re.escape, becoming[new])) + "]")
        text = call("str_replace_regex", text, words(pattern.text), words(new.replace("$", "$$")), whole(-1))
    return as_text(vector, text)


def _in_order(becoming: dict[str, str]) -> list[str]:
    """In which order characters are replaced, each kind by another text, so that none is replaced again."""
    import graphlib

    before = {new: {other for other, old in becoming.items() if other != new and set(old) & set(new)} for new in becoming}
    if len(before) > MOST_KINDS:
        raise Refused(f"`table` with more than {MOST_KINDS} different values")
    try:
        return list(graphlib.TopologicalSorter(before).static_order())
    except graphlib.CycleError as error:
        raise Refused("`table` that exchanges characters") from error


@operation("str.normalize")
def normalize(vector: Vector, form: Any) -> Vector:
    if form not in ("NFC", "NFD", "NFKC", "NFKD"):
        raise Refused(f"`form={value_text(form)}`")
    text = proper_text(vector)
    # Composed letters are as they should be in the form that composes them, and ASCII is in all.
    return over_common(vector, text, text, vector.dtype, ascii=form != "NFC")

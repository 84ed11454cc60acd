"""The accessor `str`: text put together, and taken apart."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.data import restore, types
from airloom.pandas.face.dispatch import BaseSeries, operation
from airloom.pandas.operations import elements, shown_text
from airloom.pandas.operations.alignment import aligned, vector_of
from airloom.pandas.operations.patterns import Pattern, plain_pattern
from airloom.pandas.operations.text import END, as_objects, lists_of, only_meant, proper_text, whole, words
from airloom.pandas.plan import run
from airloom.pandas.plan.expression import Expression, Literal, call, fold
from airloom.pandas.plan.frame import Column, Frame, Refused, Vector


@operation("str.cat")
def concatenate(vector: Vector, others: Any = None, sep: Any = None, na_rep: Any = None, join: str = "left") -> Any:
    if not isinstance(sep, (str, type(None))) or not isinstance(na_rep, (str, type(None))) or join != "left":
        raise Refused("a separator that is no text, or labels that are joined")
    if others is None:
        return _joined(vector, sep or "", na_rep)
    parts = [others] if isinstance(others, BaseSeries) else others
    if not isinstance(parts, list) or not parts or not all(isinstance(part, BaseSeries) for part in parts):
        raise Refused("others than series of the same labels")
    rows = vector.rows
    pieces: list[Expression] = [_shown(proper_text(vector), na_rep)]
    for part in parts:
        far = vector_of(part)
        assert far is not None
        rows, column = aligned(rows, vector.index, far)
        column = elements.understood(restore.decided(column))
        text = elements.object_text(column) if column.opaque else column.expression
        if text is None or column.dtype != vector.dtype:
            raise Refused(f"text and `{column.dtype}`")
        if sep:
            pieces.append(words(sep))
        pieces.append(_shown(text, na_rep))
    made = call("str_concat", *pieces)
    shown = vector.column.shown
    if shown is None:
        return Vector(rows, Column(made, vector.dtype), vector.name, vector.index)
    of = shown.of if isinstance(shown, shown_text.OfCategories) else types.OBJECT
    return Vector(rows, shown_text.text(made, np.nan) if of == types.OBJECT else Column(made, of), vector.name, vector.index)


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
        raise Refused("how text is split")
    text, separator = proper_text(vector), pat
    lists: Expression | None = None
    if pat is not None and regex is not False and (regex or len(pat) > 1):
        pattern = Pattern(pat, ignore_case=ignore_case)
        separator = pattern.literal
        if separator is None:
            if pattern.groups or pattern.matches_empty or n > 0:
                raise Refused("a pattern to split at, with groups, or so many times")
            only_meant(vector, text, pattern)
            lists = call("str_split_regex", text, words(pattern.text))
    if separator == "":
        raise Refused("nothing to split at")
    if lists is None:
        lists = call("str_split", text, words(separator or ""), whole(n if n > 0 else -1))
    if not expand:
        return as_objects(vector, lists)
    most = run.value(vector.rows, fold("max", call("coalesce", call("list_len", lists), whole(0))))
    if not most:
        raise Refused("no text to split")
    ragged = shown_text.is_shown(vector) and elements.anywhere(vector.rows, call("is_true", call("ne", call("list_len", lists), whole(most))))
    return _expanded(vector, [call("list_at", lists, whole(at)) for at in range(most)], pandas.RangeIndex(most), ragged=ragged)


@operation("str.rsplit")
def split_from_end(vector: Vector, pat: Any = None, *, n: Any = -1, expand: bool = False) -> Any:
    if n == 1 and expand is True and isinstance(pat, str) and pat:
        return _split_once(vector, pat)
    if n not in (-1, 0) or not isinstance(pat, (str, type(None))):
        raise Refused("text that is split from its end")
    return split(vector, pat, expand=expand, regex=False)


def _split_once(vector: Vector, separator: str) -> Frame:
    """The text before and after the last separator."""
    text = proper_text(vector)
    place = call("str_find_last", text, words(separator))
    has = call("ge", place, whole(0))
    if not elements.anywhere(vector.rows, call("is_true", has)):
        raise Refused("text that is not split anywhere")
    before = elements.select(has, call("str_slice", text, whole(0), call("greatest", place, whole(0))), text)
    rest = call("str_slice", text, call("add", place, whole(len(separator))), whole(END))
    after = elements.select(has, rest, Literal(None, ir.str_))
    ragged = shown_text.is_shown(vector) and elements.anywhere(vector.rows, call("is_true", elements.negated(has)))
    return _expanded(vector, [before, after], pandas.RangeIndex(2), ragged=ragged)


@operation("str.join")
def join(vector: Vector, sep: Any) -> Vector:
    lists = lists_of(vector)
    if lists is None or not isinstance(sep, str):
        raise Refused("what is joined")
    missing = shown_text.missing_of(vector) if shown_text.is_shown(vector) else np.nan
    return Vector(vector.rows, shown_text.text(call("str_join", lists, words(sep)), missing), vector.name, vector.index)


def _expanded(vector: Vector, columns: list[Expression], labels: Any, *, ragged: bool = False) -> Frame:
    if shown_text.is_shown(vector):
        return Frame(vector.rows, shown_text.parts(vector, columns, ragged=ragged), labels, vector.index)
    return Frame(vector.rows, [Column(column, vector.dtype) for column in columns], labels, vector.index)


def parted_text(vector: Vector, sep: Any, expand: Any) -> Expression:
    """The text that is to be cut in three: of none at all pandas makes other columns."""
    if not isinstance(sep, str) or not sep or expand is not True:
        raise Refused("how text is parted")
    text = proper_text(vector)
    if run.count(vector.rows) == 0 or not elements.anywhere(vector.rows, elements.negated(call("is_null", text))):
        raise Refused("no text to part")
    return text


@operation("str.partition")
def partition(vector: Vector, sep: Any = " ", expand: bool = True) -> Frame:
    text = parted_text(vector, sep, expand)
    lists = call("str_split", text, words(sep), whole(1))
    has = call("str_contains", text, words(sep))
    nothing = elements.select(call("is_null", text), Literal(None, ir.str_), words(""))
    after = call("coalesce", call("list_at", lists, whole(1)), nothing)
    middle = elements.select(has, words(sep), nothing)
    return _expanded(vector, [call("list_at", lists, whole(0)), middle, after], pandas.RangeIndex(3))


@operation("str.extract")
def extract(vector: Vector, pat: Any, flags: int = 0, expand: bool = True) -> Any:
    if expand not in (True, False):
        raise Refused("how groups are shown")
    source, ignore_case = plain_pattern(pat, flags)
    pattern = Pattern(source, ignore_case=ignore_case)
    if not pattern.groups or pattern.tangled:
        raise Refused("a pattern without groups, or with groups that are repeated")
    text = proper_text(vector)
    only_meant(vector, text, pattern)
    found: list[Expression] = [call("str_extract", text, words(pattern.text), group=at) for at in range(1, pattern.groups + 1)]
    if not expand and pattern.groups == 1:
        name = pattern.names.get(1, vector.name)
        if shown_text.is_shown(vector):
            shown_text.only_nan(vector)
            return Vector(vector.rows, shown_text.text(found[0], np.nan), name, vector.index)
        return Vector(vector.rows, Column(found[0], vector.dtype), name, vector.index)
    if run.count(vector.rows) == 0:
        raise Refused("no text, and so no labels")
    labels = [pattern.names.get(at, at - 1) for at in range(1, pattern.groups + 1)]
    names = pandas.RangeIndex(len(labels)) if not pattern.names else pandas.Index(labels)
    if shown_text.is_shown(vector):
        return Frame(vector.rows, [shown_text.text(column, np.nan) for column in found], names, vector.index)
    return _expanded(vector, found, names)

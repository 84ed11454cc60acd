"""The accessor `str`: text put together, and taken apart."""

from __future__ import annotations

from typing import Any

import pandas

from airloom import ir
from airloom.pandas.data import types
from airloom.pandas.face.dispatch import BaseSeries, operation
from airloom.pandas.operations import elements
from airloom.pandas.operations.patterns import Pattern, plain_pattern
from airloom.pandas.operations.text import as_objects, only_meant, proper_text, whole, words
from airloom.pandas.plan import run
from airloom.pandas.plan.expression import Expression, Literal, call, fold
from airloom.pandas.plan.frame import Column, Frame, Refused, Vector


@operation("str.cat")
def concatenate(vector: Vector, others: Any = None, sep: Any = None, na_rep: Any = None, join: str = "left") -> Vector:
    if not isinstance(sep, (str, type(None))) or not isinstance(na_rep, (str, type(None))) or join != "left":
        raise Refused("a separator that is no text, or labels that are joined")
    parts = [others] if isinstance(others, BaseSeries) else others
    if not isinstance(parts, list) or not parts or not all(isinstance(part, BaseSeries) for part in parts):
        raise Refused("others than series of the same labels")
    rows = vector.rows
    pieces: list[Expression] = [_shown(proper_text(vector), na_rep)]
    for part in parts:
        beside = elements.operand(vector, rows, part)
        assert beside is not None
        rows, column = beside
        if column.dtype != vector.dtype:
            raise Refused(f"text and `{column.dtype}`")
        if sep:
            pieces.append(words(sep))
        pieces.append(_shown(column.expression, na_rep))
    return Vector(rows, Column(call("str_concat", *pieces), vector.dtype), vector.name, vector.index)


def _shown(text: Expression, na_rep: str | None) -> Expression:
    return text if na_rep is None else call("coalesce", text, words(na_rep))


@operation("str.split")
def split(vector: Vector, pat: Any = None, *, n: Any = -1, expand: bool = False, regex: Any = None) -> Any:
    if not isinstance(n, int) or n < -1 or expand not in (True, False) or not isinstance(pat, (str, type(None))):
        raise Refused("how text is split")
    separator = pat
    if pat is not None and regex is not False and (regex or len(pat) > 1):
        separator = Pattern(pat).literal
        if separator is None:
            raise Refused("a pattern to split at")
    if separator == "":
        raise Refused("nothing to split at")
    lists = call("str_split", proper_text(vector), words(separator or ""), whole(n if n > 0 else -1))
    if not expand:
        return as_objects(vector, lists)
    most = run.value(vector.rows, fold("max", call("coalesce", call("list_len", lists), whole(0))))
    if not most:
        raise Refused("no text to split")
    return _expanded(vector, [call("list_at", lists, whole(at)) for at in range(most)], pandas.RangeIndex(most))


@operation("str.rsplit")
def split_from_end(vector: Vector, pat: Any = None, *, n: Any = -1, expand: bool = False) -> Any:
    if n not in (-1, 0):
        raise Refused("text that is split from its end")
    return split(vector, pat, expand=expand, regex=False)


def _expanded(vector: Vector, columns: list[Expression], labels: Any) -> Frame:
    return Frame(vector.rows, [Column(column, vector.dtype) for column in columns], labels, vector.index)


@operation("str.partition")
def partition(vector: Vector, sep: Any = " ", expand: bool = True) -> Frame:
    if not isinstance(sep, str) or not sep or expand is not True:
        raise Refused("how text is parted")
    text = proper_text(vector)
    if run.count(vector.rows) == 0 or not elements.anywhere(vector.rows, elements.negated(call("is_null", text))):
        raise Refused("no text to part")
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
        return Vector(vector.rows, Column(found[0], vector.dtype), name, vector.index)
    if run.count(vector.rows) == 0:
        raise Refused("no text, and so no labels")
    labels = [pattern.names.get(at, at - 1) for at in range(1, pattern.groups + 1)]
    return _expanded(vector, found, pandas.RangeIndex(len(labels)) if not pattern.names else pandas.Index(labels))

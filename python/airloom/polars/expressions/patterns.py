"""Patterns in text: found, replaced, taken out, and what lies between them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.logic import literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Value, rowwise


def _pattern(value: Value, what: str) -> str:
    pattern = literal_of(value, f"{what} of a pattern")
    if not isinstance(pattern, str) or not pattern:
        raise Refused(f"{what} of the pattern {value_text(pattern)} is not translated")
    return pattern


@expression("string.Replace")
def _replace(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    count, literal = one.parameters
    pattern = _pattern(arguments[1], "`str.replace`")
    if count not in (1, -1) or not all(dtypes.is_of(argument.dtype, pl.String) for argument in arguments):
        raise Refused(f"`str.replace` of the first {value_text(count)} matches is not translated")
    if literal:
        return rowwise(one.dtype, lambda text, part, new: ir.str_replace(text, part, new, ir.const(count)), *arguments)
    new = literal_of(arguments[2], "`str.replace` of a pattern with a text")
    if not isinstance(new, str):
        raise Refused(f"`str.replace` with {value_text(new)} is not translated")
    return rowwise(one.dtype, lambda text: ir.str_replace_regex(text, ir.const(pattern), ir.const(new), ir.const(count)), arguments[0])


@expression("string.Extract")
def _extract(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (group,) = one.parameters
    pattern = _pattern(arguments[1], "`str.extract`")
    return rowwise(one.dtype, lambda text: ir.str_extract(text, ir.const(pattern), group=group), arguments[0])


@expression("string.ExtractAll")
def _extract_all(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    pattern = _pattern(arguments[1], "`str.extract_all`")
    return rowwise(one.dtype, lambda text: ir.str_find_all(text, ir.const(pattern)), arguments[0])


@expression("string.CountMatches")
def _count(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (literal,) = one.parameters
    pattern = _pattern(arguments[1], "`str.count_matches`")
    kind = dtypes.type_of(one.dtype)

    def make(text: Node) -> Node:
        found = ir.str_count(text, ir.const(pattern)) if literal else ir.list_len(ir.str_find_all(text, ir.const(pattern)))
        return ir.cast(found, kind, mode="wrap")

    return rowwise(one.dtype, make, arguments[0])


@expression("string.Split")
def _split(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    inclusive = one.parameters[0]
    separator = _pattern(arguments[1], "`str.split`")
    if inclusive or len(one.parameters) > 1 and not one.parameters[1]:
        raise Refused(f"`str.split` with `inclusive` {value_text(inclusive)} is not translated")
    return rowwise(one.dtype, lambda text: ir.str_split(text, ir.const(separator), ir.const(-1)), arguments[0])


@expression("string.ContainsAny")
def _contains_any(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (ignores_case,) = one.parameters
    parts = literal_of(arguments[1], "`str.contains_any` of patterns")
    given = list(parts) if parts is not None else []
    if ignores_case or not given or any(not isinstance(part, str) or not part for part in given):
        raise Refused("`str.contains_any` is translated only for literal texts that are not empty, in their own letter case")
    pattern = "|".join(map(_escaped, given))
    return rowwise(one.dtype, lambda text: ir.str_matches(text, ir.const(pattern)), arguments[0])


def _escaped(part: str) -> str:
    return re.sub(r"([\\.+*?()|\[\]{}^$#&\-~ ])", r"\\\1", part)


@expression("string.ZFill")
def _zfill(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    width = literal_of(arguments[1], "`str.zfill` to a `length`")
    if not isinstance(width, int):
        raise unsupported(one, arguments)
    return rowwise(one.dtype, lambda text: ir.str_zfill(text, ir.const(width)), arguments[0])

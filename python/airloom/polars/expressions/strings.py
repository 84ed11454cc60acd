"""Functions of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.failing import fail_where
from airloom.polars.expressions.logic import literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Value, rowwise

#: The greatest position: an open end of a slice.
_END = 2**63 - 1


@expression("string.Contains")
def _contains(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    literal, strict = one.parameters
    if literal:
        return rowwise(one.dtype, ir.str_contains, *arguments)
    pattern = literal_of(arguments[1], "`str.contains` with a pattern")
    if not strict or not isinstance(pattern, str):
        raise Refused(f"`str.contains` with the pattern {value_text(pattern)} and `strict` {value_text(strict)} is not translated")
    return rowwise(one.dtype, ir.str_matches, *arguments)


@expression("string.StartsWith", "string.EndsWith")
def _begins(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if not all(dtypes.is_of(argument.dtype, pl.String) for argument in arguments):
        raise unsupported(one, arguments)
    return rowwise(one.dtype, ir.str_starts if one.name == "string.StartsWith" else ir.str_ends, *arguments)


@expression("string.LenChars", "string.LenBytes")
def _length(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    kind = dtypes.type_of(one.dtype)
    chars = one.name == "string.LenChars"
    return rowwise(one.dtype, lambda text: ir.cast(ir.str_len(text, unit="chars" if chars else "bytes"), kind), *arguments)


@expression("string.Slice")
def _slice(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if arguments[1].literal is None or arguments[2].literal is None:
        return _slice_by_columns(one, arguments)
    offset = literal_of(arguments[1], "`str.slice` with an `offset`")
    length = literal_of(arguments[2], "`str.slice` with a `length`")
    if not isinstance(offset, int) or not (length is None or (isinstance(length, int) and length >= 0)):
        raise Refused(f"`str.slice` from {value_text(offset)} with `length` {value_text(length)} is not translated")
    if offset < 0:
        return rowwise(one.dtype, lambda text: _from_end(text, offset, length), arguments[0])
    stop = _END if length is None else min(offset + length, _END)
    return rowwise(one.dtype, lambda text: ir.str_slice(text, ir.const(offset), ir.const(stop)), arguments[0])


def _slice_by_columns(one: Expression, arguments: Sequence[Value]) -> Value:
    if not dtypes.is_of(arguments[1].dtype, *dtypes.SIGNED) or not dtypes.is_of(arguments[2].dtype, *dtypes.INTEGERS, pl.Null) or dtypes.is_of(arguments[2].dtype, pl.UInt64):
        raise unsupported(one, arguments)
    endless = arguments[2].literal == (None,)

    def make(text: Node, offset: Node, *length: Node) -> Node:
        given = ir.cast(offset, ir.i64)
        begin = ir.select(ir.lt(given, ir.const(0)), ir.add(ir.str_len(text), given), given)
        stop = ir.const(_END)
        if length:
            # A null is no bound; sums of great numbers must not wrap.
            count = fail_where(ir.lt(length[0], ir.cast(ir.const(0), length[0].type.required)), ir.least(ir.cast(length[0], ir.i64), ir.const(2**32)), "a negative length of text")
            stop = ir.coalesce(ir.greatest(ir.add(ir.least(begin, ir.const(2**32)), count), ir.const(0)), ir.const(_END))
        return ir.select(ir.is_null(offset), ir.null(ir.str_), ir.str_slice(text, ir.greatest(begin, ir.const(0)), stop))

    return rowwise(one.dtype, make, arguments[0], arguments[1], *([] if endless else [arguments[2]]))


def _from_end(text: Node, offset: int, length: int | None) -> Node:
    """The characters from a position before the end, which may lie before the beginning."""
    begin = ir.add(ir.str_len(text), ir.const(offset))
    end = ir.const(_END) if length is None else ir.greatest(ir.add(begin, ir.const(length)), ir.const(0))
    return ir.str_slice(text, ir.greatest(begin, ir.const(0)), end)


@expression("string.Find")
def _find(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    literal, _strict = one.parameters
    part = literal_of(arguments[1], "`str.find` of a text")
    if not literal or not isinstance(part, str) or not part:
        raise Refused(f"`str.find` of {value_text(part)} with `literal` {value_text(literal)} is not translated")
    kind = dtypes.type_of(one.dtype)

    def make(text: Node) -> Node:
        # In bytes, as Polars counts.
        at = ir.str_find(text, ir.const(part))
        before = ir.str_len(ir.str_slice(text, ir.const(0), ir.greatest(at, ir.const(0))), unit="bytes")
        return ir.select(ir.lt(at, ir.const(0)), ir.null(kind), ir.cast(before, kind, mode="wrap"))

    return rowwise(one.dtype, make, arguments[0])


@expression("string.Head", "string.Tail")
def _head(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    count = literal_of(arguments[1], f"`str.{one.name.partition('.')[2].lower()}` of a number")
    if not isinstance(count, int):
        raise Refused(f"`str.{one.name.partition('.')[2].lower()}` of {value_text(count)} characters is not translated")
    if count < 0:
        # All but as many at the other end.
        begin, end = (0, count) if one.name == "string.Head" else (-count, _END)
        return rowwise(one.dtype, lambda text: ir.str_slice(text, ir.const(begin), ir.const(end)), arguments[0])
    if one.name == "string.Head":
        return rowwise(one.dtype, lambda text: ir.str_slice(text, ir.const(0), ir.const(count)), arguments[0])
    if count == 0:
        return rowwise(one.dtype, lambda text: ir.str_slice(text, ir.const(0), ir.const(0)), arguments[0])
    return rowwise(one.dtype, lambda text: ir.str_slice(text, ir.const(-count), ir.const(_END)), arguments[0])


@expression("string.StripPrefix", "string.StripSuffix")
def _strip_affix(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if not all(dtypes.is_of(argument.dtype, pl.String) for argument in arguments):
        raise unsupported(one, arguments)
    return rowwise(one.dtype, ir.str_strip_prefix if one.name == "string.StripPrefix" else ir.str_strip_suffix, *arguments)


@expression("string.ConcatHorizontal")
def _concat(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    separator, ignore_nulls = one.parameters
    if not all(dtypes.is_of(argument.dtype, pl.String) for argument in arguments):
        raise Refused(f"`concat_str` of {', '.join(str(argument.dtype) for argument in arguments)} is not translated")
    if ignore_nulls:
        element = ir.optional(ir.str_)
        return rowwise(one.dtype, lambda *texts: ir.str_join(ir.list_of(*texts, element=element), ir.const(separator)), *arguments)

    def make(*texts: Node) -> Node:
        parts = [texts[0]]
        for text in texts[1:]:
            parts += [ir.const(separator), text] if separator else [text]
        return ir.str_concat(*parts)

    return rowwise(one.dtype, make, *arguments)


@expression("string.Lowercase", "string.Uppercase")
def _case(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    lower = one.name == "string.Lowercase"
    return rowwise(one.dtype, lambda text: ir.str_case(text, "lower" if lower else "upper"), arguments[0])


#: The white space of Unicode, which Polars strips where it is not told what to strip.
_SPACES = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
_SIDES: dict[str, Literal["both", "start", "end"]] = {"string.StripChars": "both", "string.StripCharsStart": "start", "string.StripCharsEnd": "end"}


@expression(*_SIDES)
def _strip(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    side = _SIDES[one.name]
    if arguments[1].literal is None and dtypes.is_of(arguments[1].dtype, pl.String):
        return rowwise(one.dtype, lambda text, given: ir.str_strip(text, ir.coalesce(given, ir.const(_SPACES)), side=side), *arguments)
    chars = literal_of(arguments[1], "`str.strip_chars` of characters")
    if chars == "" or not (chars is None or isinstance(chars, str)):
        raise Refused(f"`str.strip_chars` of {value_text(chars)} is not translated")
    return rowwise(one.dtype, lambda text: ir.str_strip(text, ir.const(_SPACES if chars is None else chars), side=side), arguments[0])


@expression("string.PadStart", "string.PadEnd")
def _pad(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (fill,) = one.parameters
    length = literal_of(arguments[1], "padding to a `length`")
    if not isinstance(length, int) or not isinstance(fill, str) or len(fill) != 1:
        raise Refused(f"padding with {value_text(fill)} to {value_text(length)} characters is not translated")
    side: Literal["start", "end"] = "start" if one.name == "string.PadStart" else "end"
    return rowwise(one.dtype, lambda text: ir.str_pad(text, ir.const(length), ir.const(fill), side=side), arguments[0])


@expression("string.Reverse")
def _reverse(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    def make(text: Node) -> Node:
        # Polars keeps characters together that are shown as one: beyond ASCII they may be.
        return fail_where(ir.ne(ir.str_len(text), ir.str_len(text, unit="bytes")), ir.str_reverse(text), "text beyond ASCII that is reversed")

    return rowwise(one.dtype, make, arguments[0])


@expression("string.SplitExact", "string.SplitN")
def _split_to_struct(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    assert isinstance(one.dtype, pl.Struct)
    separator = literal_of(arguments[1], "`str.split_exact` by a text")
    inclusive = len(one.parameters) > 1 and one.parameters[1]
    if inclusive or not isinstance(separator, str) or not separator:
        raise Refused(f"`str.split_exact` by {value_text(separator)} with `inclusive` {value_text(inclusive)} is not translated")
    names = [field.name for field in one.dtype.fields]
    limit = -1 if one.name == "string.SplitExact" else len(names) - 1

    def make(text: Node) -> Node:
        parts = ir.str_split(text, ir.const(separator), ir.const(limit))
        return ir.row({name: ir.list_at(parts, ir.const(at)) for at, name in enumerate(names)})

    return rowwise(one.dtype, make, arguments[0])


@expression("string.Format")
def _format(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    text, positions = one.parameters
    if any(not dtypes.is_of(argument.dtype, pl.String, *dtypes.INTEGERS) for argument in arguments) or len(positions) != len(arguments):
        raise unsupported(one, arguments)
    # Positions are of bytes.
    ends = [0, *positions, len(text.encode())]
    pieces = [text.encode()[begin:end].decode() for begin, end in zip(ends, ends[1:], strict=False)]

    def make(*values: Node) -> Node:
        parts = [ir.const(pieces[0])]
        for value, piece in zip(values, pieces[1:], strict=True):
            parts += [value if value.type.required == ir.str_ else ir.cast(value, ir.str_), ir.const(piece)]
        return ir.str_concat(*parts)

    return rowwise(one.dtype, make, *arguments)

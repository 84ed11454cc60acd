"""Columns that are cut: rows from a position on, which is written in the query or computed."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.aggregates import masked
from airloom.polars.expressions.logic import literal_of
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.failing import fail_where
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Mask, Value, folded, literal, rowwise


@expression("slice")
def _slice(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value = arguments[0]
    if value.mask is None and all(part.single and dtypes.is_of(part.dtype, *dtypes.INTEGERS) for part in arguments[1:]) and (value.single or any(part.literal is None for part in arguments[1:])):
        return _slice_by_values(value, arguments[1], arguments[2], context)
    offset = literal_of(arguments[1], "`slice` with an `offset`")
    length = literal_of(arguments[2], "`slice` with a `length`")
    edge = length == 1 and offset in (0, -1)
    if edge and (value.single or (value.mask is not None and value.mask is context.slices.get((offset, length)))):
        # One value is its own first row, and what is cut to one row is not cut again.
        return value
    if not isinstance(offset, int) or not isinstance(length, int) or value.mask is not None or value.single:
        raise Refused(f"`slice` from {value_text(offset)} with `length` {value_text(length)} of a column that is cut already, or of one value, is not translated")
    # No frame is as long, and sums of such numbers do not wrap.
    offset, length = (max(-(2**61), min(number, 2**61)) for number in (offset, length))
    mask = context.slices.get((offset, length))
    if mask is None:
        mask = context.slices[offset, length] = _kept_by_position(offset, length, context)
    return masked(value, mask)


def _slice_by_values(value: Value, offset: Value, length: Value, context: Context) -> Value:
    """What is left of a column, or of one value, from a row on that is computed."""
    if context.over.windows is not None:
        raise Refused("`slice` by what is computed, in windows around each row, is not translated")
    if value.single and length.literal is not None and offset.literal in ((0,), (-1,)) and length.literal[0] == 1:
        return value
    one, zero = literal(1, pl.Int64()), literal(0, pl.Int64())
    rows = one if value.single else folded(pl.Int64(), context.over, lambda array: ir.count(array, skip="none"))
    number = zero if value.single else folded(pl.Int64(), context.over, ir.row_number, reduces=False)

    def kept(position: Node, count: Node, begin: Node, wanted: Node) -> Node:
        # Sums of such numbers do not wrap, and no frame is as long. What a length is that is not known, or negative, Polars knows.
        start, many = (ir.least(ir.greatest(ir.cast(node, ir.i64), ir.const(-(2**61))), ir.const(2**61)) for node in (begin, wanted))
        first = ir.select(ir.lt(start, ir.const(0)), ir.add(count, start), start)
        keep = ir.and_(ir.ge(position, first), ir.lt(position, ir.add(first, many)))
        return fail_where(ir.or_(ir.or_(ir.is_null(begin), ir.is_null(wanted)), ir.is_true(ir.lt(many, ir.const(0)))), keep, "an offset or a length of a slice that is null, or a negative length")

    return masked(value, Mask(rowwise(pl.Boolean(), kept, number, rows, offset, length)))


def _not_kept() -> Node:
    raise Refused("`slice` in windows around each row is translated only below `first` and `last`")


def _kept_by_position(offset: int, length: int, context: Context) -> Mask:
    if context.over.windows is not None:
        # Only of the first and the last row it is known which they are.
        return Mask(Value(pl.Boolean(), False, _not_kept), first=offset == 0 and length > 0, last=offset < 0 and offset + length == 0)
    number = folded(pl.Int64(), context.over, ir.row_number, reduces=False)
    start: Value = literal(offset, pl.Int64())
    if offset < 0:
        rows = folded(pl.Int64(), context.over, lambda array: ir.count(array, skip="none"))
        start = rowwise(pl.Int64(), lambda count: ir.add(count, ir.const(offset)), rows)

    def kept(position: Node, begin: Node) -> Node:
        return ir.and_(ir.ge(position, begin), ir.lt(position, ir.add(begin, ir.const(length))))

    keep = rowwise(pl.Boolean(), kept, number, start)
    return Mask(keep, first=offset == 0 and length > 0, last=offset < 0 and offset + length == 0, span=(offset, length))

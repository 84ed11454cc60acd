"""Bits of integers: counted in each, and combined over rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.aggregates import known
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.values import Value, folded, rowwise

_UNSIGNED: dict[type[pl.DataType], tuple[int, ir.Type]] = {
    pl.Int8: (8, ir.u8),
    pl.UInt8: (8, ir.u8),
    pl.Int16: (16, ir.u16),
    pl.UInt16: (16, ir.u16),
    pl.Int32: (32, ir.u32),
    pl.UInt32: (32, ir.u32),
    pl.Int64: (64, ir.u64),
    pl.UInt64: (64, ir.u64),
}


def _leading_zeros(bits: Node, width: int, kind: ir.Type) -> Node:
    """Zeros above the highest bit: that bit is copied to all below it, and what is left is counted."""
    spread = bits
    by = 1
    while by < width:
        spread = ir.bitor(spread, ir.shr(spread, ir.const(by)))
        by *= 2
    return ir.sub(ir.const(width), ir.bitcount(spread))


def _trailing_zeros(bits: Node, width: int, kind: ir.Type) -> Node:
    """Zeros below the lowest bit: taking off one sets exactly these."""
    return ir.bitcount(ir.bitand(ir.bitnot(bits), ir.sub(bits, ir.const(1, kind))))


#: How bits at an end are counted, and whether they are ones.
_ENDS: dict[str, tuple[Callable[[Node, int, ir.Type], Node], bool]] = {
    "bitwise.LeadingZeros": (_leading_zeros, False),
    "bitwise.LeadingOnes": (_leading_zeros, True),
    "bitwise.TrailingZeros": (_trailing_zeros, False),
    "bitwise.TrailingOnes": (_trailing_zeros, True),
}


@expression(*_ENDS)
def _ends(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    found = _UNSIGNED.get(arguments[0].dtype.base_type())
    if found is None:
        raise unsupported(one, arguments)
    width, kind = found
    count, ones = _ENDS[one.name]
    after = dtypes.type_of(one.dtype)

    def make(node: Node) -> Node:
        bits = node if node.type.required == kind else ir.cast(node, kind, mode="wrap")
        return ir.cast(count(ir.bitnot(bits) if ones else bits, width, kind), after, mode="wrap")

    return rowwise(one.dtype, make, arguments[0])


@expression("bitwise.And", "bitwise.Or", "bitwise.Xor")
def _combined(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    operand = known(arguments[0])
    if operand.dtype != one.dtype or not dtypes.is_of(one.dtype, *dtypes.INTEGERS):
        raise unsupported(one, arguments)
    kind = dtypes.type_of(one.dtype)
    combine = {"bitwise.And": ir.bitand, "bitwise.Or": ir.bitor, "bitwise.Xor": ir.bitxor}[one.name]
    zero = ir.const(0, kind)
    start = ir.bitnot(zero) if one.name == "bitwise.And" else zero

    def make(array: Node) -> Node:
        made = ir.reduce(start, (ir.dim(array),), lambda at: ir.coalesce(ir.at(array, at), start), combine)
        # Of nothing there is no result.
        return ir.select(ir.eq(ir.count(array, skip="null"), ir.const(0)), ir.null(kind), made)

    return folded(one.dtype, context.over, make, operand)

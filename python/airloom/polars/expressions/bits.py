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
from airloom.polars.expressions.wide import row_of
from airloom.polars.expressions.wide_arithmetic import count_bits
from airloom.polars.reading import Expression
from airloom.polars.failing import fail_where
from airloom.polars.values import WHOLE, Value, folded, rowwise

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
    if dtypes.is_of(arguments[0].dtype, *dtypes.WIDE, pl.Boolean):
        return _of_other_width(one, arguments[0])
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


@expression("bitwise.CountOnes", "bitwise.CountZeros")
def _counted(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if dtypes.is_of(arguments[0].dtype, *dtypes.WIDE, pl.Boolean):
        return _of_other_width(one, arguments[0])
    found = _UNSIGNED.get(arguments[0].dtype.base_type())
    if found is None:
        raise unsupported(one, arguments)
    after, width = dtypes.type_of(one.dtype), found[0]

    def make(node: Node) -> Node:
        count = ir.bitcount(node)
        return ir.cast(count if one.name == "bitwise.CountOnes" else ir.sub(ir.const(width), count), after)

    return rowwise(one.dtype, make, arguments[0])


def _of_other_width(one: Expression, value: Value) -> Value:
    """Bits of integers of 128 of them, and of booleans, which have one."""
    word, after = one.name.partition(".")[2], dtypes.type_of(one.dtype)
    if not dtypes.is_of(value.dtype, pl.Boolean):
        return rowwise(one.dtype, lambda node: ir.cast(count_bits(word, node), after), value)
    return rowwise(one.dtype, lambda node: ir.cast(node if word.endswith("Ones") else ir.not_(node), after), value)


@expression("bitwise.And", "bitwise.Or", "bitwise.Xor")
def _combined(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    operand = known(arguments[0])
    if operand.dtype == one.dtype and dtypes.is_of(one.dtype, pl.Boolean):
        return folded(one.dtype, context.over, _of_some(_OF_BOOLEANS[one.name], context.over is WHOLE), operand)
    if operand.dtype != one.dtype or not dtypes.is_of(one.dtype, *dtypes.INTEGERS, *dtypes.WIDE):
        raise unsupported(one, arguments)
    kind = dtypes.type_of(one.dtype)
    combine = {"bitwise.And": ir.bitand, "bitwise.Or": ir.bitor, "bitwise.Xor": ir.bitxor}[one.name]

    def reduced(array: Node) -> Node:
        assert array.type.element is not None
        zero = ir.const(0, array.type.element.required)
        start = ir.bitnot(zero) if one.name == "bitwise.And" else zero
        return ir.reduce(start, (ir.dim(array),), lambda at: ir.coalesce(ir.at(array, at), start), combine)

    def make(array: Node) -> Node:
        if dtypes.is_of(one.dtype, *dtypes.WIDE):
            made = row_of(one.dtype, *(reduced(ir.map((array,), lambda element, half=half: ir.get(element, half))) for half in ("high", "low")))
        else:
            made = reduced(array)
        # Of nothing there is no result.
        return ir.select(ir.eq(ir.count(array, skip="null"), ir.const(0)), ir.null(kind), made)

    return folded(one.dtype, context.over, make, operand)


def _of_some(make: Callable[[Node], Node], alone: bool) -> Callable[[Node], Node]:
    """Of nothing there is no result; in groups it depends in Polars on the groups beside it, and the program fails."""

    def of(array: Node) -> Node:
        none = ir.eq(ir.count(array, skip="null"), ir.const(0))
        return ir.select(none, ir.null(ir.bool_), make(array)) if alone else fail_where(none, make(array), "bits of no values in a group")

    return of


def _odd(array: Node) -> Node:
    trues = ir.sum(ir.map((array,), lambda element: ir.cast(ir.is_true(element), ir.i64)))
    return ir.eq(ir.floormod(trues, ir.const(2)), ir.const(1))


_OF_BOOLEANS: dict[str, Callable[[Node], Node]] = {
    "bitwise.And": lambda array: ir.all(array, skip="null"),
    "bitwise.Or": lambda array: ir.any(array, skip="null"),
    "bitwise.Xor": _odd,
}

"""Arithmetic of integers of 128 bits, by their halves: sums, differences and products wrap. Quotients are computed where 64 bits are enough; else the program fails, and Polars goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.wide import halves, narrow, row_of
from airloom.polars.values import Value, rowwise

#: The lower half of 64 bits, and how far the upper one stands from it.
_MASK, _SHIFT = 2**32 - 1, 32


def is_wide(arguments: Sequence[Value], dtype: pl.DataType) -> bool:
    """Whether arguments and result are integers of one dtype of 128 bits."""
    return dtypes.is_of(dtype, *dtypes.WIDE) and all(argument.dtype == dtype for argument in arguments)


def wide_arithmetic(word: str, arguments: Sequence[Value], dtype: pl.DataType) -> Value:
    """A sum, a difference or a product."""

    def make(left: Node, right: Node) -> Node:
        (high, low), (other_high, other_low) = (_bits(side, dtype) for side in (left, right))
        made = _HALVES[word](high, low, other_high, other_low)
        return _known(row_of(dtype, *_signed(dtype, *made)), dtype, left, right)

    return rowwise(dtype, make, *arguments)


def wide_quotient(word: str, arguments: Sequence[Value], dtype: pl.DataType) -> Value:
    """What is left of a quotient that is rounded down, or that quotient; null where the divisor is zero."""
    divide = {"FloorDivide": ir.floordiv, "Modulus": ir.floormod}[word]

    def make(left: Node, right: Node) -> Node:
        made = divide(narrow(left, dtype), narrow(right, dtype), zero="null")
        high, low = halves(made, pl.Int64() if dtypes.is_of(dtype, pl.Int128) else pl.UInt64())
        return ir.select(ir.is_null(made), ir.null(dtypes.type_of(dtype)), row_of(dtype, high, low))

    return rowwise(dtype, make, *arguments)


def wide_sum(dtype: pl.DataType) -> Callable[[Node], Node]:
    """The sum of an array of integers, which wraps: the sums of their halves' halves, of which fewer than 2**32 do not overflow."""

    def make(array: Node) -> Node:
        def total(part: Callable[[Node], Node]) -> Node:
            return ir.sum(ir.map((array,), part), skip="null")

        high = total(lambda element: ir.cast(ir.get(element, "high"), ir.u64, mode="wrap"))
        middle = total(lambda element: ir.shr(ir.get(element, "low"), ir.const(_SHIFT)))
        low = total(lambda element: ir.bitand(ir.get(element, "low"), ir.const(_MASK, ir.u64)))
        above = ir.add(ir.shr(middle, ir.const(_SHIFT)), high)
        return row_of(dtype, *_signed(dtype, *_plus(above, ir.shl(middle, ir.const(_SHIFT)), ir.const(0, ir.u64), low)))

    return make


def wide_extreme(dtype: pl.DataType, reduce: Callable[..., Node]) -> Callable[[Node], Node]:
    """The least or the greatest of an array of integers: that with the extreme high half and, among these, the extreme low one; null where there is none."""

    def make(array: Node) -> Node:
        high = reduce(ir.map((array,), lambda element: ir.get(element, "high")), skip="null")
        low = reduce(ir.map((array,), lambda element: ir.select(ir.is_true(ir.eq(ir.get(element, "high"), high)), ir.get(element, "low"), ir.null(ir.u64))), skip="null")
        return ir.select(ir.is_null(high), ir.null(dtypes.type_of(dtype)), row_of(dtype, high, low))

    return make


def count_bits(word: str, node: Node) -> Node:
    """How many bits of an integer are ones; or are ones, or zeros, at an end."""
    high, low = ir.cast(ir.get(node, "high"), ir.u64, mode="wrap"), ir.get(node, "low")
    if word in ("CountOnes", "CountZeros"):
        ones = ir.add(ir.bitcount(high), ir.bitcount(low))
        return ones if word == "CountOnes" else ir.sub(ir.const(128), ones)
    if word.endswith("Ones"):
        high, low = ir.bitnot(high), ir.bitnot(low)
    first, second = (high, low) if word.startswith("Leading") else (low, high)
    count = _leading_zeros if word.startswith("Leading") else _trailing_zeros
    return ir.select(ir.eq(first, ir.const(0, ir.u64)), ir.add(ir.const(64), count(second)), count(first))


def _leading_zeros(bits: Node) -> Node:
    spread = bits
    for by in (1, 2, 4, 8, 16, 32):
        spread = ir.bitor(spread, ir.shr(spread, ir.const(by)))
    return ir.sub(ir.const(64), ir.bitcount(spread))


def _trailing_zeros(bits: Node) -> Node:
    return ir.bitcount(ir.bitand(ir.bitnot(bits), ir.sub(bits, ir.const(1, ir.u64))))


def _bits(node: Node, dtype: pl.DataType) -> tuple[Node, Node]:
    """Both halves, without signs."""
    high, low = halves(node, dtype)
    return ir.cast(high, ir.u64, mode="wrap"), low


def _plus(high: Node, low: Node, other_high: Node, other_low: Node) -> tuple[Node, Node]:
    made = ir.add(low, other_low)
    carry = ir.select(ir.lt(made, low), ir.const(1, ir.u64), ir.const(0, ir.u64))
    return ir.add(ir.add(high, other_high), carry), made


def _minus(high: Node, low: Node, other_high: Node, other_low: Node) -> tuple[Node, Node]:
    borrow = ir.select(ir.lt(low, other_low), ir.const(1, ir.u64), ir.const(0, ir.u64))
    return ir.sub(ir.sub(high, other_high), borrow), ir.sub(low, other_low)


def _times(high: Node, low: Node, other_high: Node, other_low: Node) -> tuple[Node, Node]:
    """The product: of the low halves all 128 bits, by halves of these, and of what crosses the low 64."""

    def split(bits: Node) -> tuple[Node, Node]:
        return ir.shr(bits, ir.const(_SHIFT)), ir.bitand(bits, ir.const(_MASK, ir.u64))

    (a, b), (c, d) = split(low), split(other_low)
    lowest, crossed, other_crossed = ir.mul(b, d), ir.mul(a, d), ir.mul(b, c)
    middle = ir.add(ir.add(split(lowest)[0], split(crossed)[1]), split(other_crossed)[1])
    above = ir.add(ir.add(ir.mul(a, c), split(crossed)[0]), ir.add(split(other_crossed)[0], split(middle)[0]))
    outer = ir.add(ir.mul(high, other_low), ir.mul(low, other_high))
    return ir.add(above, outer), ir.mul(low, other_low)


_HALVES: dict[str, Callable[[Node, Node, Node, Node], tuple[Node, Node]]] = {"Plus": _plus, "Minus": _minus, "Multiply": _times}


def _signed(dtype: pl.DataType, high: Node, low: Node) -> tuple[Node, Node]:
    return (ir.cast(high, ir.i64, mode="wrap") if dtypes.is_of(dtype, pl.Int128) else high), low


def _known(made: Node, dtype: pl.DataType, left: Node, right: Node) -> Node:
    return ir.select(ir.or_(ir.is_null(left), ir.is_null(right)), ir.null(dtypes.type_of(dtype)), made)

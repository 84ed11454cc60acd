"""Integers of 128 bits. The graph has no type for them: a row of their high and their low 64 bits stands for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.failing import fail_where
from airloom.polars.refusals import Refused
from airloom.polars.values import Value, rowwise

#: One more than the low half holds.
_LOW = 2**64


def wide_literal(value: Any, dtype: pl.DataType) -> Value:
    """An integer that is written in the query."""
    kind = dtypes.type_of(dtype)

    def make() -> Node:
        if value is None:
            return ir.null(kind)
        return row_of(dtype, ir.const(value // _LOW, _high(dtype)), ir.const(value % _LOW, ir.u64))

    return Value(dtype, True, make, literal=(value,))


def wide_compared(word: str, left: Node, right: Node) -> Node:
    """How two integers compare: by their high halves, and by their low ones where these are equal."""
    (high, low), (other_high, other_low) = ((ir.get(side, "high"), ir.get(side, "low")) for side in (left, right))
    if word in ("Eq", "NotEq"):
        equal = ir.and_(ir.eq(high, other_high), ir.eq(low, other_low))
        return equal if word == "Eq" else ir.not_(equal)
    decided, undecided = _ORDERED[word]
    return ir.or_(decided(high, other_high), ir.and_(ir.eq(high, other_high), undecided(low, other_low)))


_ORDERED: dict[str, tuple[Callable[..., Node], Callable[..., Node]]] = {"Lt": (ir.lt, ir.lt), "LtEq": (ir.lt, ir.le), "Gt": (ir.gt, ir.gt), "GtEq": (ir.gt, ir.ge)}


def wide_cast(value: Value, after: pl.DataType, mode: str | None) -> Value:
    """An integer as a wider or a narrower one."""
    before = value.dtype
    whole = (*dtypes.INTEGERS, *dtypes.WIDE)
    if mode == "wrap" and dtypes.is_of(before, *whole) and dtypes.is_of(after, *dtypes.WIDE):
        return rowwise(after, lambda node: ir.select(ir.is_null(node), ir.null(dtypes.type_of(after)), _wrapped(node, before, after)), value)
    if dtypes.is_of(before, *dtypes.WIDE) and dtypes.is_of(after, pl.Boolean):
        return rowwise(after, lambda node: ir.or_(*(ir.ne(ir.get(node, half), ir.cast(ir.const(0), ir.get(node, half).type.required)) for half in ("high", "low"))), value)
    if dtypes.is_of(before, *dtypes.WIDE) and dtypes.is_of(after, *dtypes.FLOATS):
        kind = dtypes.type_of(after)
        return rowwise(after, lambda node: ir.cast(narrow(node, before), kind), value)
    if mode not in ("strict", "lenient") or not dtypes.is_of(before, *whole) or not dtypes.is_of(after, *whole):
        raise Refused(f"`cast` from {before} to {after}{' that wraps' if mode == 'wrap' else ''} is not translated")
    if value.literal is not None and dtypes.is_of(after, *dtypes.WIDE) and (value.literal[0] is None or _fits(value.literal[0], after)):
        return wide_literal(value.literal[0], after)
    return rowwise(after, lambda node: _converted(node, before, after, mode == "strict"), value)


def _fits(value: int, dtype: pl.DataType) -> bool:
    return -(2**127) <= value < 2**127 if dtypes.is_of(dtype, pl.Int128) else 0 <= value < 2**128


def _converted(node: Node, before: pl.DataType, after: pl.DataType, strict: bool) -> Node:
    high, low = halves(node, before)
    negative = ir.lt(high, ir.const(0)) if high.type.required == ir.i64 else ir.const(False)
    if dtypes.is_of(after, *dtypes.WIDE):
        made = _wrapped(node, before, after)
        # From one of these dtypes to the other whatever the high half's first bit is set for does not fit.
        outside = negative if dtypes.is_of(after, pl.UInt128) else ir.gt(high, ir.const(2**63 - 1, ir.u64)) if high.type.required == ir.u64 else ir.const(False)
    else:
        kind = dtypes.type_of(after)
        signed = ir.cast(low, ir.i64, mode="wrap")
        if dtypes.is_of(after, *dtypes.SIGNED):
            # Of what fits, the high half repeats the first bit of the low one.
            repeated = ir.cast(ir.select(ir.lt(signed, ir.const(0)), ir.const(-1), ir.const(0)), high.type.required, mode="lenient")
            made = ir.cast(ir.select(ir.eq(high, repeated), signed, ir.null(ir.i64)), kind, mode="lenient")
        else:
            made = ir.cast(ir.select(ir.eq(high, ir.const(0, high.type.required)), low, ir.null(ir.u64)), kind, mode="lenient")
        outside = ir.is_null(made)
    nothing = ir.null(dtypes.type_of(after))
    if strict:
        made = fail_where(ir.and_(ir.not_(ir.is_null(node)), outside), made, "an integer that its dtype does not hold")
    return ir.select(ir.or_(ir.is_null(node), outside), nothing, made)


def _wrapped(node: Node, before: pl.DataType, after: pl.DataType) -> Node:
    """The same bits, with as many copies of the first as are missing."""
    high, low = halves(node, before)
    return row_of(after, ir.cast(high, _high(after), mode="wrap"), low)


def halves(node: Node, dtype: pl.DataType) -> tuple[Node, Node]:
    """The high and the low 64 bits of an integer of any width."""
    if dtypes.is_of(dtype, *dtypes.WIDE):
        return ir.get(node, "high"), ir.get(node, "low")
    low = ir.cast(node, ir.u64, mode="wrap")
    if not dtypes.is_of(dtype, *dtypes.SIGNED):
        return ir.const(0), low
    return ir.select(ir.lt(node, ir.const(0, node.type.required)), ir.const(-1), ir.const(0)), low


def _high(dtype: pl.DataType) -> ir.Type:
    """The type of the high half."""
    return ir.i64 if dtypes.is_of(dtype, pl.Int128) else ir.u64


def row_of(dtype: pl.DataType, high: Node, low: Node) -> Node:
    """The row that stands for an integer."""
    return ir.row({"high": ir.cast(high, ir.optional(_high(dtype))), "low": ir.cast(low, ir.optional(ir.u64))})


def narrow(node: Node, dtype: pl.DataType) -> Node:
    """An integer in 64 bits; the program fails where that is too few, and for the least of them, whose quotient by -1 would be."""
    high, low = ir.get(node, "high"), ir.get(node, "low")
    if not dtypes.is_of(dtype, pl.Int128):
        return fail_where(ir.is_true(ir.ne(high, ir.const(0, ir.u64))), low, "an integer of more than 64 bits")
    signed = ir.cast(low, ir.i64, mode="wrap")
    repeated = ir.select(ir.lt(signed, ir.const(0)), ir.const(-1), ir.const(0))
    return fail_where(ir.is_true(ir.or_(ir.ne(high, repeated), ir.eq(signed, ir.const(-(2**63))))), signed, "an integer of more than 64 bits")


def sort_keys(value: Value) -> list[Value]:
    """What a column is ordered by."""
    if not dtypes.is_of(value.dtype, *dtypes.WIDE):
        return [value]
    high: pl.DataType = pl.Int64() if dtypes.is_of(value.dtype, pl.Int128) else pl.UInt64()
    return [rowwise(high, lambda node: ir.get(node, "high"), value), rowwise(pl.UInt64(), lambda node: ir.get(node, "low"), value)]

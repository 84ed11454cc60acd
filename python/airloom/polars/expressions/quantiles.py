"""Quantiles as Polars takes them: NaN is the greatest number, and halves between two positions are rounded up."""

from __future__ import annotations

from collections.abc import Callable

from airloom import ir
from airloom._native import Node


def quantile(share: float, interpolation: str) -> Callable[[Node], Node]:
    """The quantile of an array of `f64`; nulls are passed over, and of nothing it is null."""

    def make(array: Node) -> Node:
        ordered = ir.arr_sort(array, ["asc.last"])
        last = ir.sub(ir.count(array, skip="null"), 1)
        exact = ir.mul(ir.const(share), ir.cast(last, ir.f64))
        below = ir.cast(ir.floor(exact), ir.i64)
        above = ir.cast(ir.ceil(exact), ir.i64)
        match interpolation:
            case "nearest":
                return _at(ordered, last, ir.cast(ir.round(exact, half="half_away"), ir.i64))
            case "lower":
                return _at(ordered, last, below)
            case "higher":
                return _at(ordered, last, above)
        low, high = _at(ordered, last, below), _at(ordered, last, above)
        if interpolation == "midpoint":
            between = ir.div(ir.add(low, high), ir.const(2.0))
        else:
            between = ir.add(low, ir.mul(ir.sub(high, low), ir.sub(exact, ir.floor(exact))))
        # Between a value and itself there is nothing: an infinity less itself is NaN.
        return ir.select(ir.eq(low, high, nan="total"), low, between)

    return make


def _at(ordered: Node, last: Node, position: Node) -> Node:
    """The element at a position, null where there is none: nulls stand last, and an empty array has no position."""
    start = ir.greatest(position, ir.const(0))
    return ir.first(ir.arr_slice(ordered, start, ir.add(start, 1), 1))

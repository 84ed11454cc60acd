"""Conditions under which a program fails, so that Polars runs the query anew and raises its own error."""

from __future__ import annotations

from airloom import ir
from airloom._native import Node


def fail_where(condition: Node, value: Node) -> Node:
    """The value; where the condition is true for a row, the program fails."""
    divisor = ir.select(ir.is_true(condition), ir.const(0), ir.const(1))
    whole = ir.floordiv(ir.const(1), divisor, zero="raise")
    return ir.select(ir.eq(whole, ir.const(1)), value, ir.null(value.type.required))

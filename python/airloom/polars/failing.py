"""Conditions under which a program stops, so that Polars runs the query anew: its answer, or its error, is its own."""

from __future__ import annotations

from airloom import ir
from airloom._native import Node


def fail_where(condition: Node, value: Node, reason: str) -> Node:
    """The value; where the condition is true for a row, the program stops, with what it has met as the reason."""
    return ir.check(ir.not_(ir.is_true(condition)), value, reason)

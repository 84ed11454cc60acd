"""Arithmetic on each element of a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.reading import Expression
from airloom.polars.values import Value, rowwise


def list_and_number(one: Expression, arguments: Sequence[Value], operation: Callable[..., Node]) -> Value | None:
    """An operation on each element of a list and a number; none where these are no list and no number."""
    left, right = arguments
    if not isinstance(left.dtype, pl.List) or left.dtype != one.dtype:
        return None
    inner = dtypes.inner_of(left.dtype)
    if right.dtype != inner or not dtypes.is_of(inner, *dtypes.NUMBERS):
        return None

    def make(found: Node, number: Node) -> Node:
        made = ir.arr_list(ir.map((ir.list_array(found),), lambda element: operation(element, number)))
        return ir.select(ir.is_null(found), ir.null(made.type.required), made)

    return rowwise(one.dtype, make, left, right)


def array_and_array(one: Expression, arguments: Sequence[Value], operation: Callable[..., Node], *classes: type[pl.DataType]) -> Value | None:
    """An operation on the elements of two arrays, one by one; none where these are no arrays of one dtype."""
    left, right = arguments
    if not isinstance(one.dtype, pl.Array) or left.dtype != one.dtype or right.dtype != one.dtype or not dtypes.is_of(dtypes.inner_of(one.dtype), *classes):
        return None
    kind = dtypes.type_of(one.dtype)

    def make(first: Node, second: Node) -> Node:
        # Where one is null, the other stands for it: both are as long as each other then, and the result is null.
        arrays = [ir.list_array(ir.coalesce(*pair)) for pair in ((first, second), (second, first))]
        made = ir.arr_list(ir.map(tuple(arrays), operation))
        return ir.select(ir.or_(ir.is_null(first), ir.is_null(second)), ir.null(kind), ir.cast(made, kind))

    return rowwise(one.dtype, make, left, right)

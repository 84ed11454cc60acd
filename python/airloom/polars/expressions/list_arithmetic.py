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
    """An operation on the elements of two lists or arrays, one by one; none where these are none of one dtype. Lists that are not equally long are an error of Polars', and the program fails."""
    left, right = arguments
    if not isinstance(one.dtype, (pl.Array, pl.List)) or left.dtype != one.dtype or right.dtype != one.dtype or not dtypes.is_of(dtypes.inner_of(one.dtype), *classes):
        return None
    kind = dtypes.type_of(one.dtype)

    def make(first: Node, second: Node) -> Node:
        # Where one is null, the other stands for it: both are as long as each other then, and the result is null.
        arrays = [ir.list_array(ir.coalesce(*pair)) for pair in ((first, second), (second, first))]
        made = ir.arr_list(ir.map(tuple(arrays), operation))
        return ir.select(ir.or_(ir.is_null(first), ir.is_null(second)), ir.null(kind), ir.cast(made, kind))

    return rowwise(one.dtype, make, left, right)


def quotient_of_arrays(one: Expression, arguments: Sequence[Value]) -> Value | None:
    """The quotients of the elements of two lists or arrays of one dtype, as floats; none where these are none of numbers."""
    left, right = arguments
    if not isinstance(one.dtype, (pl.Array, pl.List)) or not isinstance(left.dtype, type(one.dtype)) or left.dtype != right.dtype:
        return None
    inner = dtypes.inner_of(one.dtype)
    if not dtypes.is_of(inner, *dtypes.FLOATS) or not dtypes.is_of(dtypes.inner_of(left.dtype), *dtypes.NUMBERS) or (right.single and not left.single):
        # By what is the same for all rows perhaps by its reciprocal.
        return None
    kind, number = dtypes.type_of(one.dtype), dtypes.type_of(inner)

    def quotient(first: Node, second: Node) -> Node:
        return ir.div(*(element if element.type.required == number else ir.cast(element, number) for element in (first, second)))

    def make(first: Node, second: Node) -> Node:
        arrays = [ir.list_array(ir.coalesce(*pair)) for pair in ((first, second), (second, first))]
        made = ir.arr_list(ir.map(tuple(arrays), quotient))
        return ir.select(ir.or_(ir.is_null(first), ir.is_null(second)), ir.null(kind), ir.cast(made, kind))

    return rowwise(one.dtype, make, left, right)

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


def quotient_of_arrays(one: Expression, arguments: Sequence[Value]) -> Value | None:
    """The quotients of the elements of two arrays, as floats; none where these are no arrays of numbers."""
    if not isinstance(one.dtype, pl.Array) or not dtypes.is_of(dtypes.inner_of(one.dtype), *dtypes.FLOATS):
        return None
    if any(not isinstance(argument.dtype, pl.Array) or argument.dtype.size != one.dtype.size or not dtypes.is_of(dtypes.inner_of(argument.dtype), *dtypes.NUMBERS) for argument in arguments):
        return None
    if arguments[1].single and not arguments[0].single:
        # By a reciprocal perhaps.
        return None
    kind, number = dtypes.type_of(one.dtype), dtypes.type_of(dtypes.inner_of(one.dtype))

    def floats(found: Node) -> Node:
        return ir.map((ir.list_array(found),), lambda element: element if element.type.required == number else ir.cast(element, number))

    def make(first: Node, second: Node) -> Node:
        unknown = ir.or_(ir.is_null(first), ir.is_null(second))
        # Where one is null, it is as long as the other for the moment.
        left, right = floats(first), floats(second)
        count = ir.least(ir.dim(left), ir.dim(right))
        made = ir.arr_list(ir.map((ir.arr_slice(left, ir.const(0), count, ir.const(1)), ir.arr_slice(right, ir.const(0), count, ir.const(1))), ir.div))
        return ir.select(unknown, ir.null(kind), ir.cast(made, kind))

    return rowwise(one.dtype, make, *arguments)

"""Numbers in equal steps, and values repeated: columns that bring their own rows, and lists for each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.logic import literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import WHOLE, Value, beside, folded, rowwise


def _alone(one: Expression, context: Context) -> None:
    if context.over is not WHOLE:
        raise Refused(f"`{one.name.partition('.')[2]}` inside `group_by` or `over` is not translated")


@expression("range.IntRange")
def _int_range(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    step = one.parameters[0]
    kind = dtypes.type_of(one.dtype)
    start = literal_of(arguments[0], "`int_range` from a start")
    if start == 0 and step == 1 and _is_length(one.arguments[1]):
        return folded(one.dtype, context.over, lambda array: ir.map((ir.row_number(array),), lambda at: ir.cast(at, kind, mode="wrap")), reduces=False)
    end = literal_of(arguments[1], "`int_range` up to an end")
    if type(start) is not int or type(end) is not int or type(step) is not int or step == 0 or not dtypes.is_of(one.dtype, *dtypes.INTEGERS):
        raise Refused(f"`int_range` from {value_text(start)} to {value_text(end)} by {value_text(step)} is not translated")
    _alone(one, context)
    return beside(one.dtype, ir.map((ir.iota(ir.const(len(range(start, end, step)))),), lambda at: ir.cast(ir.add(ir.const(start), ir.mul(at, ir.const(step))), kind)))


def _is_length(one: Expression) -> bool:
    """Whether an expression is the number of rows."""
    while one.name in ("cast", "alias") and dtypes.is_of(one.dtype, *dtypes.INTEGERS):
        one = one.arguments[0]
    return one.name == "len"


@expression("range.IntRanges")
def _int_ranges(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if any(not dtypes.is_of(argument.dtype, *dtypes.INTEGERS) for argument in arguments) or literal_of(arguments[2], "`int_ranges` by a step") != 1:
        raise unsupported(one, arguments)
    assert isinstance(one.dtype, pl.List)
    inner, kind = dtypes.type_of(dtypes.inner_of(one.dtype)), dtypes.type_of(one.dtype)

    def make(start: Node, end: Node) -> Node:
        first, last = ir.cast(start, ir.i64), ir.cast(end, ir.i64)
        count = ir.greatest(ir.coalesce(ir.sub(last, first), ir.const(0)), ir.const(0))
        made = ir.arr_list(ir.map((ir.iota(count),), lambda at: ir.cast(ir.add(first, at), inner)))
        return ir.select(ir.or_(ir.is_null(start), ir.is_null(end)), ir.null(kind), ir.cast(made, kind))

    return rowwise(one.dtype, make, *arguments[:2])


@expression("function.repeat")
def _repeat(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    count = literal_of(arguments[1], "`repeat` for a number of rows")
    value = arguments[0]
    if value.literal is None or value.make is None or value.dtype != one.dtype or type(count) is not int or count < 0:
        raise Refused(f"`repeat` of {value.dtype} as {one.dtype} {value_text(count)} times is not translated")
    _alone(one, context)
    return beside(one.dtype, ir.fill(ir.cast(value.make(), dtypes.nullable(one.dtype)), ir.const(count)))


@expression("range.LinearSpace")
def _linear_space(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (closed,) = one.parameters
    given: list[Any] = [literal_of(argument, "`linear_space` with a number") for argument in arguments]
    start, end, count = given
    if closed != "both" or not dtypes.is_of(one.dtype, pl.Float64) or any(type(edge) not in (int, float) for edge in (start, end)) or type(count) is not int or count < 2:
        raise Refused(f"`linear_space` with `closed` {value_text(closed)} of {value_text(count)} numbers is not translated")
    _alone(one, context)
    first, last = float(start), float(end)
    step = (last - first) / (count - 1)

    def make(at: Node) -> Node:
        made = ir.add(ir.const(first), ir.mul(ir.cast(at, ir.f64), ir.const(step)))
        return ir.select(ir.eq(at, ir.const(count - 1)), ir.const(last), made)

    return beside(one.dtype, ir.map((ir.iota(ir.const(count)),), make))

"""Functions of the elements of lists: of their neighbours, and of those of another list."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.lists import element_of, kept
from airloom.polars.expressions.logic import literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.failing import fail_where
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import WHOLE, Value, rowwise


@expression("list.Std", "list.Var", "array.Std", "array.Var")
def _variance(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (ddof,) = one.parameters
    if not dtypes.is_of(element_of(one, arguments[0]), *dtypes.INTEGERS, pl.Float64) or not dtypes.is_of(one.dtype, pl.Float64):
        raise unsupported(one, arguments)
    reduce = ir.var if one.name.endswith("Var") else ir.std
    return rowwise(one.dtype, kept(lambda found: reduce(_wide(ir.list_array(found)), skip="null", ddof=ddof)), arguments[0])


def _wide(array: Node) -> Node:
    return ir.map((array,), lambda element: element if element.type.required == ir.f64 else ir.cast(element, ir.f64))


@expression("list.Median", "array.Median")
def _median(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if not dtypes.is_of(element_of(one, arguments[0]), *dtypes.INTEGERS) or not dtypes.is_of(one.dtype, pl.Float64):
        raise unsupported(one, arguments)
    return rowwise(one.dtype, kept(lambda found: ir.median(_wide(ir.list_array(found)), skip="null")), arguments[0])


@expression("list.Shift", "array.Shift")
def _shift(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    inner = dtypes.type_of(element_of(one, arguments[0]))
    count = literal_of(arguments[1], "`list.shift` by a number")
    if type(count) is not int:
        raise Refused(f"`list.shift` by {value_text(count)} is not translated")
    return rowwise(one.dtype, kept(lambda found: ir.arr_list(ir.shift(ir.list_array(found), count, ir.null(inner)))), arguments[0])


@expression("list.Diff")
def _diff(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    count, null_behavior = one.parameters
    inner = element_of(one, arguments[0])
    if null_behavior != "ignore" or type(count) is not int or not dtypes.is_of(inner, *dtypes.SIGNED, *dtypes.FLOATS) or one.dtype != arguments[0].dtype:
        raise unsupported(one, arguments)

    def make(found: Node) -> Node:
        array = ir.list_array(found)
        return ir.arr_list(ir.map((array, ir.shift(array, count, ir.null(dtypes.type_of(inner)))), ir.sub))

    return rowwise(one.dtype, kept(make), arguments[0])


@expression("list.GatherEvery")
def _gather_every(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    element_of(one, arguments[0])
    step, offset = (literal_of(argument, "`list.gather_every` by a number") for argument in arguments[1:])
    if type(step) is not int or type(offset) is not int or step <= 0 or offset < 0:
        raise Refused(f"`list.gather_every` {value_text(step)} from {value_text(offset)} is not translated")
    return rowwise(one.dtype, kept(lambda found: ir.arr_list(ir.arr_slice(ir.list_array(found), ir.const(offset), ir.const(2**62), ir.const(step)))), arguments[0])


@expression("function.repeat_by")
def _repeat_by(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value, count = arguments
    if not isinstance(one.dtype, pl.List) or dtypes.inner_of(one.dtype) != value.dtype or not dtypes.is_of(count.dtype, *dtypes.INTEGERS):
        raise unsupported(one, arguments)
    kind = dtypes.type_of(one.dtype)

    def make(item: Node, times: Node) -> Node:
        number = ir.cast(ir.coalesce(times, ir.const(0, times.type.required)), ir.i64)
        made = ir.arr_list(ir.map((ir.iota(ir.greatest(number, ir.const(0))),), lambda _at: item))
        return fail_where(ir.lt(number, ir.const(0)), ir.select(ir.is_null(times), ir.null(kind), ir.cast(made, kind)), "a negative number of elements")

    return rowwise(one.dtype, make, *arguments)


@expression("list.SetOperation")
def _set_operation(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (word,) = one.parameters
    inner = element_of(one, arguments[0])
    # What is left of a difference comes in an order of Polars' own.
    if any(argument.dtype != one.dtype for argument in arguments) or not dtypes.is_of(inner, *_IN_SETS) or word not in _SETS:
        raise Refused(f"the operation {value_text(word)} on sets of {' and '.join(str(argument.dtype) for argument in arguments)} is not translated")

    if context.over is not WHOLE and any(argument.single for argument in arguments):
        # Over no rows at all Polars raises then.
        raise Refused(f"`set_{word}` with one list for all rows inside `group_by` or `over` is not translated")

    def make(left: Node, right: Node) -> Node:
        made = ir.list_unique(_SETS[word](left, right))
        return ir.select(ir.is_null(right), ir.null(made.type.required), made)

    return rowwise(one.dtype, kept(make), *arguments)


#: What sets may be of.
_IN_SETS = (*dtypes.INTEGERS, pl.String, pl.Binary, pl.Date, pl.Datetime, pl.Duration, pl.Boolean)


def _only(keeps: bool) -> Callable[[Node, Node], Node]:
    """The elements of a list that another one has, or that it has not."""

    def make(left: Node, right: Node) -> Node:
        elements, others = ir.list_array(left), ir.list_array(ir.coalesce(right, left))

        def kept_at(at: Node) -> Node:
            wanted = ir.at(elements, at)
            found = ir.is_true(ir.any(ir.map((others,), lambda element: ir.same(element, wanted))))
            return found if keeps else ir.not_(found)

        return ir.arr_list(ir.compact(ir.dim(elements), kept_at, lambda at: ir.at(elements, at)))

    return make


#: Lists with the elements of a set, some of them several times.
_SETS: dict[str, Callable[[Node, Node], Node]] = {
    "union": ir.list_concat,
    "intersection": _only(True),
    "symmetric_difference": lambda left, right: ir.list_concat(_only(False)(left, right), _only(False)(ir.coalesce(right, left), left)),
}


@expression("array.Dot")
def _dot(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    left, right = arguments
    if left.dtype != right.dtype or not isinstance(left.dtype, pl.Array) or dtypes.inner_of(left.dtype) != one.dtype or not dtypes.is_of(one.dtype, *dtypes.FLOATS):
        raise unsupported(one, arguments)

    def make(first: Node, second: Node) -> Node:
        products = ir.map((ir.list_array(ir.coalesce(first, second)), ir.list_array(ir.coalesce(second, first))), ir.mul)
        total = ir.sum(products, skip="null")
        return ir.select(ir.or_(ir.is_null(first), ir.is_null(second)), ir.null(total.type.required), total)

    return rowwise(one.dtype, make, left, right)

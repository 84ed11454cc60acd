"""Values for each row made of its neighbours: products, changes, runs, and what lies between known values."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.failing import fail_where
from airloom.polars.expressions.logic import literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.expressions.sequences import sequence
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Value, rowwise


@expression("function.cum_prod")
def _cum_prod(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (reverse,) = one.parameters
    if not dtypes.is_of(arguments[0].dtype, *dtypes.NUMBERS):
        raise unsupported(one, arguments)
    return sequence(one, context, lambda array: ir.cumprod(array, skip="null", reverse=reverse), arguments[0])


@expression("function.pct_change")
def _pct_change(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    count = literal_of(arguments[1], "`pct_change` by a number")
    if type(count) is not int or not dtypes.is_of(arguments[0].dtype, pl.Float64, *dtypes.INTEGERS) or not dtypes.is_of(one.dtype, pl.Float64):
        raise unsupported(one, arguments)

    def make(array: Node) -> Node:
        wide = ir.map((array,), lambda element: ir.cast(element, ir.f64))
        before = ir.shift(wide, count, ir.null(ir.f64))
        return ir.map((wide, before), lambda now, last: ir.div(ir.sub(now, last), last))

    return sequence(one, context, make, arguments[0])


@expression("function.rle_id")
def _rle_id(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if not dtypes.is_equated(arguments[0].dtype):
        raise unsupported(one, arguments)

    def make(array: Node) -> Node:
        before = ir.shift(array, 1, ir.null(dtypes.type_of(arguments[0].dtype)))
        begins = ir.map((array, before, ir.row_number(array)), lambda now, last, at: ir.cast(ir.and_(ir.not_(ir.same(now, last)), ir.gt(at, ir.const(0))), ir.i64))
        return ir.cumsum(begins)

    return sequence(one, context, make, arguments[0])


@expression("function.interpolate")
def _interpolate(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (method,) = one.parameters
    if method != "linear" or not dtypes.is_of(one.dtype, pl.Float64) or not dtypes.is_of(arguments[0].dtype, *dtypes.NUMBERS):
        raise Refused(f"`interpolate` of {arguments[0].dtype} with `method` {value_text(method)} is not translated")

    def make(array: Node) -> Node:
        wide = ir.map((array,), lambda element: ir.cast(element, ir.f64))
        numbers = ir.row_number(array)
        known = ir.map((wide, numbers), lambda element, at: ir.select(ir.is_null(element), ir.null(ir.i64), at))
        low, high = ir.fill_forward(wide), ir.fill_backward(wide)
        below, above = ir.fill_forward(known), ir.fill_backward(known)

        def between(element: Node, left: Node, right: Node, begin: Node, end: Node, at: Node) -> Node:
            slope = ir.div(ir.sub(right, left), ir.cast(ir.sub(end, begin), ir.f64))
            made = ir.add(left, ir.mul(ir.cast(ir.sub(at, begin), ir.f64), slope))
            return ir.select(ir.is_null(element), made, element)

        return ir.map((wide, low, high, below, above, numbers), between)

    return sequence(one, context, make, arguments[0])


@expression("function.interpolate_by")
def _interpolate_by(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value, by = arguments
    if not dtypes.is_of(value.dtype, pl.Int32, pl.Int64, pl.UInt32, pl.UInt64, *dtypes.FLOATS) or not dtypes.is_of(by.dtype, *_ALONG) or not dtypes.is_of(one.dtype, *dtypes.FLOATS):
        raise unsupported(one, arguments)
    number, step = dtypes.type_of(one.dtype), dtypes.type_of(by.dtype) if dtypes.is_of(by.dtype, *dtypes.FLOATS) else ir.i64
    if step != ir.i64:
        # A position that is no number is an error of Polars', or it goes on in its own way.
        by = rowwise(by.dtype, lambda key: fail_where(ir.not_(ir.is_true(ir.is_finite(key))), key, "a position in `interpolate_by` that is not finite"), by)

    def make(array: Node, keys: Node) -> Node:
        wide = ir.map((array,), lambda element: element if element.type.required == number else ir.cast(element, number))
        counted = ir.map((keys,), lambda key: key if key.type.required == step else ir.cast(key, step))
        order = ir.argsort(counted, ["asc.first"])
        values, along = ir.take(wide, order), ir.take(counted, order)
        known = ir.map((values, along), lambda element, at: ir.select(ir.is_null(element), ir.null(step), at))
        low, high = ir.fill_forward(values), ir.fill_backward(values)
        below, above = ir.fill_forward(known), ir.fill_backward(known)

        def between(element: Node, left: Node, right: Node, begin: Node, end: Node, at: Node) -> Node:
            slope = ir.div(ir.sub(right, left), _apart(end, begin, number))
            return ir.select(ir.is_null(element), ir.add(ir.mul(_apart(at, begin, number), slope), left), element)

        made = ir.map((values, low, high, below, above, along), between)
        before = ir.shift(counted, 1, ir.null(step))
        disorder = ir.is_true(ir.any(ir.map((counted, before), lambda now, last: ir.is_true(ir.lt(now, last)))))
        earlier = ir.shift(along, 1, ir.null(step))
        twice = ir.is_true(ir.any(ir.map((along, earlier), lambda now, last: ir.is_true(ir.eq(now, last)))))
        missing = ir.lt(ir.count(keys, skip="null"), ir.count(keys, skip="none"))
        # A null is an error of Polars'; and which of several rows comes first, where they are put in order, it leaves open.
        wrong = ir.or_(missing, ir.and_(disorder, twice))
        return ir.map((ir.take(made, ir.argsort(order, ["asc.first"])),), lambda element: fail_where(wrong, element, "positions in `interpolate_by` that are null, or equal and out of order"))

    return sequence(one, context, make, value, by)


#: Dtypes of positions that values are interpolated along.
_ALONG = (pl.Int32, pl.Int64, pl.UInt32, pl.UInt64, *dtypes.FLOATS, pl.Date, pl.Datetime)


def _apart(one: Node, other: Node, kind: ir.Type) -> Node:
    """How far two positions are from each other: differences of integers wrap."""
    apart = ir.sub(one, other)
    return apart if apart.type.required == kind else ir.cast(apart, kind)

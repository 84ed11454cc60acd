"""Numbers in equal steps, and values repeated: columns that bring their own rows, and lists for each row."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.logic import literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.expressions.time_ranges import range_of_literals
from airloom.polars.failing import fail_where
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
    return one.name == "len" or (one.name == "agg.count" and one.parameters == (True,) and _has_all_rows(one.arguments[0]))


#: Expressions, or families of them, that make one value of those of the same row.
_BY_ROW = ("column", "literal", "alias", "cast", "ternary", "function.clip", "function.fill_null", "function.coalesce", "function.replace", "function.negate", "function.abs", "function.min_horizontal", "function.max_horizontal", "boolean.IsNull", "boolean.IsNotNull", "boolean.IsNan", "boolean.IsNotNan", "boolean.IsFinite", "boolean.IsBetween", "boolean.IsIn", "boolean.Not", "list.", "binary.", "string.", "temporal.")


def _has_all_rows(root: Expression) -> bool:
    """Whether an expression surely has as many rows as the frame: it is made of columns, row by row."""
    stack, columns = [root], 0
    while stack:
        one = stack.pop()
        if not one.name.startswith(_BY_ROW):
            return False
        columns += one.name == "column"
        stack.extend(one.arguments)
    return columns > 0


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
    value = arguments[0]
    if value.single and value.dtype == one.dtype and _is_length(one.arguments[1]):
        # Polars compares with a null so.
        return Value(one.dtype, False, lambda node: node, (value,))
    count = literal_of(arguments[1], "`repeat` for a number of rows")
    if value.literal is None or value.make is None or value.dtype != one.dtype or type(count) is not int or count < 0:
        raise Refused(f"`repeat` of {value.dtype} as {one.dtype} {value_text(count)} times is not translated")
    _alone(one, context)
    return beside(one.dtype, ir.fill(ir.cast(value.make(), dtypes.nullable(one.dtype)), ir.const(count)))


@expression("range.LinearSpace")
def _linear_space(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (closed,) = one.parameters
    if not dtypes.is_of(one.dtype, pl.Float64):
        return range_of_literals(one, lambda start, end, count: pl.linear_space(start, end, count, closed=closed), context)
    start, end, count = (literal_of(argument, "`linear_space` with a number") for argument in arguments)
    if any(type(edge) not in (int, float) for edge in (start, end)) or type(count) is not int or count < 0 or closed not in _STEPS:
        raise Refused(f"`linear_space` with `closed` {value_text(closed)} of {value_text(count)} numbers is not translated")
    _alone(one, context)
    return beside(one.dtype, _spaced(ir.const(float(start)), ir.const(float(end)), ir.const(count), closed))


@expression("range.LinearSpaces")
def _linear_spaces(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    closed, width = one.parameters
    inner = dtypes.inner_of(one.dtype) if isinstance(one.dtype, (pl.List, pl.Array)) else one.dtype
    plain = all(dtypes.is_of(argument.dtype, *dtypes.INTEGERS, pl.Float64) for argument in arguments)
    narrow = dtypes.is_of(inner, pl.Float32) and all(argument.dtype == inner for argument in arguments[:2]) and all(dtypes.is_of(argument.dtype, *dtypes.INTEGERS) for argument in arguments[2:])
    if closed in _STEPS and arguments[0].dtype == arguments[1].dtype and _is_spaced(arguments[0].dtype, inner):
        return _times_apart(one, inner, arguments, closed, width)
    if closed not in _STEPS or not (dtypes.is_of(inner, pl.Float64) and plain or narrow):
        raise unsupported(one, arguments)
    kind, number = dtypes.type_of(one.dtype), dtypes.type_of(inner)

    def make(start: Node, end: Node, *counts: Node) -> Node:
        count = ir.cast(counts[0], ir.i64) if counts else ir.const(width)
        first, last = (ir.coalesce(edge if edge.type.required == number else ir.cast(edge, number), ir.const(0.0, number)) for edge in (start, end))
        known = ir.coalesce(count, ir.const(0))
        made = ir.arr_list(_spaced(first, last, ir.greatest(known, ir.const(0)), closed))
        unknown = ir.or_(ir.is_null(start), ir.or_(ir.is_null(end), ir.is_null(count)))
        return fail_where(ir.lt(known, ir.const(0)), ir.select(unknown, ir.null(kind), ir.cast(made, kind)), "a negative number of values")

    return rowwise(one.dtype, make, *arguments)


#: By which edges belong to it, how many steps more than numbers there are from one edge to the other, and whether the first and the last number are edges.
_STEPS = {"both": (-1, True, True), "left": (0, True, False), "right": (0, False, True), "none": (1, False, False)}


def _spaced(start: Node, end: Node, count: Node, closed: str) -> Node:
    """Numbers at equal distances. Polars adds multiples of a step to the first, and has the last by itself."""
    more, has_start, has_end = _STEPS[closed]
    kind = start.type.required
    step = ir.div(ir.sub(end, start), ir.cast(ir.add(count, ir.const(more)), kind))
    first = start if has_start else ir.add(start, step)
    last = end if has_end else ir.sub(end, step)
    alone = start if has_start else end if has_end else ir.mul(ir.add(end, start), ir.const(0.5, kind))
    final = ir.select(ir.eq(count, ir.const(1)), alone, last)
    return ir.map((ir.iota(count),), lambda at: ir.select(ir.eq(at, ir.sub(count, ir.const(1))), final, ir.add(ir.mul(ir.cast(at, kind), step), first)))


def _is_spaced(dtype: pl.DataType, made: pl.DataType) -> bool:
    """Whether times of a dtype are at equal distances in lists of another: of dates there are timestamps."""
    return made == pl.Datetime("us") if isinstance(dtype, pl.Date) else isinstance(dtype, (pl.Datetime, pl.Duration, pl.Time)) and made == dtype


def _times_apart(one: Expression, inner: pl.DataType, arguments: Sequence[Value], closed: str, width: int | None) -> Value:
    """Times at equal distances: their numbers are spaced as floats, and lose what is finer than a unit."""
    day = 86_400_000_000 if isinstance(arguments[0].dtype, pl.Date) else 1
    kind, number = dtypes.type_of(one.dtype), dtypes.type_of(inner)

    def make(start: Node, end: Node, *counts: Node) -> Node:
        count = ir.cast(counts[0], ir.i64) if counts else ir.const(width)
        first, last = (ir.cast(ir.mul(ir.coalesce(ir.cast(edge, ir.i64), ir.const(0)), ir.const(day)), ir.f64) for edge in (start, end))
        known = ir.coalesce(count, ir.const(0))
        spaced = _spaced(first, last, ir.greatest(known, ir.const(0)), closed)
        made = ir.arr_list(ir.map((spaced,), lambda at: ir.cast(ir.cast(ir.trunc(at), ir.i64), number)))
        unknown = ir.or_(ir.is_null(start), ir.or_(ir.is_null(end), ir.is_null(count)))
        return fail_where(ir.lt(known, ir.const(0)), ir.select(unknown, ir.null(kind), ir.cast(made, kind)), "a negative number of values")

    return rowwise(one.dtype, make, *arguments)

"""Values for each row that depend on the rows around it: running results, shifts, ranks, duplicates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.logic import COMPARED, literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Over, Value, folded, literal, rowwise


def sequence(one: Expression, context: Context, make: Callable[..., Node], *operands: Value) -> Value:
    """A value for each row that is computed over the rows of the context, in their order."""
    for operand in operands:
        if operand.mask is not None:
            raise Refused(f"`{one.name}` of a column that `filter`, `drop_nulls` or `slice` made shorter is not translated")
    made = folded(one.dtype, context.over, make, *operands, reduces=False)
    kind = dtypes.type_of(one.dtype)
    return rowwise(one.dtype, lambda node: node if node.type.required == kind else ir.cast(node, kind, mode="wrap"), made)


@expression("function.cum_sum")
def _cum_sum(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (reverse,) = one.parameters
    if not dtypes.is_of(arguments[0].dtype, *dtypes.NUMBERS, pl.Boolean):
        raise unsupported(one, arguments)
    return sequence(one, context, lambda array: ir.cumsum(array, skip="null", reverse=reverse), arguments[0])


@expression("function.cum_min", "function.cum_max")
def _cum_extreme(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (reverse,) = one.parameters
    if not dtypes.is_of(arguments[0].dtype, *dtypes.NUMBERS, pl.Date, pl.Datetime, pl.Duration):
        raise unsupported(one, arguments)
    make = ir.cummin if one.name == "function.cum_min" else ir.cummax
    if dtypes.is_of(arguments[0].dtype, *dtypes.FLOATS):
        return sequence(one, context, lambda array: _numbers_so_far(array, make, reverse), arguments[0])
    return sequence(one, context, lambda array: make(array, skip="null", reverse=reverse), arguments[0])


def _numbers_so_far(array: Node, make: Callable[..., Node], reverse: bool) -> Node:
    """A running extreme that passes over NaN, which is the result only until there is a number."""
    numbers = ir.map((array,), lambda element: ir.nan_to_null(element))
    fill = ir.fill_backward if reverse else ir.fill_forward
    extremes = fill(make(numbers, skip="null", reverse=reverse))
    return ir.map((array, extremes), lambda element, extreme: ir.select(ir.is_null(element), ir.null(element.type.required), ir.coalesce(extreme, element)))


@expression("function.cum_count")
def _cum_count(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (reverse,) = one.parameters
    return sequence(one, context, lambda array: ir.cumcount(array, skip="null", reverse=reverse), arguments[0])


@expression("function.shift", "function.shift_and_fill")
def _shift(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    count = literal_of(arguments[1], "`shift` by a number")
    if not isinstance(count, int):
        raise Refused(f"`shift` by {value_text(count)} is not translated")
    kind = dtypes.type_of(one.dtype)
    if one.name == "function.shift":
        return sequence(one, context, lambda array: ir.shift(array, count, ir.null(kind)), arguments[0])
    fill, make = literal_of(arguments[2], "`shift` with a `fill_value`"), arguments[2].make
    assert make is not None, "a literal is made of nothing"
    if arguments[2].dtype != one.dtype or not dtypes.is_of(one.dtype, *dtypes.NUMBERS, pl.Boolean, pl.String, pl.Date, pl.Datetime, pl.Duration, pl.Time):
        raise unsupported(one, arguments)
    return sequence(one, context, lambda array: ir.shift(array, count, ir.null(kind) if fill is None else ir.cast(make(), ir.optional(kind))), arguments[0])


@expression("function.diff")
def _diff(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (null_behavior,) = one.parameters
    count = literal_of(arguments[1], "`diff` by a number")
    if null_behavior != "ignore" or not isinstance(count, int):
        raise Refused(f"`diff` by {value_text(count)} with `null_behavior` {value_text(null_behavior)} is not translated")
    value = _differing(one, arguments)
    kind = dtypes.type_of(value.dtype)
    before = folded(value.dtype, context.over, lambda array: ir.shift(array, count, ir.null(kind)), value, reduces=False)
    after = dtypes.type_of(one.dtype)
    return rowwise(one.dtype, lambda now, last: _as(ir.sub(now, last), after), value, before)


def _differing(one: Expression, arguments: Sequence[Value]) -> Value:
    """What `diff` subtracts: numbers as they are, or in a wider type, and times as counts of the unit that their differences have."""
    value, dtype = arguments[0], arguments[0].dtype
    if value.mask is not None:
        raise Refused("`diff` of a column that `filter`, `drop_nulls` or `slice` made shorter is not translated")
    if dtypes.is_of(one.dtype, *dtypes.SIGNED, *dtypes.FLOATS) and dtype == one.dtype:
        return value
    if dtypes.is_of(one.dtype, pl.Int16, pl.Int32, pl.Int64) and dtypes.is_of(dtype, pl.UInt8, pl.UInt16, pl.UInt32):
        kind = dtypes.type_of(one.dtype)
        return rowwise(one.dtype, lambda node: ir.cast(node, kind), value)
    if isinstance(one.dtype, pl.Duration):
        unit = one.dtype.time_unit
        if isinstance(dtype, pl.Date):
            day = _DAYS[unit]
            return rowwise(pl.Int64(), lambda node: ir.mul(ir.cast(node, ir.i64), ir.const(day)), value)
        if (isinstance(dtype, (pl.Datetime, pl.Duration)) and dtype.time_unit == unit) or (isinstance(dtype, pl.Time) and unit == "ns"):
            return rowwise(pl.Int64(), lambda node: ir.cast(node, ir.i64), value)
    raise unsupported(one, arguments)


#: How many of a unit a day has.
_DAYS = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def _as(node: Node, kind: ir.Type) -> Node:
    return node if node.type.required == kind else ir.cast(node, kind)


@expression("function.reverse")
def _reverse(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    def make(array: Node) -> Node:
        # By positions, so that the graph knows how long the result is.
        last = ir.sub(ir.count(array, skip="none"), ir.const(1))
        return ir.take(array, ir.map((ir.row_number(array),), lambda position: ir.sub(last, position)))

    return sequence(one, context, make, arguments[0])


@expression("function.fill_null_with_strategy")
def _fill_null(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    strategy, limit = one.parameters
    makes = {"forward": ir.fill_forward, "backward": ir.fill_backward}
    if strategy in _FILLS and limit is None and dtypes.is_of(one.dtype, *dtypes.NUMBERS) and one.dtype == arguments[0].dtype and not arguments[0].single:
        if arguments[0].mask is not None or (strategy == "mean" and not dtypes.is_of(one.dtype, pl.Float64)):
            raise unsupported(one, arguments)
        fill = folded(one.dtype, context.over, _FILLS[strategy], arguments[0])
        return rowwise(one.dtype, ir.coalesce, arguments[0], fill)
    if strategy in ("zero", "one") and limit is None and dtypes.is_of(one.dtype, *dtypes.NUMBERS) and one.dtype == arguments[0].dtype:
        number = literal((1.0 if strategy == "one" else 0.0) if dtypes.is_of(one.dtype, *dtypes.FLOATS) else int(strategy == "one"), one.dtype)
        return rowwise(one.dtype, ir.coalesce, arguments[0], number)
    if strategy not in makes:
        raise Refused(f"`fill_null` with `strategy` {value_text(strategy)} is not translated")
    return sequence(one, context, lambda array: makes[strategy](array, limit=-1 if limit is None else limit), arguments[0])


#: What nulls are filled with, computed over the rows.
_FILLS: dict[str, Callable[[Node], Node]] = {
    "min": lambda array: ir.coalesce(ir.min(array, skip="all"), ir.min(array, skip="null")),
    "max": lambda array: ir.coalesce(ir.max(array, skip="all"), ir.max(array, skip="null")),
    "mean": lambda array: ir.mean(array, skip="null", reassoc=True),
}


@expression("function.rank")
def _rank(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    method, descending, _seed = one.parameters
    if method not in ("average", "min", "max", "dense", "ordinal"):
        raise Refused(f"`rank` with `method` {value_text(method)} is not translated")
    if not dtypes.is_of(arguments[0].dtype, *COMPARED):
        raise unsupported(one, arguments)
    return sequence(one, context, lambda array: ir.rank(array, method=method, descending=descending), arguments[0])


@expression("boolean.IsDuplicated", "boolean.IsUnique", "boolean.IsFirstDistinct", "boolean.IsLastDistinct")
def _distinct(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value = arguments[0]
    if value.mask is not None or not dtypes.is_equated(value.dtype) or context.over.order:
        raise unsupported(one, arguments)
    if value.single:
        return rowwise(one.dtype, lambda _node: ir.const(one.name != "boolean.IsDuplicated"), value)
    equal = Over((*context.over.keys, value))
    if one.name in ("boolean.IsDuplicated", "boolean.IsUnique"):
        count = folded(pl.Int64(), equal, lambda array: ir.count(array, skip="none"), value)
        make = ir.gt if one.name == "boolean.IsDuplicated" else ir.eq
        # How many rows there are of a value is the same for none but these rows.
        return Value(one.dtype, False, lambda node: make(node, ir.const(1)), (count,))
    number = folded(pl.Int64(), equal, lambda array: ir.cumcount(array, skip="none", reverse=one.name == "boolean.IsLastDistinct"), value, reduces=False)
    return rowwise(one.dtype, lambda node: ir.eq(node, ir.const(1)), number)


@expression("boolean.IsSorted")
def _is_sorted(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    descending, nulls_last = one.parameters
    value = arguments[0]
    if not isinstance(descending, bool) or not isinstance(nulls_last, bool):
        raise Refused(f"`is_sorted` with `descending` {value_text(descending)} and `nulls_last` {value_text(nulls_last)} is not translated")
    if value.mask is not None or not dtypes.is_of(value.dtype, *COMPARED):
        raise unsupported(one, arguments)
    if value.single:
        return rowwise(one.dtype, lambda _node: ir.const(True), value)

    kind = dtypes.type_of(value.dtype)

    def misplaced(here: Node, before: Node, at: Node) -> Node:
        falls = ir.is_true(ir.gt(here, before, nan="total") if descending else ir.lt(here, before, nan="total"))
        first, second = (before, here) if nulls_last else (here, before)
        return ir.and_(ir.gt(at, ir.const(0)), ir.or_(falls, ir.and_(ir.is_null(first), ir.not_(ir.is_null(second)))))

    def make(array: Node) -> Node:
        return ir.not_(ir.is_true(ir.any(ir.map((array, ir.shift(array, 1, ir.null(kind)), ir.row_number(array)), misplaced))))

    return folded(one.dtype, context.over, make, value)

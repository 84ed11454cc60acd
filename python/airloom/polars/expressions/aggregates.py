"""Aggregates: one value of many, over a frame, a group or a partition."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.failing import fail_where
from airloom.polars.expressions.categories import codes_of_names, ordered
from airloom.polars.expressions.logic import COMPARED, literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.quantiles import quantile
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.expressions.time_statistics import middle
from airloom.polars.expressions.wide_arithmetic import is_wide, wide_extreme, wide_sum
from airloom.polars.physical import is_empty_struct
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Mask, Value, folded, literal, rowwise


def known(operand: Value) -> Value:
    """The operand of an aggregate that passes over nulls: rows that a mask leaves out are null to it."""
    if operand.mask is None:
        return operand
    every, mask = whole(operand), operand.mask.keep
    kind = dtypes.type_of(operand.dtype)
    return rowwise(operand.dtype, lambda node, kept: ir.select(kept, node, ir.null(kind)), every, mask)


def whole(value: Value) -> Value:
    """The value without its mask."""
    return Value(value.dtype, value.single, value.make, value.arguments, value.column, value.fold, value.literal)


def _unmasked(one: Expression, value: Value) -> Value:
    if value.mask is not None:
        raise Refused(f"`{one.name}` of a column that `filter`, `drop_nulls` or `slice` made shorter is not translated")
    return value


@expression("filter")
def _filter(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value, kept = arguments
    if value.mask is not None or kept.mask is not None:
        raise Refused("`filter` of a filtered value is not translated")
    if value.single and kept.single:
        # A column of one row, or of none.
        return masked(value, Mask(kept))
    if value.single:
        # One value for all rows is that of each row that is kept.
        single = value
        value = Value(single.dtype, False, lambda node, _keep: node, (single, kept))
    if kept.single:
        # One condition for all rows: it keeps all of them, or none.
        kept = rowwise(pl.Boolean(), lambda _node, keep: keep, value, kept)
    return masked(value, Mask(kept))


@expression("function.drop_nulls")
def _drop_nulls(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value = arguments[0]
    if value.mask is not None or value.single:
        raise Refused("`drop_nulls` of a filtered or single value is not translated")
    return masked(value, Mask(rowwise(pl.Boolean(), lambda node: ir.not_(ir.is_null(node)), value)))


def masked(value: Value, mask: Mask) -> Value:
    """A column of which only some rows are left. One value that may be left out is no literal."""
    return Value(value.dtype, value.single, value.make, value.arguments, value.column, value.fold, None, mask)


def _converted(make: Callable[..., Node], dtype: pl.DataType) -> Callable[..., Node]:
    """An aggregate in its dtype: integers wrap, as sums in a narrower type do."""
    kind = dtypes.type_of(dtype)

    def converted(*arrays: Node) -> Node:
        made = make(*arrays)
        return made if made.type.required == kind else ir.cast(made, kind, mode="wrap")

    return converted


@expression("agg.sum")
def _sum(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    operand = known(arguments[0])
    if is_wide([operand], one.dtype) and not one.parameters[0]:
        return folded(one.dtype, context.over, wide_sum(one.dtype), operand)
    if not dtypes.is_of(operand.dtype, *dtypes.NUMBERS, pl.Boolean, pl.Decimal, pl.Duration):
        raise unsupported(one, arguments)
    floats = dtypes.is_of(operand.dtype, *dtypes.FLOATS)
    least = 1 if one.parameters[0] else 0
    return folded(one.dtype, context.over, _converted(lambda array: ir.sum(array, skip="null", min_count=least, reassoc=floats), one.dtype), operand)


@expression("agg.mean")
def _mean(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if dtypes.is_of(one.dtype, pl.Null):
        return literal(None, one.dtype)
    of_times = middle(one, known(arguments[0]), context)
    if of_times is not None:
        return of_times
    operand = _number(one, arguments)
    floats = dtypes.is_of(operand.dtype, *dtypes.FLOATS)
    return folded(one.dtype, context.over, _converted(lambda array: ir.mean(array, skip="null", reassoc=floats), one.dtype), operand)


@expression("agg.var", "agg.std")
def _variance(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if dtypes.is_of(one.dtype, pl.Null):
        return literal(None, one.dtype)
    operand = _number(one, arguments)
    (ddof,) = one.parameters
    if operand.single and ddof != 1:
        raise Refused(f"`{one.name}` of one value with `ddof` {value_text(ddof)} depends in Polars on whether it stands in `group_by`")
    reduce = ir.var if one.name == "agg.var" else ir.std
    wide = rowwise(pl.Float64(), lambda node: node if node.type.required == ir.f64 else ir.cast(node, ir.f64), operand)
    return folded(one.dtype, context.over, _converted(lambda array: reduce(array, skip="null", ddof=ddof, reassoc=True), one.dtype), wide)


def _number(one: Expression, arguments: Sequence[Value]) -> Value:
    operand = known(arguments[0])
    if not dtypes.is_of(operand.dtype, *dtypes.NUMBERS, pl.Boolean) or not dtypes.is_of(one.dtype, *dtypes.FLOATS):
        raise unsupported(one, arguments)
    if dtypes.is_of(operand.dtype, pl.Boolean):
        return rowwise(pl.Int64(), lambda node: ir.cast(node, ir.i64), operand)
    return operand


@expression("agg.min", "agg.max")
def _extreme(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    operand = known(arguments[0])
    reduce = ir.min if one.name == "agg.min" else ir.max
    if is_wide([operand], one.dtype) and not operand.single:
        return folded(one.dtype, context.over, wide_extreme(one.dtype, reduce), operand)
    if not dtypes.is_of(operand.dtype, *COMPARED, pl.Categorical, pl.Float16) or operand.dtype != one.dtype:
        raise unsupported(one, arguments)
    if operand.single:
        return operand
    if dtypes.is_of(operand.dtype, pl.Categorical):
        return codes_of_names(folded(pl.String(), context.over, lambda array: reduce(array, skip="null"), ordered(operand)), one.dtype, False)
    propagates = one.parameters[0]
    if dtypes.is_of(operand.dtype, *dtypes.FLOATS, pl.Float16) and not propagates:
        # NaN is passed over, but where there is nothing else it is the result.
        return folded(one.dtype, context.over, lambda array: ir.coalesce(reduce(array, skip="all"), reduce(array, skip="null")), operand)
    return folded(one.dtype, context.over, lambda array: reduce(array, skip="null"), operand)


@expression("len")
def _len(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    return folded(one.dtype, context.over, _converted(lambda array: ir.count(array, skip="none"), one.dtype))


@expression("agg.count")
def _count(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (with_nulls,) = one.parameters
    value = arguments[0]
    if with_nulls and value.mask is not None:
        # As many as the mask keeps, whatever they are.
        kept = rowwise(pl.Boolean(), ir.is_true, value.mask.keep)
        return folded(one.dtype, context.over, _converted(lambda array: ir.sum(array, skip="null"), one.dtype), kept)
    operand = value if with_nulls else known(value)
    return folded(one.dtype, context.over, _converted(lambda array: ir.count(array, skip="none" if with_nulls else "null"), one.dtype), operand)


@expression("function.null_count")
def _null_count(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value = arguments[0]
    if value.mask is None:
        missing = rowwise(pl.Boolean(), ir.is_null, value)
    else:
        missing = rowwise(pl.Boolean(), lambda node, keep: ir.and_(ir.is_null(node), keep), whole(value), _kept(value))
    return folded(one.dtype, context.over, _converted(lambda array: ir.sum(array), one.dtype), missing)


@expression("boolean.IsEmpty")
def _is_empty(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (ignore_nulls,) = one.parameters
    operand = known(arguments[0]) if ignore_nulls else _unmasked(one, arguments[0])
    return folded(one.dtype, context.over, lambda array: ir.eq(ir.count(array, skip="null" if ignore_nulls else "none"), ir.const(0)), operand)


@expression("function.arg_min", "function.arg_max")
def _position(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    operand = _unmasked(one, arguments[0])
    if dtypes.is_of(operand.dtype, *dtypes.FLOATS):
        # Where NaN stands in the order Polars knows.
        number = operand
        operand = rowwise(number.dtype, lambda node: fail_where(ir.is_true(ir.is_nan(node)), node, "`arg_min` and `arg_max` of NaN"), number)
    if not dtypes.is_of(operand.dtype, *dtypes.NUMBERS, pl.Date, pl.Datetime, pl.Duration, pl.Time, pl.String, pl.Binary) or one.parameters:
        raise unsupported(one, arguments)
    reduce, extreme = (ir.argmin, ir.min) if one.name == "function.arg_min" else (ir.argmax, ir.max)

    def make(array: Node) -> Node:
        found = reduce(array, skip="null")
        if not dtypes.is_of(operand.dtype, *dtypes.FLOATS):
            return found
        # Which of several equal floats it is depends in Polars on how many there are.
        best = extreme(array, skip="null")
        several = ir.gt(ir.sum(ir.map((array,), lambda element: ir.cast(ir.is_true(ir.eq(element, best)), ir.i64))), ir.const(1))
        return fail_where(several, found, "`arg_min` and `arg_max` of equal floats")

    return folded(one.dtype, context.over, _converted(make, one.dtype), operand)


@expression("boolean.HasNulls")
def _has_nulls(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    missing = rowwise(pl.Boolean(), ir.is_null, _unmasked(one, arguments[0]))
    return folded(one.dtype, context.over, lambda array: ir.any(array), missing)


# What may be approximate is exact here.
@expression("agg.n_unique", "function.approx_n_unique")
def _n_unique(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value = arguments[0]
    if not dtypes.is_equated(value.dtype):
        raise unsupported(one, arguments)
    if value.mask is None:
        return folded(one.dtype, context.over, _converted(lambda array: ir.nunique(array, skip="none"), one.dtype), value)
    missing = rowwise(pl.Boolean(), lambda node, kept: ir.and_(ir.is_null(node), ir.is_true(kept)), whole(value), value.mask.keep)

    def make(array: Node, nulls: Node) -> Node:
        return ir.add(ir.nunique(array, skip="null"), ir.cast(ir.is_true(ir.any(nulls)), ir.i64))

    return folded(one.dtype, context.over, _converted(make, one.dtype), known(value), missing)


@expression("agg.first", "agg.last", "agg.first_non_null", "agg.last_non_null")
def _edge(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    word = one.name.partition(".")[2]
    if arguments[0].single and arguments[0].mask is None:
        # One value is its own first and last.
        return arguments[0]
    reduce = ir.first if word.startswith("first") else ir.last
    if word.endswith("non_null"):
        return folded(one.dtype, context.over, lambda array: reduce(array, skip="null"), known(arguments[0]))
    value = arguments[0]
    if is_empty_struct(value.dtype):
        raise unsupported(one, arguments)
    if value.mask is not None and (value.mask.first if word == "first" else value.mask.last):
        # Polars cuts columns before it takes the first row of what is made of them.
        value = whole(value)
    if value.mask is not None and context.over.windows is None:
        return folded(one.dtype, context.over, lambda array, keeps: reduce(_compacted(array, keeps), skip="none"), whole(value), _kept(value))
    return folded(one.dtype, context.over, lambda array: reduce(array, skip="none"), _unmasked(one, value))


def _kept(value: Value) -> Value:
    """Of each row whether a column still has it."""
    assert value.mask is not None
    return rowwise(pl.Boolean(), lambda _node, keep: ir.is_true(keep), whole(value), value.mask.keep)


def _cut(array: Node, offset: int, length: int) -> Node:
    """The elements from a position on, as many as there are of a number."""
    count = ir.count(array, skip="none")
    begin = ir.const(offset) if offset >= 0 else ir.add(count, ir.const(offset))
    end = ir.add(begin, ir.const(length))
    low, high = (ir.least(ir.greatest(edge, ir.const(0)), count) for edge in (begin, end))
    return ir.arr_slice(array, low, high, ir.const(1))


def _compacted(array: Node, keeps: Node) -> Node:
    """The elements that a column still has."""
    return ir.compact(ir.dim(array), lambda at: ir.at(keeps, at), lambda at: ir.at(array, at))


@expression("agg.implode")
def _implode(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value = arguments[0]
    if value.mask is None or context.over.windows is not None:
        return folded(one.dtype, context.over, lambda array: ir.arr_list(array), _unmasked(one, value))
    if value.mask.span is not None:
        offset, length = value.mask.span
        return folded(one.dtype, context.over, lambda array: ir.arr_list(_cut(array, offset, length)), whole(value))
    return folded(one.dtype, context.over, lambda array, keeps: ir.arr_list(_compacted(array, keeps)), whole(value), _kept(value))


@expression("boolean.Any", "boolean.All")
def _any(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (ignore_nulls,) = one.parameters
    reduce = ir.any if one.name == "boolean.Any" else ir.all
    operand = known(arguments[0]) if ignore_nulls else _unmasked(one, arguments[0])
    if not dtypes.is_of(operand.dtype, pl.Boolean):
        raise unsupported(one, arguments)
    return folded(one.dtype, context.over, lambda array: reduce(array, skip="null" if ignore_nulls else "none"), operand)


@expression("function.product")
def _product(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    operand = known(arguments[0])
    if not dtypes.is_of(operand.dtype, *dtypes.NUMBERS):
        raise unsupported(one, arguments)
    floats = dtypes.is_of(operand.dtype, *dtypes.FLOATS)
    if floats != dtypes.is_of(one.dtype, *dtypes.FLOATS):
        # Of a literal Polars tells another dtype than it makes.
        raise unsupported(one, arguments)
    return folded(one.dtype, context.over, _converted(lambda array: ir.product(array, skip="null", reassoc=floats), one.dtype), operand)


@expression("agg.median")
def _median(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    of_times = middle(one, known(arguments[0]), context)
    if of_times is not None:
        return of_times
    operand = _number(one, arguments)
    if dtypes.is_of(operand.dtype, *dtypes.INTEGERS):
        return folded(one.dtype, context.over, _converted(lambda array: ir.median(array, skip="null"), one.dtype), operand)
    return folded(one.dtype, context.over, _converted(quantile(0.5, "linear"), one.dtype), _wide(operand))


@expression("function.quantile")
def _quantile(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (interpolation,) = one.parameters
    share = literal_of(arguments[1], "a quantile")
    if interpolation not in ("nearest", "lower", "higher", "midpoint", "linear"):
        raise Refused(f"`quantile` with `interpolation` {value_text(interpolation)} is not translated")
    if not isinstance(share, (int, float)) or not 0 <= share <= 1:
        raise Refused(f"`quantile` {value_text(share)} is not translated")
    if interpolation in ("nearest", "lower", "higher") and dtypes.is_of(arguments[0].dtype, pl.Date, pl.Datetime, pl.Duration, pl.Time) and arguments[0].dtype == one.dtype:
        # One of the values, as it is.
        return folded(one.dtype, context.over, quantile(float(share), interpolation), known(arguments[0]))
    operand = _number(one, arguments)
    return folded(one.dtype, context.over, _converted(quantile(float(share), interpolation), one.dtype), _wide(operand))


def _wide(operand: Value) -> Value:
    return rowwise(pl.Float64(), lambda node: node if node.type.required == ir.f64 else ir.cast(node, ir.f64), operand)


@expression("agg.item")
def _item(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (allow_empty,) = one.parameters
    value = arguments[0]
    kept = literal(True, pl.Boolean()) if value.mask is None else rowwise(pl.Boolean(), ir.is_true, value.mask.keep)
    # Of the rows that a mask keeps the value may be null: what is looked for is a row.
    chosen = rowwise(pl.Boolean(), lambda _node, keep: keep, whole(value), kept)

    def make(array: Node, keeps: Node) -> Node:
        count = ir.sum(ir.map((keeps,), lambda keep: ir.cast(ir.is_true(keep), ir.i64)))
        position = ir.min(ir.map((keeps, ir.row_number(keeps)), lambda keep, at: ir.select(ir.is_true(keep), at, ir.null(ir.i64))), skip="null")
        start = ir.coalesce(position, ir.const(0))
        found = ir.first(ir.arr_slice(array, start, ir.add(start, ir.const(1)), ir.const(1)))
        wrong = ir.gt(count, ir.const(1)) if allow_empty else ir.ne(count, ir.const(1))
        return fail_where(wrong, ir.select(ir.is_null(position), ir.null(found.type.required), found), "`item` of other than one value")

    return folded(one.dtype, context.over, make, whole(value), chosen)


@expression("string.ConcatVertical")
def _join_texts(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    separator, ignore_nulls = one.parameters
    if not dtypes.is_of(arguments[0].dtype, pl.String):
        raise unsupported(one, arguments)
    operand = known(arguments[0]) if ignore_nulls else _unmasked(one, arguments[0])

    def make(array: Node) -> Node:
        joined = ir.str_join(ir.arr_list(array), ir.const(separator))
        if ignore_nulls:
            return joined
        return ir.select(ir.eq(ir.count(array, skip="null"), ir.count(array, skip="none")), joined, ir.null(ir.str_))

    return folded(one.dtype, context.over, make, operand)

"""Columns of which only some rows are left."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from airloom import ir
from airloom.polars import dtypes
from airloom.polars.expressions.aggregates import masked
from airloom.polars.expressions.logic import literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import Mask, Over, Value, folded, rowwise


def _plain(one: Expression, value: Value, context: Context) -> Value:
    if value.mask is not None or value.single or context.over.windows is not None or context.over.order:
        raise Refused(f"`{one.name.partition('.')[2]}` of a filtered or single value, or in windows, is not translated")
    return value


def _equated(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    """The one argument, whose values can be told apart."""
    value = _plain(one, arguments[0], context)
    if not dtypes.is_equated(value.dtype):
        raise unsupported(one, arguments)
    return value


def _first_distinct(value: Value, context: Context) -> Value:
    number = folded(pl.Int64(), Over((*context.over.keys, value)), lambda array: ir.cumcount(array, skip="none"), value, reduces=False)
    return rowwise(pl.Boolean(), lambda node: ir.eq(node, ir.const(1)), number)


@expression("function.unique")
def _unique(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value = _equated(one, arguments, context)
    # In the order in which values first stand, whether or not Polars was asked to maintain it.
    return masked(value, Mask(_first_distinct(value, context), first=True))


@expression("function.drop_nans")
def _drop_nans(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value = _plain(one, arguments[0], context)
    if not dtypes.is_of(value.dtype, *dtypes.FLOATS):
        raise unsupported(one, arguments)
    return masked(value, Mask(rowwise(pl.Boolean(), lambda node: ir.not_(ir.is_true(ir.is_nan(node))), value)))


def _positions(one: Expression, context: Context) -> Value:
    kind = dtypes.type_of(one.dtype)
    return folded(one.dtype, context.over, lambda array: ir.map((ir.row_number(array),), lambda at: ir.cast(at, kind, mode="wrap")), reduces=False)


@expression("function.argwhere")
def _arg_where(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    kept = _plain(one, arguments[0], context)
    return masked(_positions(one, context), Mask(kept))


@expression("function.arg_unique")
def _arg_unique(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value = _equated(one, arguments, context)
    return masked(_positions(one, context), Mask(_first_distinct(value, context), first=True))


@expression("function.gather_every")
def _gather_every(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    offset, step = one.parameters
    value = _plain(one, arguments[0], context)
    if type(offset) is not int or type(step) is not int or step <= 0 or offset < 0:
        raise Refused(f"`gather_every` {value_text(step)} from {value_text(offset)} is not translated")
    number = folded(pl.Int64(), context.over, ir.row_number, reduces=False)
    kept = context.every.get((offset, step))
    if kept is None:
        keep = rowwise(pl.Boolean(), lambda at: ir.and_(ir.ge(at, ir.const(offset)), ir.eq(ir.floormod(ir.sub(at, ir.const(offset)), ir.const(step)), ir.const(0))), number)
        kept = context.every[offset, step] = Mask(keep, first=offset == 0)
    return masked(value, kept)


@expression("function.top_k")
def _top(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (least,) = one.parameters
    value = _plain(one, arguments[0], context)
    count = literal_of(arguments[1], "`top_k` of a number")
    if type(count) is not int or count < 0 or not dtypes.is_of(value.dtype, *dtypes.COMPARED):
        raise unsupported(one, arguments)
    ordered = folded(value.dtype, context.over, lambda array: ir.arr_sort(array, ["asc.last" if least else "desc.last"]), value, reduces=False)
    number = folded(pl.Int64(), context.over, ir.row_number, reduces=False)
    return masked(ordered, Mask(rowwise(pl.Boolean(), lambda at: ir.lt(at, ir.const(count)), number), first=count > 0, span=(0, count)))


def _counts(value: Value, context: Context) -> Value:
    """How many rows have the value of each row."""
    count = folded(pl.Int64(), Over((*context.over.keys, value)), lambda array: ir.count(array, skip="none"), value)
    # It is the same for the rows of one value, and not for all.
    return Value(pl.Int64(), False, lambda node: node, (count,))


@expression("function.value_counts")
def _value_counts(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    sort, _parallel, _name, normalize = one.parameters
    value = _plain(one, arguments[0], context)
    if sort or not isinstance(one.dtype, pl.Struct) or not dtypes.is_equated(value.dtype):
        raise Refused(f"`value_counts` of {value.dtype} with `sort` {value_text(sort)} and `normalize` {value_text(normalize)} is not translated")
    own, count = (field.name for field in one.dtype.fields)
    kind = dtypes.type_of(dtypes.field_of(one.dtype, count))
    counts = _counts(value, context)
    if normalize:
        total = folded(pl.Int64(), context.over, lambda array: ir.count(array, skip="none"), value)
        counts = rowwise(pl.Float64(), lambda number, of: ir.div(ir.cast(number, ir.f64), ir.cast(of, ir.f64)), counts, total)
    made = rowwise(one.dtype, lambda item, number: ir.row({own: item, count: ir.cast(number, kind)}), value, counts)
    return masked(made, Mask(_first_distinct(value, context), first=True))


@expression("function.unique_counts")
def _unique_counts(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value = _equated(one, arguments, context)
    kind = dtypes.type_of(one.dtype)
    counts = rowwise(one.dtype, lambda number: ir.cast(number, kind), _counts(value, context))
    return masked(counts, Mask(_first_distinct(value, context), first=True))


@expression("function.mode")
def _mode(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value = _equated(one, arguments, context)
    counts = _counts(value, context)
    most = folded(pl.Int64(), context.over, lambda array: ir.max(array, skip="null"), counts)
    keep = rowwise(pl.Boolean(), lambda first, count, best: ir.and_(first, ir.eq(count, best)), _first_distinct(value, context), counts, most)
    return masked(value, Mask(keep))

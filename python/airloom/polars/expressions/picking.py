"""Values of chosen rows: by their position, and by the least or the greatest of another column."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes, rows
from airloom.polars.failing import fail_where
from airloom.polars.expressions.aggregates import masked
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.expressions.sequences import sequence
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import WHOLE, Fold, Mask, Value, beside, folded, own_arrays, rowwise


@expression("gather")
def _gather(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (scalar,) = one.parameters
    value, index = arguments
    if value.single or value.mask is not None or index.mask is not None or context.over.windows is not None:
        raise Refused("`gather` of one value, of a filtered column, or in windows is not translated")
    if not dtypes.is_of(index.dtype, *dtypes.INTEGERS):
        raise unsupported(one, arguments)
    if not scalar and not index.single and context.relation is not None and context.over is WHOLE and own_arrays([index]) is not None:
        return _rows_of_another(one, value, index, context.relation)
    if not scalar:
        if index.literal is not None and type(index.literal[0]) is int:
            return _one_row(one, value, index.literal[0], context)
        if index.single:
            raise Refused("`gather` of as many rows as a literal has is not translated")
        return sequence(one, context, _taken, value, index)
    if index.literal is not None:
        (position,) = index.literal
        if type(position) is not int:
            raise Refused(f"`get` of the row {value_text(position)} is not translated")
        return folded(one.dtype, context.over, lambda array: _at(array, ir.const(position)), value)
    fold = _plain_fold(index, context)

    def make(array: Node, *operands: Node) -> Node:
        return _at(array, ir.cast(fold.make(*operands), ir.i64))

    return folded(one.dtype, context.over, make, value, *fold.operands)


def _rows_of_another(one: Expression, value: Value, index: Value, relation: Node) -> Value:
    """The rows at positions that have rows of their own, from the end where they are negative."""
    array, positions = (_array_of(rows_of, each) for rows_of, each in ((relation, value), (None, index)))
    count = ir.dim(array)
    known = ir.map((positions,), lambda at: ir.select(ir.lt(at, ir.cast(ir.const(0), at.type.required)), ir.add(ir.cast(at, ir.i64), count), ir.cast(at, ir.i64)) if dtypes.is_of(index.dtype, *dtypes.SIGNED) else ir.cast(at, ir.i64))
    return beside(one.dtype, _taken(array, known))


def _array_of(relation: Node | None, value: Value) -> Node:
    """The values of a column as an array; without a relation, those of a column that brings its own rows."""
    names = rows.Names(f"{rows.PREFIX}gather:")
    given = relation
    if given is None:
        given = ir.pack({names.new(): array for array in own_arrays([value]) or ()})
    return ir.get(ir.columns(rows.project(given, {f"{rows.PREFIX}column": value}, names)), f"{rows.PREFIX}column")


def _one_row(one: Expression, value: Value, position: int, context: Context) -> Value:
    """A column of one row, which Polars does not repeat for others as it does one value."""
    found = folded(one.dtype, context.over, lambda array: _at(array, ir.const(position)), value)
    number = folded(pl.Int64(), context.over, ir.row_number, reduces=False)
    keep = rowwise(pl.Boolean(), lambda at: ir.eq(at, ir.const(0)), number)
    return masked(Value(one.dtype, False, lambda node: node, (found,)), Mask(keep, first=True))


def _plain_fold(index: Value, context: Context) -> Fold:
    """The fold that a position is, such as that of a greatest value, over the rows of the context."""
    if index.fold is None or index.fold.over is not context.over or not index.fold.operands:
        raise Refused("`get` of a row by a position that is computed otherwise than over the same rows is not translated")
    return index.fold


def _taken(array: Node, indices: Node) -> Node:
    """The elements at positions; a null position is a null. Where one is outside, the program fails."""
    found = ir.take(array, ir.map((indices,), lambda at: ir.coalesce(ir.cast(at, ir.i64), ir.const(0))))
    return ir.map((found, indices), lambda element, at: ir.select(ir.is_null(at), ir.null(element.type.required), element))


def _at(array: Node, position: Node) -> Node:
    """The element at a position, from the end where it is negative. Whether one outside is null or an error Polars does not tell: the program fails."""
    count = ir.count(array, skip="none")
    outside = ir.or_(ir.ge(position, count), ir.lt(position, ir.neg(count)))
    start = ir.coalesce(ir.select(ir.lt(position, ir.const(0)), ir.add(position, count), position), ir.const(0))
    found = ir.first(ir.arr_slice(array, start, ir.add(start, ir.const(1)), ir.const(1)))
    return fail_where(outside, ir.select(ir.is_null(position), ir.null(found.type.required), found), "a position outside of its column")


@expression("function.search_sorted")
def _search_sorted(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    side, descending = one.parameters
    value, wanted = arguments
    plain = value.dtype == wanted.dtype and dtypes.is_of(value.dtype, *dtypes.INTEGERS, *dtypes.FLOATS, pl.Date, pl.Datetime, pl.Duration)
    if not plain or value.single or any(argument.mask is not None for argument in arguments) or context.over is not WHOLE or side not in ("any", "left", "right"):
        raise unsupported(one, arguments)
    kind, known = dtypes.type_of(one.dtype), dtypes.type_of(value.dtype)
    zero = ir.cast(ir.const(0, ir.i32), known) if value.dtype == pl.Date() else ir.cast(ir.const(0), known)

    def positions(array: Node, keys: Node) -> Node:
        count = ir.dim(array)
        ordered = ir.take(array, ir.map((ir.row_number(array),), lambda at: ir.sub(ir.sub(count, ir.const(1)), at))) if descending else array
        before = ir.shift(ordered, 1, ir.null(known))
        # What stands where among nulls, NaN and what is in no order Polars knows.
        falls = ir.any(ir.map((ordered, before), lambda now, last: ir.or_(_is_strange(now), ir.is_true(ir.lt(now, last)))))
        values, sought = (ir.map((one_array,), lambda element: ir.coalesce(element, zero)) for one_array in (ordered, keys))
        low, high = ir.search(values, sought, right=False), ir.search(values, sought, right=True)
        first, last = (high, low) if descending else (low, high)

        def position(begin: Node, end: Node, key: Node) -> Node:
            begin, end = (ir.sub(count, at) if descending else at for at in (begin, end))
            several = ir.gt(ir.sub(end, begin), ir.const(1)) if side == "any" else ir.const(False)
            wrong = ir.or_(ir.is_true(falls), ir.or_(_is_strange(key), several))
            return ir.cast(fail_where(wrong, end if side == "right" else begin, "`search_sorted` in values that are null, NaN or out of order, or by such a value"), kind)

        return ir.map((first, last, keys), position)

    if wanted.single:
        if not wanted.literal:
            raise unsupported(one, arguments)
        item = wanted.literal[0]
        return folded(one.dtype, context.over, lambda array: ir.at(positions(array, ir.list_array(ir.list_of(ir.null(known) if item is None else ir.const(item, known), element=ir.optional(known)))), 0), value)
    return folded(one.dtype, context.over, positions, value, wanted, reduces=False)


def _is_strange(node: Node) -> Node:
    missing = ir.is_null(node)
    return ir.or_(missing, ir.is_true(ir.is_nan(node))) if node.type.required in (ir.f32, ir.f64) else missing


@expression("function.min_by", "function.max_by")
def _extreme_by(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value, by = arguments
    if any(argument.single or argument.mask is not None for argument in arguments) or context.over.windows is not None:
        raise Refused(f"`{one.name.partition('.')[2]}` of one value, of a filtered column, or in windows is not translated")
    if not dtypes.is_of(by.dtype, *dtypes.INTEGERS, pl.Date, pl.Datetime, pl.Duration, pl.Time, pl.Boolean, pl.Decimal):
        raise unsupported(one, arguments)
    reduce, extreme = (ir.argmin, ir.min) if one.name == "function.min_by" else (ir.argmax, ir.max)

    def make(array: Node, keys: Node) -> Node:
        position = reduce(keys, skip="null")
        start = ir.coalesce(position, ir.const(0))
        found = ir.first(ir.arr_slice(array, start, ir.add(start, ir.const(1)), ir.const(1)))
        best = extreme(keys, skip="null")
        # Which of several rows is taken, Polars leaves open.
        several = ir.gt(ir.sum(ir.map((keys,), lambda key: ir.cast(ir.is_true(ir.eq(key, best)), ir.i64))), ir.const(1))
        return fail_where(several, ir.select(ir.is_null(position), ir.null(found.type.required), found), "several rows that `min_by` or `max_by` could take")

    return folded(one.dtype, context.over, make, value, by)

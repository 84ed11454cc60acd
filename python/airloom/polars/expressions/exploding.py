"""`over` with `mapping_strategy="explode"`: the rows of one group after those of another, or one row for each."""

from __future__ import annotations

import polars as pl

from airloom import ir
from airloom.polars.expressions.registry import Context
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused
from airloom.polars.values import WHOLE, Mask, Over, Value, folded, rowwise


def group_after_group(one: Expression, value: Value, inner: Context, outer: Context) -> Value:
    """What is computed over groups, in the order in which these first stand."""
    over = inner.over
    if outer.over is not WHOLE:
        raise Refused("`over` with `mapping_strategy` 'explode' inside `group_by` or another `over` is not translated")
    if value.mask is not None:
        # Of a group of which nothing is left Polars makes a null.
        raise Refused("`over` with `mapping_strategy` 'explode' of a column that `filter`, `drop_nulls` or `slice` made shorter is not translated")
    if value.single:
        return Value(one.dtype, False, lambda node: node, (value,), mask=_first_rows(one, over, outer))
    # A group stands where its first row does.
    number = folded(pl.Int64(), WHOLE, ir.row_number, reduces=False)
    first = folded(pl.Int64(), over, lambda array: ir.coalesce(ir.min(array), ir.const(0)), number)
    position = Value(pl.Int64(), False, lambda node: node, (first,))
    return folded(one.dtype, WHOLE, lambda array, positions: ir.take(array, ir.argsort(positions, ["asc.first"])), value, position, reduces=False)


def _first_rows(one: Expression, over: Over, outer: Context) -> Mask:
    """Which rows are the first of their groups; the same for all windows over the same columns."""
    names = tuple(part.parameters[0] if part.name == "column" else "" for part in one.arguments[1 : 1 + one.parameters[1]])
    known = outer.firsts.get(names)
    if known is not None and all(names):
        return known
    number = folded(pl.Int64(), over, ir.row_number, reduces=False)
    made = outer.firsts[names] = Mask(rowwise(pl.Boolean(), lambda at: ir.eq(at, ir.const(0)), number), first=True)
    return made

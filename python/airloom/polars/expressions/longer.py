"""Columns that have other rows than the frame they are made of."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from airloom import ir
from airloom.polars import rows
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused
from airloom.polars.values import WHOLE, Value, beside

#: The names of a column under way, and of what is computed for it.
_COLUMN = f"{rows.PREFIX}column"


@expression("explode")
def _explode(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    empty_as_null, keep_nulls = one.parameters
    value = arguments[0]
    if not isinstance(value.dtype, (pl.List, pl.Array)):
        raise unsupported(one, arguments)
    if context.relation is None or context.over is not WHOLE or value.mask is not None:
        raise Refused("`explode` of a filtered column, or inside `group_by` or `over`, is not translated")
    names = rows.Names(f"{rows.PREFIX}explode:")
    lists = rows.reduce(context.relation, {}, {_COLUMN: value}, names) if value.single else rows.project(context.relation, {_COLUMN: value}, names)
    # It brings its own rows: where others stand beside it, they must be as many.
    return beside(one.dtype, ir.get(ir.columns(rows.exploded(lists, [_COLUMN], empty_as_null, keep_nulls)), _COLUMN))

"""Walks expressions, and asks for each who makes its value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.exploding import group_after_group
from airloom.polars.expressions.registry import MAKERS, Context, Maker
from airloom.polars.reading import Expression
from airloom.polars.reading.plan import HIDDEN
from airloom.polars.refusals import Refused
from airloom.polars.spans import in_order, is_zoned, known_to_clocks, windows
from airloom.polars.values import Over, Value, column, folded

__all__ = ["Maker", "make_values"]

#: Expressions whose first argument is computed over rows that the others tell.
_OWN_ROWS = ("window", "rolling")


def make_values(expressions: Sequence[Expression], over: Over, reasons: list[str], source: Callable[[Any], str], relation: Node | None = None, one_row: bool = False) -> list[Value]:
    """The values of expressions. What is refused is added to the reasons, all of it; its values stand for nothing but themselves."""
    if all(one.name == "column" for one in expressions) and not one_row:
        return [_plain_column(one, reasons) for one in expressions]
    made: dict[tuple[Expression, Context], Value] = {}
    top = Context(over, source, relation, one_row)
    for one in expressions:
        _make(one, top, made, reasons)
    return [made[one, top] for one in expressions]


def _plain_column(one: Expression, reasons: list[str]) -> Value:
    try:
        dtypes.type_of(one.dtype)
    except Refused as refused:
        if str(refused) not in reasons:
            reasons.append(str(refused))
        return _stand_in(one)
    return column(one.parameters[0], one.dtype)


def _make(root: Expression, top: Context, made: dict[tuple[Expression, Context], Value], reasons: list[str]) -> None:
    stack: list[tuple[Expression, Context, Context | None]] = [(root, top, None)]
    while stack:
        one, context, inner = stack.pop()
        if (one, context) in made:
            continue
        if inner is None and one.arguments:
            # The keys of a window belong to the rows around it; what is computed over them belongs to the window.
            parts = one.arguments[1:] if one.name in _OWN_ROWS else one.arguments
            stack.append((one, context, context))
            stack.extend((part, context, None) for part in reversed(parts))
            continue
        if inner is context and one.name in _OWN_ROWS:
            window = _window(one, context, made, reasons) if one.name == "window" else _rolling(one, context, made, reasons)
            stack.append((one, context, window))
            stack.append((one.arguments[0], window, None))
            continue
        arguments = [made[one.arguments[0], inner]] if inner is not None and inner is not context else [made[part, context] for part in one.arguments]
        try:
            made[one, context] = _value(one, arguments, context, inner or context)
        except Refused as refused:
            if str(refused) not in reasons:
                reasons.append(str(refused))
            made[one, context] = _stand_in(one)


def _value(one: Expression, arguments: Sequence[Value], context: Context, inner: Context) -> Value:
    if one.name == HIDDEN:
        raise Refused(f"Polars does not show this expression to engines ({one.parameters[0]})")
    if one.name == "rolling" and not arguments[0].single:
        raise Refused("`rolling` of what is no aggregate is not translated")
    if one.name in _OWN_ROWS:
        if one.name == "window" and arguments[0].single and one.arguments[0].name == "slice":
            raise Refused("`over` of one value that is cut is not translated")
        if one.name == "window" and one.parameters[0] == "explode":
            return group_after_group(one, arguments[0], inner, context)
        if arguments[0].mask is not None:
            raise Refused("`over` of a column that `filter`, `drop_nulls` or `slice` made shorter is not translated")
        if one.name == "window" and one.parameters[0] == "join" and not arguments[0].single:
            # A list of all values of its partition for each row.
            return Value(one.dtype, False, lambda value: value, (folded(one.dtype, inner.over, lambda array: ir.arr_list(array), arguments[0]),))
        return Value(one.dtype, False, lambda value: value, (arguments[0],))
    maker = MAKERS.get(one.name)
    if maker is None:
        raise Refused(f"the expression `{one.name}` is not translated")
    if one.name not in ("literal", "cast"):
        dtypes.type_of(one.dtype)
    if one.name.startswith(("temporal.", "range.")) and any(is_zoned(dtype) for dtype in (_of_lists(one.dtype), *(argument.dtype for argument in arguments))):
        arguments = [argument if argument.literal is not None else known_to_clocks(argument) for argument in arguments]
    return maker(one, arguments, context)


def _of_lists(dtype: pl.DataType) -> pl.DataType:
    return dtypes.inner_of(dtype) if isinstance(dtype, pl.List) else dtype


def _window(one: Expression, context: Context, made: dict[tuple[Expression, Context], Value], reasons: list[str]) -> Context:
    kind, count, ordered, descending, nulls_last = one.parameters
    if kind not in ("groups_to_rows", "join", "explode") or (kind == "explode" and ordered):
        reasons.append(f"`over` with `mapping_strategy` {kind!r}{' and `order_by`' if ordered else ''} is not translated")
    if context.over.keys:
        reasons.append("`over` inside `group_by` or another `over` is not translated")
    # A key that is one value for all rows tells none of them apart.
    keys = tuple(key for key in (made[key, context] for key in one.arguments[1 : 1 + count]) if not key.single)
    if not ordered:
        return Context(Over(keys), context.source)
    order = (made[one.arguments[1 + count], context],)
    word = f"{'desc' if descending else 'asc'}.{'last' if nulls_last else 'first'}"
    return Context(Over(keys, order, (word,)), context.source)  # type: ignore[arg-type]


def _rolling(one: Expression, context: Context, made: dict[tuple[Expression, Context], Value], reasons: list[str]) -> Context:
    period, offset, closed = one.parameters
    index = made[one.arguments[1], context]
    keys = context.over.keys
    if context.over.order or context.over.windows is not None:
        reasons.append("`rolling` inside another `rolling`, or inside `over` with `order_by`, is not translated")
    if not dtypes.is_of(index.dtype, pl.Int32, pl.Int64, pl.UInt32, pl.UInt64, pl.Date, pl.Datetime):
        reasons.append(f"`rolling` along a column of dtype {index.dtype} is not translated")
        return Context(Over(keys), context.source)
    try:
        return Context(Over(keys, windows=windows(in_order(index, keys), period, offset, closed, "`rolling`")), context.source)
    except Refused as refused:
        reasons.append(str(refused))
        return Context(Over(keys), context.source)


def _stand_in(one: Expression) -> Value:
    """A value for what was refused, so that everything around it is looked at too. Nothing is ever built of it."""
    single = one.name.startswith("agg.") or one.name in ("literal", "len")
    stand_in = column("", one.dtype if one.dtype is not None else pl.Null())
    return Value(stand_in.dtype, single, column="")

"""Walks expressions, and asks for each who makes its value."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from airloom.polars import dtypes
from airloom.polars.expressions.registry import MAKERS, Context, Maker
from airloom.polars.reading import Expression
from airloom.polars.reading.plan import HIDDEN
from airloom.polars.refusals import Refused
from airloom.polars.values import Over, Value, column

__all__ = ["Maker", "make_values"]


def make_values(expressions: Sequence[Expression], over: Over, reasons: list[str]) -> list[Value]:
    """The values of expressions. What is refused is added to the reasons, all of it; its values stand for nothing but themselves."""
    contexts = {(): Context(over)}
    made: dict[tuple[Expression, Context], Value] = {}
    top = contexts[()]
    for one in expressions:
        _make(one, top, made, reasons)
    return [made[one, top] for one in expressions]


def _make(root: Expression, top: Context, made: dict[tuple[Expression, Context], Value], reasons: list[str]) -> None:
    stack: list[tuple[Expression, Context, Context | None]] = [(root, top, None)]
    while stack:
        one, context, inner = stack.pop()
        if (one, context) in made:
            continue
        if inner is None:
            # The keys of a window belong to the rows around it; what is computed over them belongs to the window.
            parts = one.arguments[1:] if one.name == "window" else one.arguments
            stack.append((one, context, context))
            stack.extend((part, context, None) for part in reversed(parts))
            continue
        if one.name == "window" and inner is context:
            window = _window(one, context, made, reasons)
            stack.append((one, context, window))
            stack.append((one.arguments[0], window, None))
            continue
        arguments = [made[one.arguments[0], inner]] if one.name == "window" else [made[part, context] for part in one.arguments]
        try:
            made[one, context] = _value(one, arguments, context)
        except Refused as refused:
            if str(refused) not in reasons:
                reasons.append(str(refused))
            made[one, context] = _stand_in(one)


def _value(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if one.name == HIDDEN:
        raise Refused(f"Polars does not show this expression to engines ({one.parameters[0]})")
    if one.name == "window":
        if arguments[0].mask is not None:
            raise Refused("`over` of a column that `filter`, `drop_nulls` or `slice` made shorter is not translated")
        return Value(one.dtype, False, lambda value: value, (arguments[0],))
    maker = MAKERS.get(one.name)
    if maker is None:
        raise Refused(f"the expression `{one.name}` is not translated")
    if one.name != "literal":
        dtypes.type_of(one.dtype)
    return maker(one, arguments, context)


def _window(one: Expression, context: Context, made: dict[tuple[Expression, Context], Value], reasons: list[str]) -> Context:
    kind, count, ordered, descending, nulls_last = one.parameters
    if kind != "groups_to_rows":
        reasons.append(f"`over` with `mapping_strategy` {kind!r} is not translated")
    if context.over.keys:
        reasons.append("`over` inside `group_by` or another `over` is not translated")
    keys = tuple(made[key, context] for key in one.arguments[1 : 1 + count])
    if any(key.single for key in keys):
        reasons.append("`over` a key that is one value for all rows is not translated")
    if not ordered:
        return Context(Over(keys))
    order = (made[one.arguments[1 + count], context],)
    word = f"{'desc' if descending else 'asc'}.{'last' if nulls_last else 'first'}"
    return Context(Over(keys, order, (word,)))  # type: ignore[arg-type]


def _stand_in(one: Expression) -> Value:
    """A value for what was refused, so that everything around it is looked at too. Nothing is ever built of it."""
    single = one.name.startswith("agg.") or one.name in ("literal", "len")
    stand_in = column("", one.dtype if one.dtype is not None else pl.Null())
    return Value(stand_in.dtype, single, column="")

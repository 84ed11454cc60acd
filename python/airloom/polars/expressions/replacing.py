"""Values replaced by others: by a table that is written in the query, and by the interval that they lie in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.failing import fail_where
from airloom.polars.expressions.logic import literal_of
from airloom.polars.expressions.numbers import unsupported
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused
from airloom.polars.values import Value, literal, rowwise

#: More pairs than these are not written out in a program.
_MOST = 256
_OLD = (*dtypes.INTEGERS, pl.Boolean, pl.String, pl.Date)
_NEW = (*dtypes.NUMBERS, pl.Boolean, pl.String, pl.Date)


@expression("function.replace", "function.replace_strict")
def _replace(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    value, olds, news = arguments[:3]
    word = one.name.partition(".")[2]
    old, new = _listed(olds, f"`{word}` of values"), _listed(news, f"`{word}` with values")
    new = new * len(old) if len(new) == 1 else new
    plain = _inner(olds) == value.dtype and _fits(new, _inner(news), one.dtype) and dtypes.is_of(value.dtype, *_OLD) and dtypes.is_of(one.dtype, *_NEW)
    if not plain or len(old) != len(new) or len(set(old)) < len(old) or len(old) > _MOST:
        raise Refused(f"`{word}` of {value.dtype} by {len(old)} values of dtype {_inner(olds)} with {len(new)} of dtype {_inner(news)} is not translated")
    strict = word == "replace_strict"
    arguments = [*arguments[:3], *(_as_integer(other, one.dtype) for other in arguments[3:])]
    if (arguments[3:] or [value])[0].dtype != one.dtype and not (strict and len(arguments) == 3):
        raise unsupported(one, arguments)
    if value.single and any(not other.single for other in arguments[3:]):
        raise Refused(f"`{word}` of one value with a column as `default` is not translated")
    before, after = dtypes.type_of(value.dtype), dtypes.type_of(one.dtype)
    others = arguments[3:4] if strict else [value]

    def make(node: Node, *other: Node) -> Node:
        made = other[0] if other else ir.null(after)
        known = ir.const(False)
        for key, item in zip(reversed(old), reversed(new), strict=True):
            found = ir.is_null(node) if key is None else ir.is_true(ir.eq(node, ir.const(key, before)))
            made = ir.select(found, ir.null(after) if item is None else ir.const(item, after), made)
            known = ir.or_(known, found)
        # What no pair is for is an error of Polars'.
        return made if other else fail_where(ir.not_(known), made, "a value that `replace_strict` has no pair for")

    return rowwise(one.dtype, make, value, *others)


def _as_integer(value: Value, wanted: pl.DataType) -> Value:
    """A literal integer in the dtype of the result: Polars tells it as one of 32 bits."""
    plain = value.literal is not None and type(value.literal[0]) is int and dtypes.is_of(value.dtype, *dtypes.INTEGERS) and dtypes.is_of(wanted, *dtypes.NUMBERS)
    if not plain or value.literal is None or not _fits(value.literal, value.dtype, wanted):
        return value
    return literal(value.literal[0], wanted)


def _listed(value: Value, what: str) -> list[Any]:
    given = literal_of(value, what)
    return list(given) if isinstance(given, (list, tuple, pl.Series)) else [given]


def _inner(value: Value) -> pl.DataType:
    return dtypes.inner_of(value.dtype) if isinstance(value.dtype, (pl.List, pl.Array)) else value.dtype


def _fits(items: Sequence[Any], dtype: pl.DataType, wanted: pl.DataType) -> bool:
    """Whether values of a dtype are the same in the wanted one: integers are where it has them."""
    both_integers = dtypes.is_of(dtype, *dtypes.INTEGERS) and dtypes.is_of(wanted, *dtypes.INTEGERS)
    return dtype == wanted or (both_integers and pl.Series(items, dtype=dtype).cast(wanted, strict=False).null_count() == sum(item is None for item in items))


@expression("function.cut")
def _cut(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    breaks, _labels, left_closed, with_breaks = one.parameters
    return _interval(one, arguments, breaks, left_closed, with_breaks, nan_is_null=True)


@expression("function.bin_intervals")
def _bin_intervals(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    breaks, _labels, with_breaks, right_closed = one.parameters
    return _interval(one, arguments, pl.Series._from_pyseries(breaks).to_list(), not right_closed, with_breaks, nan_is_null=False)


def _interval(one: Expression, arguments: Sequence[Value], breaks: Sequence[Any], left_closed: bool, with_breaks: bool, *, nan_is_null: bool) -> Value:
    """The interval between breaks that a number lies in, as a category."""
    value = arguments[0]
    if with_breaks or not isinstance(one.dtype, pl.Enum) or len(one.dtype.categories) != len(breaks) + 1 or not dtypes.is_of(value.dtype, *dtypes.NUMBERS):
        raise Refused(f"`{one.name.partition('.')[2]}` of {value.dtype} as {one.dtype.base_type()} is not translated")
    if any(type(edge) not in (int, float) or edge != edge for edge in breaks):
        raise Refused("an interval that ends at no number is not translated")
    kind = dtypes.type_of(one.dtype)

    def make(node: Node) -> Node:
        wide = node if node.type.required == ir.f64 else ir.cast(node, ir.f64)
        code = ir.const(0, kind)
        for at, edge in enumerate(breaks, 1):
            beyond = ir.ge(wide, ir.const(float(edge)), nan="total") if left_closed else ir.gt(wide, ir.const(float(edge)), nan="total")
            code = ir.select(beyond, ir.const(at, kind), code)
        unknown = ir.or_(ir.is_null(wide), ir.is_nan(wide)) if nan_is_null else ir.is_null(wide)
        return ir.select(unknown, ir.null(kind), code)

    return rowwise(one.dtype, make, value)

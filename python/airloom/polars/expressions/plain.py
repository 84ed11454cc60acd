"""Columns, literals, and what only gives a name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes
from airloom.polars.expressions.categories import category
from airloom.polars.expressions.registry import Context, expression
from airloom.polars.expressions.wide import wide_literal
from airloom.polars.physical import frame_to_table, is_empty_struct
from airloom.polars.reading import Expression
from airloom.polars.refusals import Refused
from airloom.polars.values import WHOLE, Value, beside, column, literal, rowwise


@expression("column")
def _column(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    if context.one_row and context.relation is not None:
        whole = ir.columns(context.relation)
        return Value(one.dtype, True, lambda: ir.at(ir.get(whole, one.parameters[0]), 0))
    return column(one.parameters[0], one.dtype)


@expression("alias")
def _alias(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    return arguments[0]


@expression("literal")
def _literal(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    return _checked(one.parameters[0], one.dtype)


@expression("series")
def _series(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    (given,) = one.parameters
    if len(given) == 1 and not dtypes.is_of(one.dtype, pl.List, pl.Struct, pl.Array):
        return _checked(given.item(), one.dtype)
    if len(given) == 1 and isinstance(one.dtype, pl.List) and given.item() is not None:
        return nested_literal(given.to_list()[0], one.dtype)
    if len(given) == 1 and context.source is not None and given.dtype == one.dtype:
        # One value is that of every row, in groups too.
        only = _array_of(given, context.source)
        return Value(one.dtype, True, lambda: ir.at(only, 0))
    return series_beside(given, one, context)


def series_beside(given: pl.Series, one: Expression, context: Context) -> Value:
    """A series that is known before the query runs: it brings its own rows."""
    if context.source is None or context.over is not WHOLE or given.dtype != one.dtype:
        raise Refused(f"a literal series of {len(given)} values inside `group_by` or `over` is not translated")
    return beside(one.dtype, _array_of(given, context.source))


def _array_of(given: pl.Series, source: Callable[[Any], str]) -> Node:
    """A series as an array that the program reads."""
    dtypes.type_of(given.dtype)
    table = frame_to_table(given.alias("values").to_frame())
    return ir.get(ir.columns(ir.source(source(table), table.type)), "values")


@expression("function.dynamic_pred")
def _dynamic_predicate(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    # A hint from a sort that keeps only the first rows: whatever it drops, the sort drops too.
    return literal(True, pl.Boolean())


@expression("function.set_sorted", "function.rechunk")
def _hint(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    return arguments[0]


@expression("ternary")
def _ternary(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    for argument in arguments[1:]:
        if argument.dtype != one.dtype:
            raise Refused(f"`when` with a branch of dtype {argument.dtype} and a result of dtype {one.dtype}")
    return rowwise(one.dtype, ir.select, *arguments)


@expression("function.coalesce", "function.fill_null")
def _coalesce(one: Expression, arguments: Sequence[Value], context: Context) -> Value:
    for argument in arguments:
        if argument.dtype != one.dtype:
            raise Refused(f"`{one.name.partition('.')[2]}` with a value of dtype {argument.dtype} and a result of dtype {one.dtype}")
    return rowwise(one.dtype, _first_value, *arguments)


def _first_value(*values: Node) -> Node:
    return ir.coalesce(*values)


def _checked(value: Any, dtype: pl.DataType) -> Value:
    if dtypes.is_of(dtype, pl.Null):
        return literal(None, dtype)
    if is_empty_struct(dtype):
        return Value(dtype, True, lambda: ir.null(ir.bool_) if value is None else ir.const(True), literal=(value,))
    if dtypes.is_of(dtype, pl.Enum, pl.Categorical):
        return category(value, dtype)
    if dtypes.is_of(dtype, *dtypes.WIDE):
        return wide_literal(value, dtype)
    if value is not None and dtypes.is_of(dtype, pl.List, pl.Struct, pl.Array):
        return nested_literal(value, dtype)
    if value is not None and dtypes.is_of(dtype, pl.Duration):
        count = value if isinstance(value, int) else pl.Series([value], dtype=dtype).to_physical().item()
        return _counted(count, dtype)
    if value is not None and isinstance(dtype, pl.Datetime):
        if dtype.time_unit == "ns":
            raise Refused(f"a literal of dtype {dtype} is shown to engines without its nanoseconds")
        return _counted(pl.Series([value], dtype=dtype).to_physical().item(), dtype)
    return literal(value, dtype)


def _counted(count: int, dtype: pl.DataType) -> Value:
    kind = dtypes.type_of(dtype)
    return Value(dtype, True, lambda: ir.cast(ir.const(count, ir.i64), kind), literal=(count,))


def nested_literal(value: Any, dtype: pl.DataType) -> Value:
    """A list or a struct that is written in the query."""
    given = value.to_list() if isinstance(value, pl.Series) else list(value) if isinstance(value, tuple) else value
    return Value(dtype, True, literal=(given,), make=lambda: _nested(given, dtype))


#: What lists and structs of literals may hold; of other dtypes Python has other values than the graph.
_PLAIN = (*dtypes.NUMBERS, pl.Boolean, pl.String, pl.Date)


def _nested(given: Any, dtype: pl.DataType) -> Node:
    inner: pl.DataType = dtype
    while isinstance(inner, (pl.List, pl.Array)):
        inner = dtypes.inner_of(inner)
    leaves = [field.dtype for field in inner.fields] if isinstance(inner, pl.Struct) else [inner]
    if not all(isinstance(leaf, _PLAIN) for leaf in leaves):
        raise Refused(f"a literal of dtype {dtype} is translated only as the right side of `is_in`")
    return ir.const(given, dtypes.type_of(dtype))

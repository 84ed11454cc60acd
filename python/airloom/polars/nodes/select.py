"""Nodes that compute columns row by row, or keep some rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes, rows
from airloom.polars.expressions.aggregates import whole
from airloom.polars.nodes.registry import Building, plan_node
from airloom.polars.reading import Expression, PlanNode
from airloom.polars.refusals import Refused
from airloom.polars.values import Value, own_arrays


@plan_node("Select")
def _select(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    if len(node.expressions["columns"]) == 1:
        ((name, one),) = node.expressions["columns"]
        while one.name == "alias":
            (one,) = one.arguments
        if one.name in _LONGER:
            # A column that stands alone may have more rows than the frame.
            below = replace(node, expressions={"columns": ((name, one.arguments[0]),)}, schema={name: one.arguments[0].dtype})
            return _LONGER[one.name](_select(building, below, inputs), name, one)
    values = building.values(node, "columns", shorter=True, relation=inputs[0], one_row=_is_repeated(node))
    if not values:
        raise Refused("a frame without columns is not translated")
    return _rows_of(building, inputs[0], values)


def _is_repeated(node: PlanNode) -> bool:
    """Whether a node reads one row, which it repeats for columns that bring more."""
    below = node.inputs[0]
    while below.name in ("SimpleProjection", "Cache"):
        below = below.inputs[0]
    if below.name != "DataFrameScan" or below.parameters["frame"].height != 1:
        return False
    stack = [one for _, one in node.expressions["columns"]]
    while stack:
        one = stack.pop()
        if one.name == "explode" or (one.name == "series" and len(one.parameters[0]) != 1):
            return True
        stack.extend(one.arguments)
    return False


def _rows_of(building: Building, below: Node, values: dict[str, Value]) -> Node:
    """The rows of columns: of a frame, or of what some of them bring, one row where all are single values, and some where a mask keeps these."""
    kept = {value.mask for value in values.values() if value.single}
    if kept != {None} and kept:
        return _one_row_or_none(building, below, values)
    masks = {value.mask for value in values.values() if not value.single}
    if len(masks) > 1:
        raise Refused("`select` of columns that `filter`, `drop_nulls` or `slice` made shorter, each in its own way, is not translated")
    mask = masks.pop() if masks else None
    arrays = own_arrays(list(values.values()))
    # Literal series alone are as many rows as they have, whatever the frame below has.
    relation = below if arrays is None else ir.pack({building.names.new(): array for array in arrays})
    if mask is not None:
        return rows.project_some(relation, mask.keep, values, building.names)
    if all(value.single for value in values.values()):
        return rows.reduce(relation, {}, values, building.names)
    return rows.project(relation, values, building.names)


def _one_row_or_none(building: Building, relation: Node, values: dict[str, Value]) -> Node:
    """Columns of one row, all of which is kept or not."""
    masks = {value.mask for value in values.values()}
    (mask,) = masks if len(masks) == 1 else (None,)
    if mask is None or not all(value.single for value in values.values()) or own_arrays([*values.values(), mask.keep]) is not None:
        raise Refused("`select` of one value that `filter` or `slice` keeps or not, beside others, is not translated")
    keep = building.names.new()
    made = rows.reduce(relation, {}, {**{name: whole(value) for name, value in values.items()}, keep: mask.keep}, building.names)
    return rows.pick(ir.filter(made, lambda row: ir.is_true(ir.get(row, keep))), list(values))


def _exploded(relation: Node, name: str, one: Expression) -> Node:
    empty_as_null, keep_nulls = one.parameters
    if not isinstance(one.arguments[0].dtype, (pl.List, pl.Array)):
        raise Refused(f"`explode` of {one.arguments[0].dtype} is not translated")
    return rows.exploded(relation, [name], empty_as_null, keep_nulls)


def _extended(relation: Node, name: str, one: Expression) -> Node:
    """A column with further rows, all of one literal."""
    value, count = one.arguments[1:]
    plain = value.name == "literal" and count.name == "literal" and type(count.parameters[0]) is int and count.parameters[0] >= 0
    # An integer in an integer column is written as such; Polars tells it as one of 32 bits.
    item = value.parameters[0] if plain else None
    alike = item is None or value.dtype == one.dtype or (type(item) is int and dtypes.is_of(one.dtype, *dtypes.INTEGERS) and _fits(item, one.dtype))
    if not plain or one.arguments[0].dtype != one.dtype or not alike or (item is not None and isinstance(one.dtype, _OTHERWISE_WRITTEN)):
        raise Refused(f"`extend_constant` of {one.dtype} by {value.dtype} is not translated")
    kind = dtypes.type_of(one.dtype)
    constant = ir.null(kind) if item is None else ir.const(item, kind)
    rows_of_it = ir.pack({name: ir.fill(ir.cast(constant, ir.optional(kind)), ir.const(count.parameters[0]))})
    return ir.concat(ir.project(relation, lambda row: {name: ir.cast(ir.get(row, name), ir.optional(kind))}), rows_of_it)


def _fits(value: int, dtype: pl.DataType) -> bool:
    bits = int(str(dtype).rpartition("t")[2])
    return -(1 << bits - 1) <= value < 1 << bits - 1 if dtypes.is_of(dtype, *dtypes.SIGNED) else 0 <= value < 1 << bits


#: Dtypes whose literals Python has otherwise than the graph.
_OTHERWISE_WRITTEN = (pl.Datetime, pl.Duration, pl.Enum, pl.Categorical, pl.Int128, pl.UInt128, pl.List, pl.Array, pl.Struct, pl.Null)

#: Expressions that make a column longer, by what makes the relation of that column.
_LONGER: dict[str, Callable[[Node, str, Expression], Node]] = {"explode": _exploded, "function.extend_constant": _extended}


@plan_node("HStack")
def _with_columns(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    if not node.inputs[0].schema:
        raise Refused("`with_columns` of a frame without columns is not translated")
    if _is_repeated(node):
        values = building.values(node, "columns", relation=inputs[0], one_row=True)
        whole = ir.columns(inputs[0])
        before = {name: Value(dtype, True, partial(_only, whole, name)) for name, dtype in node.inputs[0].schema.items()}
        return _rows_of(building, inputs[0], {**before, **values})
    values = building.values(node, "columns", relation=inputs[0])
    if not node.parameters["broadcast"] and any(value.single for value in values.values()):
        # Polars keeps such a column shorter than the others until an expression above has used it.
        raise Refused("a subexpression that is one value for all rows, and stands in a node of its own, is not translated")
    return rows.extend(inputs[0], values, building.names)


def _only(columns: Node, name: str) -> Node:
    return ir.at(ir.get(columns, name), 0)


@plan_node("Filter")
def _filter(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    predicate = building.value(node, "predicate")
    assert predicate is not None
    return rows.keep(inputs[0], predicate, building.names)


@plan_node("SimpleProjection")
def _projection(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    # Without columns there would be no rows to count: those that are there stay, and nobody reads them.
    names = list(node.schema)
    if not names or names == list(node.inputs[0].schema):
        return inputs[0]
    return ir.project(inputs[0], lambda row: ir.pick(row, names))


@plan_node("Cache")
def _cache(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    # What several nodes read is one node of the graph, and computed once.
    return inputs[0]

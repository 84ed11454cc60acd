"""Nodes that put frames together, number rows, or turn columns into rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes, rows
from airloom.polars.nodes.order import sliced
from airloom.polars.nodes.registry import Building, columns_of, plan_node
from airloom.polars.reading import PlanNode
from airloom.polars.refusals import Refused, value_text
from airloom.polars.spans import in_order
from airloom.polars.values import column, emit


def uniform(relation: Node, schema: Mapping[str, pl.DataType]) -> Node:
    """The columns of a schema, in types that may all be null, so that relations of one schema have one type."""
    wanted = dtypes.relation(schema)
    if relation.type == wanted:
        return relation
    kinds = wanted.fields

    def row_of(row: Node) -> dict[str, Node]:
        values = emit(columns_of(schema).values(), row, {})
        return {name: value if value.type == kinds[name] else ir.cast(value, kinds[name]) for name, value in zip(schema, values, strict=True)}

    return ir.project(relation, row_of)


@plan_node("Union")
def _union(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    for below in node.inputs:
        if dict(below.schema) != dict(node.schema):
            raise Refused("`concat` of frames with different schemas is not translated")
    if not node.schema:
        # Of columns that nobody reads the rows are left, to be counted.
        counted = [ir.project(relation, lambda row: {f"{rows.PREFIX}row": ir.const(True)}) for relation in inputs]
        return sliced(ir.concat(*counted), node.parameters["slice"])
    return sliced(ir.concat(*(uniform(relation, node.schema) for relation in inputs)), node.parameters["slice"])


@plan_node("MergeSorted")
def _merge_sorted(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    names = node.parameters["keys"]
    if len(names) != 1 or not dtypes.is_of(node.schema[names[0]], *dtypes.COMPARED):
        raise Refused(f"`merge_sorted` by {', '.join(f'{name!r} of dtype {node.schema[name]}' for name in names)} is not translated")
    (name,) = names
    if any(dict(below.schema) != dict(node.schema) for below in node.inputs):
        raise Refused("`merge_sorted` of frames with different schemas is not translated")
    # Where a side is not in order, Polars merges it as it comes: the program fails then.
    key = in_order(column(name, node.schema[name]), ())
    sides = [uniform(rows.extend(relation, {name: key}, building.names), node.schema) for relation in inputs]
    return ir.sort(ir.concat(*sides), lambda row: {"k": ir.get(row, name)}, ["asc.first"])


@plan_node("HConcat")
def _hconcat(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    if any(not below.schema for below in node.inputs):
        raise Refused("`concat` of frames without columns is not translated")
    if node.parameters["broadcast"]:
        return _repeated(node, inputs)
    if not node.parameters["strict"]:
        return _padded(node, inputs)
    arrays: dict[str, Node] = {}
    for below, relation in zip(node.inputs, inputs, strict=True):
        columns = ir.columns(rows.pick(relation, list(below.schema)))
        arrays.update({name: ir.get(columns, name) for name in below.schema})
    return ir.pack(arrays)


def _repeated(node: PlanNode, inputs: Sequence[Node]) -> Node:
    """Frames side by side, of which those of one row are repeated. Where others are not equally long, the program fails."""
    frames = [ir.columns(rows.pick(relation, list(below.schema))) for below, relation in zip(node.inputs, inputs, strict=True)]
    heights = [ir.dim(ir.get(columns, next(iter(below.schema)))) for below, columns in zip(node.inputs, frames, strict=True)]
    height = heights[0]
    for other in heights[1:]:
        height = ir.greatest(height, other)
    arrays: dict[str, Node] = {}
    for below, columns, own in zip(node.inputs, frames, heights, strict=True):
        positions = ir.map((ir.iota(height),), _position(own))
        arrays.update({name: ir.take(ir.get(columns, name), positions) for name in below.schema})
    return ir.pack(arrays)


def _position(height: Node) -> Callable[[Node], Node]:
    """Which row of a frame stands in a row of all: the only one of a frame of one row. A shorter frame has none, which fails."""
    return lambda at: ir.select(ir.eq(height, ir.const(1)), ir.const(0), at)


def _padded(node: PlanNode, inputs: Sequence[Node]) -> Node:
    """Frames side by side: rows of one number meet, and the shorter ones are filled up with nulls."""
    made: Node | None = None
    first = f"{rows.PREFIX}number:0"
    for at, (below, relation) in enumerate(zip(node.inputs, inputs, strict=True)):
        own = f"{rows.PREFIX}number:{at}"
        numbered_rows = ir.number(rows.pick(relation, list(below.schema)), own)
        if made is None:
            made = numbered_rows
            continue
        joined = ir.join(made, numbered_rows, lambda row: {"n": ir.get(row, first)}, _key_of(own), lambda left, right: ir.const(True), how="outer", nulls="never", major="left")
        made = ir.project(joined, _with_number(first, own))
    assert made is not None, "frames that are put side by side are at least one"
    return rows.pick(made, list(node.schema))


def _key_of(name: str) -> Callable[[Node], dict[str, Node]]:
    return lambda row: {"n": ir.get(row, name)}


def _with_number(first: str, own: str) -> Callable[[Node], Node]:
    """The row with its number, whichever frame has it."""
    return lambda row: ir.with_(row, {first: ir.coalesce(ir.get(row, first), ir.get(row, own))})


def map_function(node: PlanNode, relation: Node) -> Node:
    """The relation of a function of a frame, by its name."""
    word = node.parameters["function"]
    maker = _FUNCTIONS.get(word)
    if maker is None:
        raise Refused(f"the function {value_text(word)} of a frame is not translated")
    return maker(node, relation, node.parameters["parameters"])


def _same(node: PlanNode, relation: Node, parameters: Sequence[Any]) -> Node:
    return relation


def _row_index(node: PlanNode, relation: Node, parameters: Sequence[Any]) -> Node:
    name, offset = parameters
    return numbered(relation, node.schema, name, offset)


def numbered(relation: Node, schema: Mapping[str, pl.DataType], name: str, offset: int) -> Node:
    """The rows with their number in the column that a schema has for it."""
    kind = dtypes.type_of(schema[name])
    field = f"{rows.PREFIX}number"
    counted = ir.number(relation, field, start=offset)

    def row_of(row: Node) -> dict[str, Node]:
        return {column: ir.cast(ir.get(row, field), kind, mode="wrap") if column == name else ir.get(row, column) for column in schema}

    return ir.project(counted, row_of)


def _explode(node: PlanNode, relation: Node, parameters: Sequence[Any]) -> Node:
    columns, empty_as_null, keep_nulls = parameters
    for name in columns:
        below = node.inputs[0].schema[name]
        if not isinstance(below, (pl.List, pl.Array)):
            raise Refused(f"`explode` of a column of dtype {below} is not translated")
    return rows.exploded(relation, list(columns), empty_as_null, keep_nulls)


def _unnest(node: PlanNode, relation: Node, parameters: Sequence[Any]) -> Node:
    columns, separator = parameters
    before = node.inputs[0].schema
    outputs: dict[str, Callable[[Node], Node]] = {}
    for name, dtype in before.items():
        if name not in columns:
            outputs[name] = _getter(name)
            continue
        if not isinstance(dtype, pl.Struct):
            raise Refused(f"`unnest` of a column of dtype {dtype} is not translated")
        for field in dtype.fields:
            outputs[field.name if separator is None else f"{name}{separator}{field.name}"] = _getter(name, field.name)
    return ir.project(relation, lambda row: {name: outputs[name](row) for name in node.schema})


def _getter(name: str, field: str | None = None) -> Callable[[Node], Node]:
    if field is None:
        return lambda row: ir.get(row, name)
    return lambda row: ir.get(ir.get(row, name), field)


def _unpivot(node: PlanNode, relation: Node, parameters: Sequence[Any]) -> Node:
    index, on, variable, value = parameters
    schema = node.inputs[0].schema
    on = list(on) if on else [name for name in schema if name not in index]
    kinds = {str(schema[name]) for name in on}
    made = node.schema[value]
    # Integers of several dtypes become those of the widest, or floats.
    numbers = dtypes.is_of(made, *dtypes.INTEGERS, pl.Float64) and all(dtypes.is_of(schema[name], *dtypes.INTEGERS, made.base_type()) for name in on)
    texts = dtypes.is_of(made, pl.String) and all(dtypes.is_of(schema[name], *dtypes.INTEGERS, pl.String) for name in on)
    if not on or (len(kinds) != 1 and not numbers and not texts):
        raise Refused(f"`unpivot` of columns of dtypes {', '.join(sorted(kinds)) or 'none'} is not translated")
    narrow = uniform(rows.pick(relation, [*index, *on]), {**{name: schema[name] for name in index}, **dict.fromkeys(on, made)})
    return rows.pick(ir.unpivot(narrow, on, variable, value), list(node.schema))


_FUNCTIONS: dict[str, Callable[[PlanNode, Node, Sequence[Any]], Node]] = {
    "rechunk": _same,
    "hint_sorted": _same,
    "row_index": _row_index,
    "explode": _explode,
    "unpivot": _unpivot,
    "unnest": _unnest,
}

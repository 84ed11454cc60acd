"""Nodes that compute columns row by row, or keep some rows."""

from __future__ import annotations

from collections.abc import Sequence

from airloom import ir
from airloom._native import Node
from airloom.polars import rows
from airloom.polars.nodes.registry import Building, plan_node
from airloom.polars.reading import PlanNode
from airloom.polars.refusals import Refused
from airloom.polars.values import own_arrays


@plan_node("Select")
def _select(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    values = building.values(node, "columns", shorter=True)
    if not values:
        raise Refused("a frame without columns is not translated")
    masks = {value.mask for value in values.values() if not value.single}
    if len(masks) > 1:
        raise Refused("`select` of columns that `filter`, `drop_nulls` or `slice` made shorter, each in its own way, is not translated")
    mask = masks.pop() if masks else None
    arrays = own_arrays(list(values.values()))
    # Literal series alone are as many rows as they have, whatever the frame below has.
    relation = inputs[0] if arrays is None else ir.pack({building.names.new(): array for array in arrays})
    if mask is not None:
        return rows.project_some(relation, mask.keep, values, building.names)
    if all(value.single for value in values.values()):
        return rows.reduce(relation, {}, values, building.names)
    return rows.project(relation, values, building.names)


@plan_node("HStack")
def _with_columns(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    values = building.values(node, "columns")
    if not node.inputs[0].schema:
        raise Refused("`with_columns` of a frame without columns is not translated")
    if not node.parameters["broadcast"] and any(value.single for value in values.values()):
        # Polars keeps such a column shorter than the others until an expression above has used it.
        raise Refused("a subexpression that is one value for all rows, and stands in a node of its own, is not translated")
    return rows.pick(rows.extend(inputs[0], values, building.names), list(node.schema))


@plan_node("Filter")
def _filter(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    predicate = building.value(node, "predicate")
    assert predicate is not None
    return rows.pick(rows.keep(inputs[0], predicate, building.names), list(node.schema))


@plan_node("SimpleProjection")
def _projection(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    # Without columns there would be no rows to count: those that are there stay, and nobody reads them.
    return rows.pick(inputs[0], list(node.schema)) if node.schema else inputs[0]


@plan_node("Cache")
def _cache(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    # What several nodes read is one node of the graph, and computed once.
    return inputs[0]

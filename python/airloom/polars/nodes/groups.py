"""Groups, and what is computed of each."""

from __future__ import annotations

from collections.abc import Sequence

from airloom._native import Node
from airloom.polars import dtypes, rows
from airloom.polars.nodes.dynamic import dynamic_groups, rolling_groups
from airloom.polars.nodes.order import sliced
from airloom.polars.nodes.registry import Building, SeveralRefused, plan_node
from airloom.polars.reading import PlanNode
from airloom.polars.refusals import Refused
from airloom.polars.values import Over, Value


@plan_node("GroupBy")
def _group_by(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    if node.parameters["function"] is not None:
        raise Refused("`group_by` with a function of Python is not translated")
    keys = building.values(node, "keys")
    for name, key in keys.items():
        if not dtypes.is_equated(key.dtype):
            raise Refused(f"`group_by` a key of dtype {key.dtype} is not translated (column {name!r})")
        if key.single:
            # One value for all rows is that of each of them.
            keys[name] = Value(key.dtype, False, lambda node: node, (key,))
    if node.parameters["rolling"] is not None:
        return rolling_groups(building, node, inputs[0], keys)
    if node.parameters["dynamic"] is not None:
        return dynamic_groups(building, node, inputs[0], keys)
    over = Over(tuple(keys.values()))
    values = building.values(node, "aggregates", over)
    long = [name for name, value in values.items() if not value.single]
    if long:
        raise SeveralRefused([f"`agg` with a list of values for each group is not translated (column {name!r})" for name in long])
    # Groups stand in the order in which their keys first stand, whether or not Polars was asked to maintain it: what is read twice has one order then.
    return sliced(rows.reduce(inputs[0], keys, values, building.names), node.parameters["slice"])

"""Nodes that put rows in order, or take some by their position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.ir import SortWord
from airloom.polars import dtypes, rows
from airloom.polars.expressions.categories import ordered
from airloom.polars.expressions.wide import sort_keys
from airloom.polars.nodes.registry import Building, plan_node
from airloom.polars.reading import PlanNode
from airloom.polars.refusals import Refused, value_text
from airloom.polars.values import emit


@plan_node("Sort")
def _sort(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    keys = building.listed(node, "by")
    for key in keys:
        if not dtypes.is_of(key.dtype, *dtypes.SORTED, pl.Categorical):
            raise Refused(f"`sort` by a column of dtype {key.dtype} is not translated")
    words = _words(node, len(keys))
    # A key that is the same for all rows orders nothing.
    chosen = [(part, word) for key, word in zip(keys, words, strict=True) if not key.single for part in sort_keys(ordered(key))]
    relation, placed = rows.add_folds(inputs[0], [key for key, _ in chosen], building.names)

    def body(row: Node) -> dict[str, Node]:
        return {f"k{at}": made for at, made in enumerate(emit([key for key, _ in chosen], row, placed))}

    by = [word for _, word in chosen]
    cut = node.parameters["slice"]
    if cut is not None and cut[0] == 0:
        made = ir.top(relation, ir.const(cut[1]), body, by)
    else:
        made = sliced(ir.sort(relation, body, by), cut)
    return rows.pick(made, list(node.schema))


def _words(node: PlanNode, count: int) -> list[SortWord]:
    descending, nulls_last = node.parameters["descending"], node.parameters["nulls_last"]
    descending = descending * count if len(descending) == 1 else descending
    nulls_last = nulls_last * count if len(nulls_last) == 1 else nulls_last
    if len(descending) != count or len(nulls_last) != count:
        raise Refused(f"`sort` by {count} keys with {len(descending)} of `descending` and {len(nulls_last)} of `nulls_last` is not translated")
    words: dict[tuple[bool, bool], SortWord] = {
        (False, False): "asc.first",
        (False, True): "asc.last",
        (True, False): "desc.first",
        (True, True): "desc.last",
    }
    return [words[pair] for pair in zip(descending, nulls_last, strict=True)]


@plan_node("Slice")
def _slice(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    return sliced(inputs[0], (node.parameters["offset"], node.parameters["length"]))


#: More rows than a frame can have.
_ALL = 2**62


def sliced(relation: Node, cut: Any) -> Node:
    """The rows from an offset, as many as a length says; all, where there is no slice."""
    if cut is None:
        return relation
    offset, length = cut[:2]
    return ir.slice(relation, ir.const(max(offset, -_ALL)), ir.const(min(length, _ALL)))


@plan_node("Distinct")
def _distinct(building: Building, node: PlanNode, inputs: Sequence[Node]) -> Node:
    keep = node.parameters["keep"]
    kept = {"first": "first", "any": "first", "last": "last", "none": "none"}.get(keep)
    if kept is None:
        raise Refused(f"`unique` with `keep` {value_text(keep)} is not translated")
    names = node.parameters["subset"]
    names = list(node.schema) if names is None else list(names)
    for name in names:
        if not dtypes.is_equated(node.schema[name]):
            raise Refused(f"`unique` by a column of dtype {node.schema[name]} is not translated")
    if kept == "last" and names:
        made = _last_rows(building, rows.pick(inputs[0], list(node.schema)), names)
    else:
        made = ir.distinct(inputs[0], lambda row: ir.pick(row, names), keep=kept)  # type: ignore[arg-type]
    return sliced(rows.pick(made, list(node.schema)), node.parameters["slice"])


def _last_rows(building: Building, relation: Node, names: Sequence[str]) -> Node:
    """The last row of each distinct key, where it stands: its number is looked for, and the other columns are only moved where they are kept."""
    at, last = building.names.new(), building.names.new()
    numbered = ir.number(relation, at)
    narrow = rows.pick(numbered, [*names, at])
    groups = ir.group(narrow, lambda row: {name: ir.get(row, name) for name in names}, lambda group: {last: ir.coalesce(ir.max(ir.get(group, at)), ir.const(-1))})
    return ir.join(numbered, groups, lambda row: {"k": ir.get(row, at)}, lambda row: {"k": ir.get(row, last)}, lambda left, right: ir.const(True), how="semi")

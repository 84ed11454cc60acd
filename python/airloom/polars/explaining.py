"""How a query is run, as data: nodes by number, with what they read, the columns they make, and how files are divided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import polars as pl

from airloom import ir
from airloom.polars.reading import PlanNode
from airloom.polars.reading.plan import inputs_of, number_of
from airloom.polars.refusals import Refusal


def physical_plan(plan: Mapping[str, Any]) -> dict[str, Any]:
    """The nodes of a physical plan that `airloom.explain` told: ``roots``, ``nodes`` by number and ``partitions`` of scans of files; ``span_ns`` where it has run."""
    numbers: dict[int, int] = {}
    nodes: dict[str, dict[str, Any]] = {}
    partitions: dict[str, Any] = {}

    def visit(node: dict[str, Any], below: Sequence[int], _state: None) -> int:
        number = numbers[id(node)] = len(numbers)
        own = {name: value for name, value in node.items() if name not in ("inputs", "columns", "partitions", "nodes")}
        nodes[str(number)] = {**own, "schema": node["columns"], "inputs": list(below)}
        if "partitions" in node:
            partitions[str(number)] = node["partitions"]
        return number

    visitor = ir.Visitor(visit, None, inputs=itemgetter("inputs"), identity=id)
    told = {"roots": [visitor(root) for root in plan["parts"]], "nodes": nodes, "partitions": partitions}
    return {**told, "span_ns": plan["span_ns"]} if "span_ns" in plan else told


def refused_plan(root: PlanNode | None, refused: Iterable[int]) -> dict[str, Any]:
    """The nodes of a plan of Polars' of which something is refused: which of them are. Nothing is known of partitions."""
    if root is None:
        return {"roots": [], "nodes": {}, "partitions": {}}
    left = frozenset(refused)
    nodes = {
        str(node.number): {"op": node.name, "refused": node.number in left, "schema": schema(node.schema), "inputs": [below.number for below in node.inputs]}
        for node in ir.walk(root, inputs_of, number_of)
    }
    return {"roots": [root.number], "nodes": nodes, "partitions": {}}


def schema(given: Mapping[str, pl.DataType]) -> dict[str, str]:
    """Columns and their dtypes, as text."""
    return {name: str(dtype) for name, dtype in given.items()}


def refusals(given: Iterable[Refusal]) -> list[dict[str, str]]:
    """Refusals, as data."""
    return [{"node": one.node, "reason": one.reason} for one in given]

"""From a plan to a program, or to all reasons why there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

from airloom import _report as report
from airloom import ir
from airloom._native import Function, Graph, Node, at_one_place, make_function
from airloom.errors import IllTypedError, RefusedError
from airloom.polars import dtypes, explaining, rows
from airloom.polars.nodes import MAKERS, Building, SeveralRefused, relation_of
from airloom.polars.nodes.sources import Sources, names_of_programs
from airloom.polars.reading import PlanNode
from airloom.polars.reading.plan import HIDDEN, nodes
from airloom.polars.refusals import Refusal, Refused


@dataclass(frozen=True)
class Translation:
    """What became of a query: a program, with the data of its sources, or the reasons why there is none."""

    #: The program; it makes one relation, and takes no arguments. None where something was refused.
    function: Function | None
    sources: Mapping[str, Any]
    #: The columns of the result, by Polars.
    schema: Mapping[str, pl.DataType]
    refusals: tuple[Refusal, ...]
    #: What Polars reads for the program, with the reason.
    read_by_polars: tuple[Refusal, ...] = ()
    #: The plan as it was read, and the numbers of its nodes that were refused; without a plan where it could not be read.
    plan: PlanNode | None = field(default=None, repr=False)
    refused: frozenset[int] = field(default=frozenset(), repr=False)

    @property
    def height(self) -> int:
        """How many rows the frames in memory have that the query reads."""
        return 0 if self.plan is None else sum(node.parameters["frame"].height for node in nodes(self.plan) if node.name == "DataFrameScan")

    def run(self, **options: Any) -> pl.DataFrame:
        """The frame of the query, by the program; with options of airloom's, as `threads`."""
        from airloom.polars.running import run

        if self.function is None:
            raise RefusedError(f"there is no program to run:\n{self.text()}")
        return run(self, options)

    def explain(self, *, analyze: bool = False, format: Literal["text", "json"] = "text", **options: Any) -> str:
        """What the rules make of the program and how it is run, as `airloom.explain` tells it; where there is none, the reasons.

        As JSON it is an object with the ``schema`` of the result, the ``refusals``, each with its ``node`` and ``reason``, and the physical plan: the numbers of its ``roots``, its
        ``nodes`` by number, each with its ``schema`` and its ``inputs``, and the ``partitions`` of scans of files. Of a query that is refused the nodes are those of Polars' plan.
        """
        from airloom.polars.running import explain

        plan = None if self.function is None else explain(self, options, analyze, format)
        if format == "text":
            return self.text() if plan is None else plan
        shown = explaining.refused_plan(self.plan, self.refused) if plan is None else explaining.physical_plan(json.loads(plan))
        return json.dumps({"schema": explaining.schema(self.schema), "refusals": explaining.refusals(self.refusals), **shown})

    def text(self) -> str:
        """The program as text; where there is none, the reasons."""
        return self.function.text() if self.function is not None else "\n".join(map(str, self.refusals))

    def __str__(self) -> str:
        return self.text()


def translate(root: PlanNode) -> Translation:
    """The program of a plan."""
    order = list(nodes(root))
    building = Building(reserved=names_of_programs(order))
    refused: set[int] = set()

    def build() -> Node:
        made: dict[int, Node] = {}
        for node in order:
            inputs = [made[below.number] for below in node.inputs if below.number in made]
            try:
                made[node.number] = _relation(building, node, inputs)
            except Refused as refusal:
                refused.add(node.number)
                reasons = refusal.reasons if isinstance(refusal, SeveralRefused) else [str(refusal)]
                building.refusals.extend(Refusal(node.name, reason) for reason in reasons)
                stand_in = _stand_in(node)
                if stand_in is not None:
                    made[node.number] = stand_in
        if refused:
            return ir.const(True)
        # Of a result without columns only the number of rows is wanted: any column has it.
        return rows.pick(made[root.number], list(root.schema) or list(made[root.number].type.fields)[:1])

    with Graph():
        function = at_one_place(lambda: make_function(build, "polars", [], None), report.user_location())
    unique = tuple(dict.fromkeys(building.refusals))
    if unique:
        return Translation(None, {}, root.schema, unique, plan=root, refused=frozenset(refused))
    return Translation(function, Sources(building.sources), root.schema, (), tuple(dict.fromkeys(building.read_by_polars)), root)


#: Nodes whose columns are some of those that they read, as they are: these were checked where they were made.
_PASSING = frozenset(("SimpleProjection", "Filter", "Cache", "Slice", "Sort", "Distinct"))


def _relation(building: Building, node: PlanNode, inputs: list[Node]) -> Node:
    if node.name == HIDDEN:
        raise Refused(f"Polars does not show this node to engines ({node.parameters['reason']})")
    maker = MAKERS.get(node.name)
    if maker is None:
        raise Refused(f"the node `{node.name}` is not translated")
    wanted = None if node.name in _PASSING else relation_of(node.schema)
    if len(inputs) < len(node.inputs):
        raise Refused("what it reads has no type in the graph")
    try:
        made = maker(building, node, inputs)
        if wanted is not None and made.type != wanted:
            _check(node, made)
    except IllTypedError as error:
        # The rules of the graph are the last word: whatever they do not take is left to Polars.
        # Where the node was made is no part of the reason: it is the line that collects, or one of ours.
        reason = re.sub(r" \([^()]*:[0-9]+\)$", "", str(error).splitlines()[0])
        raise Refused(f"the graph does not take it: {reason}") from error
    return made


def _check(node: PlanNode, made: Node) -> None:
    """Refuses a relation that is not what Polars says its columns are."""
    found = made.type.fields
    for name, dtype in node.schema.items():
        if name not in found:
            raise Refused(f"the column {name!r} is missing from the program")
        if found[name] == dtypes.nullable(dtype):
            continue
        wanted = dtypes.type_of(dtype)
        if found[name].required != wanted and not _same_type(found[name], wanted):
            raise Refused(f"the program makes `{found[name].required}` of the column {name!r}, expected `{wanted}`")


def _same_type(found: ir.Type, wanted: ir.Type) -> bool:
    """Whether two types say the same; elements of lists and fields of structs may be null in Polars, whatever is known of them."""
    pairs = [(found, wanted)]
    while pairs:
        one, other = (kind.required for kind in pairs.pop())
        if one.kind != other.kind:
            return False
        if one.kind == "list":
            assert one.element is not None and other.element is not None
            pairs.append((one.element, other.element))
        elif one.kind == "struct":
            if list(one.fields) != list(other.fields):
                return False
            pairs.extend(zip(one.fields.values(), other.fields.values(), strict=True))
        elif one != other:
            return False
    return True


def _stand_in(node: PlanNode) -> Node | None:
    """A relation in place of a refused one, so that what reads it is looked at too; None where its columns have no types."""
    try:
        return ir.source("refused", dtypes.relation(node.schema)) if node.schema else None
    except Refused:
        return None

"""Who makes the relation of a node of the plan, by the node's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import polars as pl

from airloom import ir
from airloom._native import Node, Type
from airloom.polars import dtypes
from airloom.polars.expressions import make_values
from airloom.polars.reading import Expression, PlanNode
from airloom.polars.refusals import Refusal, Refused
from airloom.polars.rows import PREFIX, Names
from airloom.polars.values import WHOLE, Over, Value


@dataclass
class Building:
    """A program under construction: the data of its sources, names of fields of its own, and what was refused."""

    sources: dict[str, Any] = field(default_factory=dict)
    names: Names = field(default_factory=Names)
    refusals: list[Refusal] = field(default_factory=list)
    #: Names that sources of programs have which become part of this one.
    reserved: frozenset[str] = frozenset()
    #: What Polars itself reads, with the reason: a file in a format that the engine does not read as Polars does.
    read_by_polars: list[Refusal] = field(default_factory=list)

    def source(self, data: Any) -> str:
        """The name of a source with this data."""
        number = len(self.sources)
        while f"t{number}" in self.sources or f"t{number}" in self.reserved:
            number += 1
        self.sources[f"t{number}"] = data
        return f"t{number}"

    def values(self, node: PlanNode, role: str, over: Over = WHOLE, *, shorter: bool = False, relation: Node | None = None, one_row: bool = False) -> dict[str, Value]:
        """The values of a node's expressions of a role, by the names of the columns that they make."""
        names = [name for name, _ in node.expressions[role]]
        return dict(zip(names, self.listed(node, role, over, shorter=shorter, relation=relation, one_row=one_row), strict=True))

    def listed(self, node: PlanNode, role: str, over: Over = WHOLE, *, shorter: bool = False, relation: Node | None = None, one_row: bool = False) -> list[Value]:
        """The values of a node's expressions of a role, of which several may have one name; every refusal among them is kept, and then the node is refused.
        Columns of which only some rows are left are refused too, unless they may be `shorter`. Of a `relation` columns with rows of their own are made; of `one_row` columns are values that are the same for all rows beside it.
        """
        given = node.expressions[role]
        reasons: list[str] = []
        made = make_values([one for _, one in given], over, reasons, self.source, relation, one_row)
        for value in made:
            if value.mask is not None and not shorter:
                reasons.append("a column that `filter`, `drop_nulls` or `slice` made shorter is translated only inside an aggregate")
        if reasons:
            raise SeveralRefused(reasons)
        return made

    def value(self, node: PlanNode, role: str) -> Value | None:
        """The value of the one expression of a role, where there is one."""
        return next(iter(self.listed(node, role)), None)


class SeveralRefused(Refused):
    """A node is refused for several reasons."""

    def __init__(self, reasons: Sequence[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = list(reasons)


#: Makes the relation of a node from those that it reads, or raises `Refused` with the reason.
Maker = Callable[[Building, PlanNode, Sequence[Node]], Node]

MAKERS: dict[str, Maker] = {}


def plan_node(*names: str) -> Callable[[Maker], Maker]:
    """Registers who makes the relations of nodes of these names."""

    def register(maker: Maker) -> Maker:
        for name in names:
            assert name not in MAKERS, f"`{name}` is made twice"
            MAKERS[name] = maker
        return maker

    return register


def columns_of(schema: Mapping[str, pl.DataType]) -> dict[str, Value]:
    """Every column of a schema, as a value."""
    return {name: Value(dtype, False, column=name) for name, dtype in schema.items()}


def relation_of(schema: Mapping[str, pl.DataType]) -> Type:
    """The type of a relation with the columns of a schema. Refuses those whose dtypes have no type in the graph, or whose names are like those of fields of our own: all of them."""
    return _relation_of(tuple(schema.items()))


@lru_cache(maxsize=1024)
def _relation_of(columns: tuple[tuple[str, pl.DataType], ...]) -> Type:
    schema = dict(columns)
    reasons = [f"the column name {name!r} begins with {PREFIX!r}, as names of the program's own do" for name in schema if name.startswith(PREFIX)]
    kinds: dict[str, Type] = {}
    for name, dtype in schema.items():
        try:
            kinds[name] = dtypes.nullable(dtype)
        except Refused as refused:
            reasons.append(f"{refused} (column {name!r})")
    if reasons:
        raise SeveralRefused(reasons)
    return ir.rel(kinds)

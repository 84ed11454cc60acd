"""Who makes a value of an expression, by the expression's name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from airloom._native import Node
from airloom.polars.reading import Expression
from airloom.polars.values import WHOLE, Mask, Over, Value


@dataclass(eq=False, slots=True)
class Context:
    """Where an expression stands: over which rows its aggregates are taken."""

    over: Over = WHOLE
    #: Gives data a name, under which the program reads it.
    source: Callable[[Any], str] | None = None
    #: The rows that the expression is over, where it may make a column of other rows of them.
    relation: Node | None = None
    #: Whether these rows are surely one: its columns are then repeated for others that stand beside it.
    one_row: bool = False
    #: By offset and length, which rows of each group `slice` keeps: columns that are cut alike are as long as each other.
    slices: dict[tuple[int, int], Mask] = field(default_factory=dict)
    #: By the names of keys, which rows are the first of their groups.
    firsts: dict[tuple[str, ...], Mask] = field(default_factory=dict)
    #: By offset and step, which rows `gather_every` keeps.
    every: dict[tuple[int, int], Mask] = field(default_factory=dict)


#: Makes the value of an expression from those of its arguments, or raises `Refused` with the reason.
Maker = Callable[[Expression, Sequence[Value], Context], Value]

MAKERS: dict[str, Maker] = {}


def expression(*names: str) -> Callable[[Maker], Maker]:
    """Registers who makes the values of expressions of these names."""

    def register(maker: Maker) -> Maker:
        for name in names:
            assert name not in MAKERS, f"`{name}` is made twice"
            MAKERS[name] = maker
        return maker

    return register

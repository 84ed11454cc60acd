"""A plan of Polars as plain values: nodes and expressions with names, parameters, dtypes and what they read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import polars as pl

from airloom.ir import walk

#: The name of a node or expression that Polars does not show; its reason is the one parameter.
HIDDEN = "hidden"


@dataclass(eq=False, slots=True)
class Expression:
    """An expression over columns: `column`, `literal`, `binary.Plus`, `agg.sum`, `string.Contains` and so on; what Polars does not show is `hidden`."""

    name: str
    dtype: pl.DataType
    arguments: tuple[Expression, ...] = ()
    parameters: tuple[Any, ...] = ()


@dataclass(eq=False, slots=True)
class PlanNode:
    """A node of a plan, under Polars' own name: what it reads, the columns it makes, and its expressions by role, each under the name of its result."""

    number: int
    name: str
    inputs: tuple[PlanNode, ...]
    schema: Mapping[str, pl.DataType]
    expressions: Mapping[str, tuple[tuple[str, Expression], ...]] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Span:
    """A span of time, or of integers: months, weeks, days and nanoseconds, each counted apart; where it `counts`, the nanoseconds are a plain number."""

    months: int
    weeks: int
    days: int
    nanoseconds: int
    counts: bool
    negative: bool


@dataclass(frozen=True)
class Dynamic:
    """Groups by spans of time that follow one another."""

    index: str
    every: Span
    period: Span
    offset: Span
    label: str
    boundaries: bool
    closed: str
    start_by: str


@dataclass(frozen=True)
class Rolling:
    """Groups by a span of time, or of integers, around each row."""

    index: str
    period: Span
    offset: Span
    closed: str


@dataclass(frozen=True)
class AsOf:
    """What an as-of join is by, besides its keys."""

    strategy: str
    tolerance: Any
    tolerance_text: str | None
    left_by: tuple[str, ...]
    right_by: tuple[str, ...]
    exact: bool


def nodes(root: PlanNode) -> Iterator[PlanNode]:
    """Every node once, those that are read before those that read them."""
    return walk(root, inputs_of, number_of)


#: What a node reads, and what tells it from the others of its plan.
inputs_of, number_of = attrgetter("inputs"), attrgetter("number")

"""Plans of which only a part is translated: the greatest parts run on the engine, and Polars does the rest with their frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import polars as pl

from airloom.polars import running
from airloom.polars.reading import PlanNode, read
from airloom.polars.reading.plan import HIDDEN, nodes
from airloom.polars.translation import Translation, translate

#: Nodes that do work enough for a part to be run on its own; others only read, rename or cut.
_WORK = {"Join", "GroupBy", "Sort", "Distinct", "Filter"}


def writes(root: PlanNode) -> bool:
    """Whether a plan writes files: Polars writes several at once only where it runs the whole plan in its own way."""
    return any(node.name == "Sink" or (node.name == HIDDEN and "Sink" in node.parameters["reason"]) for node in nodes(root))


def supported(root: PlanNode, refused: frozenset[int]) -> list[PlanNode]:
    """The greatest parts of a plan in which nothing is refused and work is done, in the order in which they are read."""
    whole: dict[int, bool] = {}
    works: dict[int, bool] = {}
    for node in nodes(root):
        whole[node.number] = node.number not in refused and all(whole[below.number] for below in node.inputs)
        works[node.number] = node.name in _WORK or any(works[below.number] for below in node.inputs)
    found: list[PlanNode] = []
    seen: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node.number in seen:
            continue
        seen.add(node.number)
        if not whole[node.number]:
            stack.extend(reversed(node.inputs))
        elif works[node.number] and node.schema:
            found.append(node)
    return found


def callback_for(options: Mapping[str, Any]) -> Callable[[Any], None]:
    """What Polars calls with an optimised plan before it runs it: replaces the parts that the engine runs."""

    def replace(traverser: Any) -> None:
        root = read(traverser)
        for part in supported(root, translate(root).refused):
            translation = translate(part)
            if translation.function is not None:
                traverser.set_node(part.number)
                traverser.set_udf(partial(_frame, translation, options))
        traverser.set_node(root.number)

    return replace


def _frame(translation: Translation, options: Mapping[str, Any], with_columns: Any, predicate: Any, n_rows: Any) -> pl.DataFrame:
    """The frame of a part, as Polars calls for it: the plan was optimised before, so nothing is asked of it any more."""
    assert with_columns is None and predicate is None and n_rows is None, "a part of an optimised plan is asked for as it is"
    return running.run(translation, options)

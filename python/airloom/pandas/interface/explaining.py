"""How the data of a frame or a series that nobody has looked at yet are computed."""

from __future__ import annotations

import json
from typing import Any, Literal

from airloom import _native
from airloom._options import options
from airloom.pandas.dispatch.wrapping import is_ours
from airloom.pandas.execution import run
from airloom.pandas.internals import state
from airloom.pandas.plan.frame import Vector
from airloom.pandas.plan.lower import lower

__all__ = ["explain", "is_ours", "program"]


def explain(given: Any, analyze: bool, format: Literal["text", "json"]) -> str:
    """The program that computes an object, the rules that fired, and its physical plan; that it is in memory, where it is."""
    if not state.is_lazy(given):
        told = f"in memory: {len(given):,} rows"
        return told if format == "text" else json.dumps({"in_memory": len(given)})
    plan = state.plan_of(given)
    columns = [*([plan.column] if isinstance(plan, Vector) else plan.columns), *getattr(plan.index, "columns", ())]
    names = [str(plan.name)] if isinstance(plan, Vector) else [str(label) for label in plan.labels]
    names += [f"label {at}" for at in range(len(columns) - len(names))]
    # Labels of columns may be duplicates.
    named = {name if names.count(name) == 1 else f"{name} ({at})": column.expression for at, (name, column) in enumerate(zip(names, columns, strict=True))}
    lowered = run.lowered_as_run([(plan.rows, named)])
    return _native.explain(lowered.function, (), lowered.sources, {}, options.resolved(), analyze, format)


def program(frame: Any) -> tuple[_native.Function, dict[str, Any]]:
    """The program that makes the columns of a frame, without its index, and its sources."""
    plan = state.plan_of(frame)
    names = [str(label) for label in plan.labels]
    if len(set(names)) < len(names):
        raise ValueError("the labels of the columns are not unique")
    lowered = lower([(plan.rows, {name: column.expression for name, column in zip(names, plan.columns, strict=True)})])
    return lowered.function, dict(lowered.sources)

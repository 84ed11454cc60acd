"""How expressions are computed, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal

from airloom import _native
from airloom._options import options
from airloom.numpy import execution, forms, kernels, tiles
from airloom.numpy.execution import Step
from airloom.numpy.expressions import Apply, Slice, known
from airloom.numpy.lazy import ndarray


def explain(given: ndarray | Callable[[], Any], format: Literal["text", "json"] = "text") -> str:
    """How an array is computed: which loops there are, what each is made of, and how many arrays are made on the way.

    In place of an array it takes a function without arguments, which is called: what it computes is told.
    """
    if isinstance(given, ndarray):
        return told(planned(given), True, format)
    with execution.recorded() as steps:
        result = given()
        if isinstance(result, ndarray):
            result._leaf()
    return told(steps, isinstance(result, ndarray), format)


def planned(array: ndarray) -> list[Step]:
    """The loops that are left to be computed of an array. Nothing is computed."""
    root = known(array._expression)
    if not isinstance(root, Apply):
        return []
    formed = None if isinstance(root, Slice) else forms.form_of(root)
    if not isinstance(root, Slice) and execution.is_left_to_numpy(root, None if formed is None else formed[0], 0):
        body, _ = kernels.body_of(root)
        return [Step("numpy", (operation.name,), f"{operation.dtype} {root.shape}") for operation in body.operations]
    stops = execution.stops(root)
    computed = {id(apply) for apply in stops}
    steps = []
    for apply in stops:
        if isinstance(apply, Slice):
            continue
        if not execution.is_compiled(apply):
            names = tuple(found.name for found in tiles.inside(apply)[1])
            steps.append(Step("tiles", names, f"{apply.dtype} {apply.shape}"))
            continue
        body, inputs = kernels.body_of(apply, computed)
        kinds = ["scalar" if part.shape == () else "flat" for part in inputs]
        function = kernels.lowered(body, kinds, 1, None)
        steps.append(Step("engine", tuple(operation.name for operation in body.operations), f"{apply.dtype} {apply.shape}", function))
    return steps


def told(steps: list[Step], array: bool, format: Literal["text", "json"]) -> str:
    """Loops as text or as JSON. Every loop makes an array or a value; of the arrays, the last is the result where that is one."""
    arrays = sum(1 for step in steps if "(" in step.result)
    temporaries = max(arrays - array, 0)
    if format == "json":
        loops = [
            {
                "by": step.by,
                "operations": list(step.operations),
                "result": step.result,
                "plan": None if step.function is None else json.loads(_plan(step.function, "json")),
            }
            for step in steps
        ]
        return json.dumps({"kernels": len(steps), "temporaries": temporaries, "loops": loops})
    lines = [f"{len(steps)} {'loop' if len(steps) == 1 else 'loops'}, {temporaries} {'array' if temporaries == 1 else 'arrays'} on the way"]
    for number, step in enumerate(steps):
        lines.append(f"\n{number + 1}. {step.by}: {', '.join(step.operations) or 'read'} -> {step.result}")
        if step.function is not None:
            lines.append(step.function.graph.text().rstrip())
    return "\n".join(lines)


def _plan(function: _native.Function, format: Literal["text", "json"]) -> str:
    return _native.explain(function, (), {}, {}, options.resolved(), False, format)

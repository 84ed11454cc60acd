"""Computing expressions: which part is one loop of the engine, which is NumPy's, and what is warned of."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy

from airloom import _report as report
from airloom._native import Function
from airloom.numpy import blocks, elementwise, kernels, sizes
from airloom.numpy.elementwise import BOOL
from airloom.numpy.expressions import Apply, Expression, known
from airloom.numpy.kernels import Reduction
from airloom.numpy.layout import Loop
from airloom.numpy.layout import loop as loop_over
from airloom.numpy.memory import Leaf, leaf

#: What NumPy calls the exceptions that a loop tells of.
_EXCEPTIONS = ((1, "divide"), (2, "over"), (4, "under"), (8, "invalid"))

_OWN_BITS = "its bits are those of NumPy's own loops"


@dataclass
class Step:
    """One loop: what it makes, by whom, and of which operations."""

    by: str
    operations: tuple[str, ...]
    result: str
    function: Function | None = None
    seconds: float = 0.0


#: One thread computes at a time: another may look at the same expression. A forked process has none of its parent's threads, and a lock of its own.
_LOCK = threading.RLock()


def _reset() -> None:
    global _LOCK
    _LOCK = threading.RLock()


os.register_at_fork(after_in_child=_reset)

#: Who listens to what is computed.
_LISTENERS: list[list[Step]] = []


@contextmanager
def recorded() -> Iterator[list[Step]]:
    """The loops that run in the block."""
    steps: list[Step] = []
    _LISTENERS.append(steps)
    try:
        yield steps
    finally:
        _LISTENERS.remove(steps)


def _tell(step: Step) -> None:
    for steps in _LISTENERS:
        steps.append(step)


def value(expression: Expression) -> Any:
    """The array of NumPy's that an expression is, or its scalar. It is ours: nobody else is given it."""
    found = known(expression)
    if isinstance(found, Apply):
        return compute(found).array
    return found.array if isinstance(found, Leaf) else found


def compute(root: Apply) -> Leaf:
    """The value of an expression, which is kept."""
    with _LOCK:
        if root.value is None and sizes.is_little(root.size, root.work):
            _settled(root, _by_numpy(root))
        if root.value is None:
            for apply in stops(root):
                if apply.value is None:
                    _settled(apply, _made(apply))
        assert root.value is not None
        return root.value


def reduce(expression: Expression, reduction: Reduction) -> Any | None:
    """All elements of an expression as one value of Python; none where NumPy must say it: where it would warn, or knows better which zero it is."""
    with _LOCK:
        found = known(expression)
        if isinstance(found, Apply):
            for apply in stops(found)[:-1]:
                if apply.value is None:
                    _settled(apply, _made(apply))
            if not found.compiled:
                found = compute(found)
        result, raised = _ran(found, reduction)
        return None if raised else result


def stops(root: Apply) -> list[Apply]:
    """What is computed as an array of its own, each after what it needs; the expression itself is the last. No recursion: expressions are deep."""
    order: list[Apply] = []
    stack: list[tuple[Expression, bool]] = [(root, False)]
    seen: set[int] = set()
    own: set[int] = {id(root)}
    while stack:
        found, ready = stack.pop()
        found = known(found)
        if not isinstance(found, Apply):
            continue
        if ready:
            order.append(found)
            continue
        for part in found.inputs:
            part = known(part)
            # What NumPy computes, and what it is given, are arrays; so is what would be computed once for each row of something larger.
            if isinstance(part, Apply) and not (found.compiled and part.compiled and part.size == found.size):
                own.add(id(part))
        if id(found) not in seen:
            seen.add(id(found))
            stack.append((found, True))
            stack.extend((part, False) for part in found.inputs)
    return [apply for apply in order if id(apply) in own]


def _settled(apply: Apply, made: Any) -> Leaf:
    found = leaf(numpy.asarray(made), ours=True)
    apply.keep(found)
    return found


def _made(apply: Apply) -> Any:
    """One array, whose own inputs have been computed."""
    if not apply.compiled:
        return _alone(apply)
    made, raised = _ran(apply, None)
    # NumPy says what there is to say, and where.
    return _again(apply) if raised else made


def _alone(apply: Apply) -> Any:
    started = time.perf_counter()
    report.refused(f"numpy.{apply.name}", _OWN_BITS, "NumPy")
    made = blocks.apply(apply.function, [value(part) for part in apply.inputs], apply.dtype, apply.shape)
    seconds = time.perf_counter() - started
    report.LOG.add(f"numpy.{apply.name}", "numpy", _OWN_BITS, seconds, made.nbytes)
    _tell(Step("numpy", (apply.name,), f"{apply.dtype} {apply.shape}", None, seconds))
    return made


def _ran(root: Apply | Leaf | numpy.generic, reduction: Reduction | None) -> tuple[Any, bool]:
    """What a loop makes, and whether it raised something that NumPy would warn of."""
    started = time.perf_counter()
    body, inputs = kernels.body_of(root)
    loop = _loop(root, inputs)
    function, prepared = kernels.ready(body, loop, reduction)
    made, exceptions = prepared.run(kernels.arguments(body, loop))
    names = tuple(operation.name for operation in body.operations) + ((reduction.name,) if reduction else ())
    modes: dict[str, object] = {**numpy.geterr()} if exceptions else {}
    raised = any(exceptions & bit and modes[name] != "ignore" for bit, name in _EXCEPTIONS) and not elementwise.RAISING.isdisjoint(names)
    if reduction is None:
        flat = numpy.asarray(made)
        # A loop that gives back what it reads may give the memory that it reads.
        if not flat.flags.writeable or any(numpy.may_share_memory(flat, read.data) for read in loop.reads if read.kind != "scalar"):
            flat = flat.copy()
        made = loop.shaped(flat.view(BOOL) if body.dtype == BOOL else flat)
    seconds = time.perf_counter() - started
    size = made.nbytes if reduction is None else 0
    report.LOG.add(f"numpy.{names[-1] if names else 'copy'}", "native", "", 0.0, size)
    report.LOG.add("run", "run", "", seconds)
    result = f"{body.dtype} {root.shape}" if reduction is None else str(reduction.dtype)
    _tell(Step("engine", names, result, function, seconds))
    return made, raised


def _loop(root: Apply | Leaf | numpy.generic, inputs: list[Expression]) -> Loop:
    arrays = [part.array if isinstance(part, Leaf) else numpy.asarray(part) for part in inputs]

    def laid_out() -> tuple[int, ...]:
        if not isinstance(root, Apply):
            return arrays[0].strides
        small = {id(part): array[tuple(slice(2) for _ in array.shape)] for part, array in zip(inputs, arrays, strict=True)}
        with numpy.errstate(all="ignore"):
            strides: tuple[int, ...] = _evaluated(root, small).strides
        return strides

    return loop_over(root.shape, arrays, laid_out)


def _by_numpy(root: Apply) -> Any:
    return _evaluated(root, {})


def _again(root: Apply) -> Any:
    """An expression whose loop has raised something, by NumPy; what it warns of is said at the line that looks."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = _by_numpy(root)
    for warning in caught:
        warnings.warn(warning.message, warning.category, stacklevel=report.user_depth() + 1)
    return made


def _evaluated(root: Apply, given: dict[int, Any]) -> Any:
    """An expression, operation by operation, by NumPy; `given` holds what stands for some of its inputs."""
    made: dict[int, Any] = dict(given)
    stack: list[tuple[Expression, bool]] = [(root, False)]
    while stack:
        found, ready = stack.pop()
        found = known(found)
        if id(found) in made:
            continue
        if not isinstance(found, Apply):
            made[id(found)] = found.array if isinstance(found, Leaf) else found
        elif ready:
            made[id(found)] = found.function(*(made[id(known(part))] for part in found.inputs))
        else:
            stack.append((found, True))
            # The first input is computed first, so that warnings come in the order of the program.
            stack.extend((part, False) for part in reversed(found.inputs))
    return made[id(root)]

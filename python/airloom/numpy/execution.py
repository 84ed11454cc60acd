"""Computing expressions: which part is one loop of the engine, which is NumPy's, and what is warned of."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy

from airloom import _recording
from airloom import _report as report
from airloom._native import Function
from airloom.numpy import elementwise, forms, kernels, mapped, sizes, tiles
from airloom.numpy.elementwise import BOOL
from airloom.numpy.expressions import Along, Apply, Expression, Pieces, Slice, known, read
from airloom.numpy.kernels import Reduction
from airloom.numpy.layout import Loop
from airloom.numpy.layout import loop as loop_over
from airloom.numpy.memory import Leaf, leaf

#: What NumPy calls the exceptions that a loop tells of.
_EXCEPTIONS = ((1, "divide"), (2, "over"), (4, "under"), (8, "invalid"))

#: More uses than an operation has.
_VIEWED = 1 << 40

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
        if root.value is None:
            found = None if isinstance(root, Slice) else forms.form_of(root)
            if found is not None and is_left_to_numpy(root, found[0], 0):
                _settled(root, forms.by_numpy(*found))
            elif found is not None and found[0].compiled and _fits(root):
                made, raised = _ran(root, None, found)
                # NumPy says what there is to say, and where.
                _settled(root, _again(root) if raised else made)
            elif found is None and not isinstance(root, Slice) and is_left_to_numpy(root, None, 0):
                _settled(root, _by_numpy(root))
            else:
                uniform = found is not None and found[0].uniform and not found[0].compiled
                # Nothing else holds the operations: those that somebody will ask for are kept.
                del found
                if uniform:
                    made, raised = _tiled(root)
                    _settled(root, _again(root) if raised else made)
                else:
                    _in_order(stops(root))
        assert root.value is not None
        return root.value


def is_left_to_numpy(root: Apply, form: forms.Form | None, work: int) -> bool:
    """Whether NumPy computes an expression, operation by operation, and what is made of it by so much work for each element."""
    if root.size == 0:
        return True
    if form is not None and form.compiled:
        return sizes.is_little(root.span, root.work + work, form.width)
    return sizes.is_little_for_tiles(root.span, root.work + work, root.dtype.itemsize)


def _in_order(applies: Sequence[Apply]) -> None:
    for apply in applies:
        if apply.value is None:
            _settled(apply, _by_numpy(apply) if _is_small(apply) else _made(apply))


def _fits(root: Apply) -> bool:
    """Whether the array that an expression is fits in memory."""
    return root.size * root.dtype.itemsize <= mapped.limit() // mapped.SHARE


def reduce(expression: Expression, reduction: Reduction) -> Any | None:
    """All elements of an expression as one value of Python; none where NumPy must say it: where it would warn, or knows better which zero it is."""
    with _LOCK:
        found = known(expression)
        if isinstance(found, Apply):
            formed = None if isinstance(found, Slice) else forms.form_of(found)
            if formed is not None and formed[0].compiled and _fits(found) and not any(isinstance(part, Leaf) and part.buffer.streams() for part in formed[2]):
                result, raised = _ran(found, reduction, formed)
                return None if raised else result
            del formed
            _in_order(stops(found)[:-1])
            found = known(found)
        if isinstance(found, Leaf) and found.buffer.streams():
            found = read(found)
        if isinstance(found, Apply) and not is_compiled(found):
            folded = _folded(found, reduction)
            if folded is not None:
                result, raised = folded
                return None if raised else result
            found = compute(found)
        result, raised = _ran(found, reduction)
        return None if raised else result


def _is_small(root: Apply) -> bool:
    """Whether what is left of an expression has few elements, once what it reads has been computed."""
    stack, seen = [root], {id(root)}
    while stack:
        found = stack.pop()
        if isinstance(found, Slice) or found.size > sizes.SMALL:
            return False
        for part in map(known, found.inputs):
            if isinstance(part, Apply) and id(part) not in seen:
                seen.add(id(part))
                stack.append(part)
            elif isinstance(part, Leaf) and part.size > sizes.SMALL:
                return False
    return True


def is_compiled(root: Apply) -> bool:
    """Whether an expression is a loop of the engine: all operations of the same number of elements are, and nothing else reads as many that could be read in the same loop.

    Tiles read files a part at a time, and write to one what does not fit in memory.
    """
    if not _fits(root):
        return False
    stack, seen = [root], {id(root)}
    while stack:
        found = stack.pop()
        if not found.compiled:
            return False
        for part in map(known, found.inputs):
            if isinstance(part, Leaf) and part.buffer.streams():
                return False
            if not isinstance(part, Apply) or id(part) in seen:
                continue
            seen.add(id(part))
            if part.size == root.size:
                stack.append(part)
            elif part.span >= root.size and tiles.is_inside(found, part):
                return False
    return True


def _before(root: Apply) -> list[Apply]:
    """What the loop of an expression reads, and is computed as an array of its own before."""
    if isinstance(root, Slice):
        return [part for part in root.inputs if isinstance(part, Apply)]
    if not is_compiled(root):
        return tiles.inside(root)[2]
    found: list[Apply] = []
    stack, seen = [root], {id(root)}
    while stack:
        for part in map(known, stack.pop().inputs):
            if isinstance(part, Apply) and id(part) not in seen:
                seen.add(id(part))
                # What would be computed once for each row of something larger is an array.
                (stack if part.size == root.size else found).append(part)
    return found


def stops(root: Apply) -> list[Apply]:
    """What is computed as an array of its own, each after what it needs; the expression itself is the last. No recursion: expressions are deep."""
    order: list[Apply] = []
    stack: list[tuple[Apply, bool]] = [(root, False)]
    seen: set[int] = set()
    while stack:
        found, ready = stack.pop()
        if ready:
            order.append(found)
        elif id(found) not in seen:
            seen.add(id(found))
            stack.append((found, True))
            stack.extend((part, False) for part in _before(found))
    return order


def _settled(apply: Apply, made: Any) -> Leaf:
    if type(made) is numpy.ndarray and made.base is None and type(apply.function) is numpy.ufunc:
        # A function of elements makes a new array: nobody else knows of it yet.
        found = Leaf(made)
        if made.nbytes > mapped.COUNTED:
            found.held = mapped.InMemory(made.nbytes)
        apply.keep(found)
        return found
    found = leaf(numpy.asarray(made), ours=True)
    if found.array.nbytes > mapped.COUNTED and not isinstance(apply, Slice) and mapped.map_of(found.buffer.owner) is None:
        found.buffer.held = mapped.InMemory(found.array.nbytes)
    apply.keep(found)
    return found


def _made(apply: Apply) -> Any:
    """One array, whose own inputs have been computed."""
    if isinstance(apply, Slice):
        base = known(apply.inputs[0])
        assert isinstance(base, Leaf), "what a slice is of has been computed before"
        return base.array[apply.key]
    if isinstance(apply, Pieces):
        return apply.function()
    made, raised = _ran(apply, None) if is_compiled(apply) else _tiled(apply)
    # NumPy says what there is to say, and where.
    return _again(apply) if raised else made


def _tiled(apply: Apply) -> tuple[Any, bool]:
    """An array by a loop over tiles, and whether something was raised that NumPy would warn of."""
    started = time.perf_counter()
    accumulates = isinstance(apply, Along) and 0 in apply.axes
    root = apply.inputs[0] if accumulates else apply
    assert isinstance(root, Apply), "a reduction of rows is of an expression"
    try:
        program = tiles.program(root, None if accumulates else lambda: _laid_out(root))
    except tiles.NotTiled:
        _report(_operations(apply), started, apply.size * apply.dtype.itemsize, f"{apply.dtype} {apply.shape}", "numpy")
        return _again(apply), False
    _report([step.apply for step in program.steps] + ([apply] if accumulates else []), None, 0, "", "")
    made, raised = tiles.accumulated(apply, program) if isinstance(apply, Along) and accumulates else tiles.elements(apply, program)
    _warn(program.warned)
    if _recording.ACTIVE and program.is_flat:
        _record(apply, made)
    _keep(program, raised)
    _report([step.apply for step in program.steps] + ([apply] if accumulates else []), started, made.nbytes, f"{apply.dtype} {apply.shape}", "tiles")
    return made, raised


def _record(root: Apply, made: numpy.ndarray[Any, Any]) -> None:
    """Notes a loop over tiles by the function of the graph that it is, where all of its operations have ops there."""
    order = tiles.inside(root)[1]
    if all(apply.compiled or isinstance(apply, Pieces) for apply in order):
        body, inputs = kernels.body_of(root, {id(apply) for apply in order if isinstance(apply, Pieces)})
        kinds = ["scalar" if part.size == 1 else "flat" for part in inputs]
        given: list[Any] = [part.array.reshape(-1) if isinstance(part, Leaf) else part for part in inputs]
        arguments = tuple(part[0] if kind == "scalar" and not isinstance(part, numpy.generic) else part for kind, part in zip(kinds, given, strict=True))
        _recording.note(_recording.Part("tiles", kernels.lowered(body, kinds, 1, None), (root.size, *arguments), {}, [(made, ())]))


def _folded(found: Apply, reduction: Reduction) -> tuple[Any, bool] | None:
    """A reduction by a loop over tiles; none where its elements must be in memory before."""
    started = time.perf_counter()
    if isinstance(found, (Slice, Along)) or reduction.name == "prod":
        return None
    try:
        program = tiles.program(found, lambda: _laid_out(found))
    except tiles.NotTiled:
        return None
    if reduction.name == "sum" and reduction.dtype.kind == "f" and (program.axes is not None or not (program.is_flat or len(found.shape) == 1)):
        return None
    applies = [step.apply for step in program.steps]
    _report(applies, None, 0, "", "")
    made, raised = tiles.folded(reduction.name, reduction.dtype, program)
    _warn(program.warned)
    _keep(program, raised)
    _report(applies, started, 0, str(reduction.dtype), "tiles", reduction)
    return made, raised


def _keep(program: tiles.Program, raised: bool) -> None:
    """What somebody else will ask for has been computed on the way."""
    for step in program.steps:
        if step.kept is not None and not raised:
            _settled(step.apply, step.kept.reshape(step.apply.shape))


def _operations(root: Apply) -> list[Apply]:
    rows, order, apart = tiles.inside(root)
    return order


def _report(applies: list[Apply], started: float | None, size: int, result: str, by: str, reduction: Reduction | None = None) -> None:
    """Says of which functions the bits are NumPy's: before they run, where that may be forbidden, and after."""
    own = [apply for apply in applies if not apply.compiled and not isinstance(apply, (Slice, Pieces))]
    if started is None:
        for apply in own:
            report.refused(f"numpy.{apply.name}", _OWN_BITS, "NumPy")
        return
    seconds = time.perf_counter() - started
    for number, apply in enumerate(own):
        report.LOG.add(f"numpy.{apply.name}", "numpy", _OWN_BITS, seconds if number == 0 else 0.0, size)
    if reduction is not None:
        report.LOG.add(f"numpy.{reduction.name}", "native", "", 0.0, 0)
    names = tuple(apply.name for apply in applies) + ((reduction.name,) if reduction else ())
    _tell(Step(by, names, result, None, seconds))


def _ran(root: Apply | Leaf | numpy.generic, reduction: Reduction | None, formed: tuple[forms.Form, list[Apply], list[Expression]] | None = None) -> tuple[Any, bool]:
    """What a loop makes, and whether it raised something that NumPy would warn of."""
    started = time.perf_counter()
    flat_loop = None if formed is None else forms.flat_loop(root, formed[2])
    if formed is not None and flat_loop is not None:
        body, (loop, kinds, arguments) = formed[0].body, flat_loop
        function, prepared = formed[0].ready(loop, kinds, reduction)
    else:
        body, inputs = kernels.body_of(root)
        loop = _loop(root, inputs)
        function, prepared = kernels.ready(body, loop, reduction)
        arguments = kernels.arguments(body, loop)
    made, exceptions = prepared.run(arguments)
    names = tuple(operation.name for operation in body.operations) + ((reduction.name,) if reduction else ())
    modes: dict[str, object] = {**numpy.geterr()} if exceptions else {}
    raised = any(exceptions & bit and modes[name] != "ignore" for bit, name in _EXCEPTIONS) and not elementwise.RAISING.isdisjoint(names)
    if reduction is None:
        flat = numpy.asarray(made)
        # A loop that gives back what it reads may give the memory that it reads.
        if not flat.flags.writeable or any(numpy.may_share_memory(flat, read.data) for read in loop.reads if read.kind != "scalar"):
            flat = flat.copy()
        if _recording.ACTIVE:
            _recording.note(_recording.Part("engine", function, arguments, {}, [(flat, ())]))
        made = loop.shaped(flat.view(BOOL) if body.dtype == BOOL else flat)
    elif _recording.ACTIVE:
        _recording.note(_recording.Part("engine", function, arguments, {}))
    seconds = time.perf_counter() - started
    size = made.nbytes if reduction is None else 0
    line = report.user_line()
    report.LOG.add(f"numpy.{names[-1] if names else 'copy'}", "native", "", 0.0, size, line)
    report.LOG.add("run", "run", "", seconds, line=line)
    if _LISTENERS:
        result = f"{body.dtype} {root.shape}" if reduction is None else str(reduction.dtype)
        _tell(Step("engine", names, result, function, seconds))
    return made, raised


def _loop(root: Apply | Leaf | numpy.generic, inputs: list[Expression]) -> Loop:
    arrays = [part.array if isinstance(part, Leaf) else numpy.asarray(part) for part in inputs]
    return loop_over(root.shape, arrays, lambda: _laid_out(root) if isinstance(root, Apply) else arrays[0].strides)


def _laid_out(root: Apply) -> tuple[int, ...]:
    """The strides of what NumPy makes of the first elements along each axis of all that an expression reads."""
    _, inputs = kernels.body_of(root)
    small = {id(part): part.array[tuple(slice(2) for _ in part.shape)] for part in inputs if isinstance(part, Leaf)}
    with numpy.errstate(all="ignore"):
        strides: tuple[int, ...] = _evaluated(root, small).strides
    return strides


def _by_numpy(root: Apply) -> Any:
    return _evaluated(root, {})


def _again(root: Apply) -> Any:
    """An expression whose loop has raised something, by NumPy; what it warns of is said at the line that looks."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = _by_numpy(root)
    _warn(caught)
    return made


def _warn(caught: Sequence[warnings.WarningMessage]) -> None:
    """Says what NumPy has warned of at the line of the program that looks."""
    for warning in caught:
        warnings.warn(warning.message, warning.category, stacklevel=report.user_depth() + 1)


def _evaluated(root: Apply, given: dict[int, Any]) -> Any:
    """An expression, operation by operation, by NumPy; `given` holds what stands for some of its inputs."""
    made: dict[int, Any] = dict(given)
    order: list[Apply] = []
    #: How many operations are still to read what an operation has made.
    uses: dict[int, int] = {}
    stack: list[tuple[Expression, bool]] = [(root, False)]
    while stack:
        found, ready = stack.pop()
        found = known(found)
        if id(found) in made:
            continue
        if not isinstance(found, Apply):
            made[id(found)] = found.array if isinstance(found, Leaf) else found
        elif ready:
            made[id(found)] = None
            order.append(found)
        elif id(found) not in uses:
            uses[id(found)] = 0
            stack.append((found, True))
            # The first input is computed first, so that warnings come in the order of the program.
            stack.extend((part, False) for part in reversed(found.inputs))
    for apply in order:
        for part in map(known, apply.inputs):
            if id(part) in uses:
                # A slice is a view: as long as it is read, so is what it is a slice of, and nobody counts that.
                uses[id(part)] += 1 if isinstance(apply.function, numpy.ufunc) else _VIEWED
    for apply in order:
        parts = [known(part) for part in apply.inputs]
        values = [made[id(part)] for part in parts]
        out = None
        for part, value in zip(parts, values, strict=True):
            if id(part) in uses:
                uses[id(part)] -= 1
                # What nobody else will read is where the result goes, as NumPy has it for expressions: a new array takes longer than the operation.
                if uses[id(part)] == 0 and part.dtype == apply.dtype and part.shape == apply.shape and isinstance(part, Apply) and isinstance(part.function, numpy.ufunc):
                    out = value
        if out is not None and type(out) is numpy.ndarray and isinstance(apply.function, numpy.ufunc):
            made[id(apply)] = apply.function(*values, out=out)
        else:
            made[id(apply)] = apply.function(*values)
        del values, out
        for part in parts:
            if uses.get(id(part)) == 0:
                made[id(part)] = None
    return made[id(root)]

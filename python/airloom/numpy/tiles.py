"""One loop for operations that are NumPy's own: its functions compute a tile of rows after the other, on every thread, so that what lies between them stays in the cache.

A row is an element of the first axis. Operations on elements and reductions along other axes need the same rows of what they are made of, slices need some before or after: every operation
is computed for as many rows of a tile as others ask of it. Bits are NumPy's, because its loops compute them, and each element, and each row that is reduced, is computed as in the whole array.
"""

from __future__ import annotations

import functools
import math
import mmap
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy

from airloom._options import options
from airloom.numpy import mapped
from airloom.numpy.expressions import REDUCTIONS, Along, Apply, Pieces, Slice, known
from airloom.numpy.memory import Leaf

#: How many bytes the rows of a tile take, with all that is computed of them: they stay in the cache of a core, or near it.
CACHE = 1 << 21
#: How many elements NumPy adds up without cutting them in halves: a tile of an array of one axis has no fewer.
LEAST = 128

#: Functions that one thread may call at a time.
SERIAL: set[numpy.ufunc] = set()

_POOL: dict[tuple[int, int], ThreadPoolExecutor] = {}


class NotTiled(Exception):
    """NumPy computes an expression operation by operation: the layout of its arrays says in which order it reduces."""


@dataclass(frozen=True)
class Rows:
    """The rows of an operation that a tile needs, which has the rows from `r` to `s`: those from `scale * r + low` to `scale * s + high`."""

    scale: int
    low: int
    high: int

    def under(self, cut: Slice) -> Rows:
        """What is needed of an expression for these rows of a slice of it."""
        return Rows(self.scale * cut.step, cut.start + cut.step * self.low, cut.start + cut.step * (self.high - 1) + 1)

    def joined(self, other: Rows) -> Rows | None:
        """Both, where the same rows are read for every tile."""
        if self.scale != other.scale:
            return None
        return Rows(self.scale, min(self.low, other.low), max(self.high, other.high))


def is_inside(consumer: Apply, part: Apply) -> bool:
    """Whether an operation is computed in the loop of one that reads it: row by row."""
    if isinstance(part, Along) and 0 in part.axes:
        return False
    if isinstance(consumer, (Slice, Along)):
        return True
    return 0 < len(part.shape) == len(consumer.shape) and part.shape[0] == consumer.shape[0]


def inside(root: Apply) -> tuple[dict[int, Rows], list[Apply], list[Apply]]:
    """The rows that a loop needs of each of its operations, the operations in their order, and what is computed before as arrays of their own."""
    elements = _of_elements(root)
    if elements is not None:
        return dict.fromkeys(map(id, elements), Rows(1, 0, 0)), elements, []
    before: dict[int, Apply] = {}
    while True:
        order: list[Apply] = []
        apart: dict[int, Apply] = {}
        seen: set[int] = set()
        stack: list[tuple[Apply, bool]] = [(root, False)]
        while stack:
            found, ready = stack.pop()
            if ready:
                order.append(found)
            elif id(found) not in seen:
                seen.add(id(found))
                stack.append((found, True))
                for part in map(known, reversed(found.inputs)):
                    if isinstance(part, Apply):
                        if id(part) in before or not is_inside(found, part):
                            apart[id(part)] = part
                        else:
                            stack.append((part, False))
        # What one reads row by row and another as a whole is an array.
        doubled = {key: part for key, part in apart.items() if key in seen}
        if doubled:
            before.update(doubled)
            continue
        rows: dict[int, Rows] = {id(root): Rows(1, 0, 0)}
        clash = None
        for found in reversed(order):
            own = rows[id(found)]
            for part in map(known, found.inputs):
                if isinstance(part, Apply) and id(part) not in apart:
                    wanted = own.under(found) if isinstance(found, Slice) else own
                    joined = wanted if id(part) not in rows else rows[id(part)].joined(wanted)
                    if joined is None:
                        clash = part
                        break
                    rows[id(part)] = joined
            if clash is not None:
                break
        if clash is None:
            return rows, order, list(apart.values())
        # What one reads row by row and another every second row is an array, too.
        before[id(clash)] = clash


def _of_elements(root: Apply) -> list[Apply] | None:
    """The operations of an expression in their order, where all are of elements, and make as many of them."""
    order: list[Apply] = []
    seen: set[int] = set()
    stack = [root]
    while stack:
        found = stack[-1]
        waits = False
        if id(found) not in seen:
            if type(found) is not Apply or found.shape != root.shape:
                return None
            for part in found.inputs[::-1]:
                if isinstance(part, Apply) and part.value is None and id(part) not in seen:
                    stack.append(part)
                    waits = True
            if not waits:
                seen.add(id(found))
                order.append(found)
        if not waits:
            stack.pop()
    return order


@dataclass
class Step:
    """One operation of a loop: how its inputs are found in a tile, and where its result goes."""

    apply: Apply
    rows: Rows
    #: The number of a step (`step`), or an array whose rows are read (`rows`), or that is read whole (`whole`).
    inputs: list[tuple[str, Any]] = field(default_factory=list)
    #: Which buffer it writes to, where its function can.
    buffer: int | None = None
    #: An array for all of its rows, where somebody else will ask for them.
    kept: numpy.ndarray[Any, Any] | None = None


class Memory:
    """What a thread works in: its buffers, and the number of the step that it is at."""

    __slots__ = ("buffers", "step")

    def __init__(self, buffers: list[numpy.ndarray[Any, Any]]) -> None:
        self.buffers = buffers
        self.step = 0


@dataclass
class Program:
    """A loop over tiles."""

    steps: list[Step]
    #: The shape of what is computed in the order of the loop, and which axis of that each axis of the result is.
    shape: tuple[int, ...]
    axes: tuple[int, ...] | None
    #: Whether all axes are one.
    is_flat: bool
    #: How many rows there are, and how many a tile has.
    count: int
    tile: int
    #: The dtype of each buffer and the shape of its rows, and how many rows it has.
    buffers: list[tuple[numpy.dtype[Any], tuple[int, ...]]]
    capacity: int
    #: Arrays in files whose rows are read, or kept: pages of them are in memory as long as a tile needs them.
    files: list[tuple[mmap.mmap, numpy.ndarray[Any, Any], Rows]] = field(default_factory=list)
    #: What NumPy warns of, where it need not compute everything again to say it.
    warned: list[warnings.WarningMessage] = field(default_factory=list)

    def memory(self) -> Memory:
        """Buffers for one thread, with one row more than is needed, before the first."""
        return Memory([numpy.empty((self.capacity + 1, *extents), dtype) for dtype, extents in self.buffers])

    def forget(self, first: int, last: int) -> None:
        """Lets go of the pages of files that the rows of a tile were in."""
        for file, array, rows in self.files:
            mapped.forget(file, array[rows.scale * first + rows.low : rows.scale * last + rows.high])

    def evaluate(self, memory: Memory, first: int, last: int, out: numpy.ndarray[Any, Any] | None) -> Any:
        """The rows of the last operation, written to `out` where that is given."""
        values: list[Any] = []
        begins: list[int] = []
        for memory.step, step in enumerate(self.steps):
            rows, apply = step.rows, step.apply
            begin, end = rows.scale * first + rows.low, rows.scale * last + rows.high
            if isinstance(apply, Pieces):
                value = apply.rows(begin, end)
            elif isinstance(apply, Slice):
                ((_, number),) = step.inputs
                low = apply.start + apply.step * begin - begins[number]
                value = values[number][(slice(low, low + apply.step * (end - begin - 1) + 1, apply.step), *apply.key[1:])]
            else:
                given = [
                    what if kind == "whole" else what[begin:end] if kind == "rows" else _part(values[what], begin - begins[what], end - begin) for kind, what in step.inputs
                ]
                value = self._applied(step, given, memory.buffers, begin, end, out if step is self.steps[-1] else None)
            values.append(value)
            begins.append(begin)
        # What is done with these rows is one more step.
        memory.step = len(self.steps)
        return values[-1]

    def _applied(self, step: Step, given: list[Any], memory: Sequence[Any], begin: int, end: int, out: Any) -> Any:
        function = step.apply.function
        target = out if out is not None else step.kept[begin:end] if step.kept is not None else None
        if isinstance(function, numpy.ufunc):
            return function(*given, out=target if target is not None or step.buffer is None else memory[step.buffer][1 : end - begin + 1])
        value = function(*given)
        if target is not None:
            target[...] = value
        return value


def _part(value: Any, offset: int, count: int) -> Any:
    return value if offset == 0 and len(value) == count else value[offset : offset + count]


def _references(items: list[Any], at: int) -> int:
    return sys.getrefcount(items[at])


#: How many references there are to what nobody but a list holds.
_ALONE = _references([object()], 0)


def _is_held(order: list[Apply], at: int) -> bool:
    """Whether an operation that is worth keeping is asked for by somebody else than the operations of a loop."""
    if order[at].compiled or isinstance(order[at], (Slice, Pieces)):
        return False
    consumers = {id(consumer): consumer for reference in order[at].consumers if (consumer := reference()) is not None}
    if not consumers.keys() <= {id(found) for found in order}:
        return True
    reads = sum(sum(part is order[at] for part in consumer.inputs) for consumer in consumers.values())
    return _references(order, at) > _ALONE + reads


def program(root: Apply, laid_out: Callable[[], tuple[int, ...]] | None) -> Program:
    """The loop of an expression whose other parts have been computed. `laid_out` gives the strides of a small result, where it depends on the layout of arrays; without it, rows stay
    rows of the first axis."""
    rows, order, apart = inside(root)
    assert not apart, "what a loop reads has been computed before"
    # By numbers: a name would be one more that holds an operation.
    held = [rows[id(order[at])] == Rows(1, 0, 0) and order[at] is not root and _is_held(order, at) for at in range(len(order))]
    leaves = [part.array for found in order for part in map(known, found.inputs) if isinstance(part, Leaf)]
    is_uniform = laid_out is not None and all(not isinstance(found, (Slice, Along)) and found.shape == root.shape for found in order)
    if not is_uniform and not all(map(_lies_in_order, leaves)):
        raise NotTiled
    axes: tuple[int, ...] = tuple(range(len(root.shape)))
    if laid_out is not None and is_uniform and not all(array.flags.c_contiguous for array in leaves):
        strides = laid_out()
        axes = tuple(sorted(axes, key=lambda axis: -abs(strides[axis]) if root.shape[axis] > 1 else 0))
    moved = {id(array): _moved(array, root.shape, axes) if is_uniform and array.size != 1 else array for array in leaves}
    shape = tuple(root.shape[axis] for axis in axes)
    is_flat = is_uniform and all(array.size == 1 or (array.flags.c_contiguous and array.shape == shape) for array in moved.values())
    steps: list[Step] = []
    numbers: dict[int, int] = {}
    for found, own in zip(order, held, strict=True):
        step = Step(found, rows[id(found)])
        for part in map(known, found.inputs):
            if isinstance(part, Apply):
                step.inputs.append(("step", numbers[id(part)]))
            elif isinstance(part, Leaf):
                step.inputs.append(_of_leaf(moved[id(part.array)], found, shape if is_uniform else found.shape, is_flat))
            else:
                step.inputs.append(("whole", part))
        if own and axes == tuple(range(len(root.shape))):
            step.kept = mapped.empty(found.shape, found.dtype)
            if is_flat:
                step.kept = step.kept.reshape(-1)
        numbers[id(found)] = len(steps)
        steps.append(step)
    rest = [() if is_flat else shape[1:] if is_uniform else found.shape[1:] for found in order]
    count = math.prod(shape) if is_flat else shape[0]
    inverse = tuple(axes.index(axis) for axis in range(len(axes)))
    made = Program(steps, shape, None if inverse == tuple(range(len(axes))) else inverse, is_flat, count, 1, [], 0)
    _share_buffers(made, rest)
    scale, halo = max(own.scale for own in rows.values()), max(own.high - own.low for own in rows.values())
    made.tile = _rows_of_tile(made, root, scale)
    made.capacity = made.tile * scale + max(halo, 0)
    for step in made.steps:
        arrays = [what for kind, what in step.inputs if kind == "rows"] + ([step.kept] if step.kept is not None else [])
        made.files.extend((file, array, step.rows) for array in arrays if (file := mapped.file_of(array)) is not None)
    return made


def _rows_of_tile(made: Program, root: Apply, scale: int) -> int:
    """How many rows a tile has: as many as the cache holds, but enough tiles for every thread."""
    read: int = sum(what[:1].nbytes for step in made.steps for kind, what in step.inputs if kind == "rows")
    written = sum(math.prod(extents) * dtype.itemsize for dtype, extents in made.buffers) + (root.dtype.itemsize if made.is_flat else math.prod(root.shape[1:]) * root.dtype.itemsize)
    held = CACHE // max(1, (read + written) * scale)
    threads: int = options.resolved()["threads"]
    shared = -(-made.count // (2 * threads))
    least = LEAST if made.is_flat or len(made.shape) == 1 else 1
    return max(least, min(held, max(shared, LEAST)) // least * least)


def _moved(array: numpy.ndarray[Any, Any], shape: tuple[int, ...], axes: tuple[int, ...]) -> numpy.ndarray[Any, Any]:
    return array if array.shape == shape and axes == tuple(range(len(shape))) else numpy.broadcast_to(array, shape).transpose(axes)


def _of_leaf(array: numpy.ndarray[Any, Any], consumer: Apply, shape: tuple[int, ...], is_flat: bool) -> tuple[str, Any]:
    """How an array is read: row by row where it has rows, else as a whole, for every tile."""
    if isinstance(consumer, Along):
        return "rows", array
    if array.size == 1:
        return "whole", array.reshape((1,) * (1 if is_flat else len(shape)))
    if is_flat:
        return "rows", array.reshape(-1)
    return "rows" if array.ndim == len(shape) and array.shape[0] == shape[0] else "whole", array


def _lies_in_order(array: numpy.ndarray[Any, Any]) -> bool:
    """Whether NumPy lays what it makes of an array out in C's order, and reduces it so: its axes are in the order of their strides."""
    strides = [stride for stride, extent in zip(array.strides, array.shape, strict=True) if extent > 1]
    return array.flags.aligned and all(stride >= 0 for stride in strides) and strides == sorted(strides, reverse=True)


def _share_buffers(made: Program, rest: list[tuple[int, ...]]) -> None:
    """Gives each operation a buffer that no other one needs at that time. A slice is a view of the buffer of what it is a slice of."""
    last: dict[int, int] = {}
    holds = list(range(len(made.steps)))
    for number, step in enumerate(made.steps):
        for kind, what in step.inputs:
            if kind == "step":
                last[holds[what]] = number
                if isinstance(step.apply, Slice):
                    holds[number] = holds[what]
    free: dict[Any, list[int]] = {}
    for number, step in enumerate(made.steps):
        if isinstance(step.apply.function, numpy.ufunc) and step.kept is None:
            key = (step.apply.dtype, rest[number])
            if not free.get(key):
                free.setdefault(key, []).append(len(made.buffers))
                made.buffers.append(key)
            step.buffer = free[key].pop()
        for other in [other for other, end in last.items() if end == number]:
            buffer = made.steps[other].buffer
            if buffer is not None:
                free[made.buffers[buffer]].append(buffer)


Work = Callable[[Memory, int, int], Any]


def over_tiles(made: Program, work: Work, tiles: Sequence[tuple[int, int]], again: Work, serial: bool = False, in_file: bool = False) -> bool:
    """Calls a function with buffers and the rows of each tile, on every thread. Whether something was raised that NumPy would have told of, and must compute everything again to tell.

    Of files, only one tile is computed again for each thing that was raised: by `again`, which does nothing but compute.
    """
    raised: dict[tuple[int, str], tuple[int, int]] = {}
    left = iter(tiles)

    def run() -> None:
        memory = made.memory()
        at = (0, 0)
        # What is raised here would be warned of once a tile, by a thread that has its own settings.
        with numpy.errstate(all="call", call=lambda kind, _flag: raised.setdefault((memory.step, kind), at)):
            for at in left:
                work(memory, *at)
                made.forget(*at)

    threads = 1 if serial or any(step.apply.function in SERIAL for step in made.steps) else min(options.resolved()["threads"], len(tiles))
    if threads < 2:
        run()
    else:
        for done in [_pool(threads).submit(run) for _ in range(threads)]:
            done.result()
    told = {tile for (_, kind), tile in sorted(raised.items()) if matters(kind)}
    if not told or not (in_file or made.files):
        return bool(told)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        memory = made.memory()
        for first, last in sorted(told):
            again(memory, first, last)
    made.warned = list({str(warning.message): warning for warning in caught}.values())
    return False


def matters(kind: str) -> bool:
    """Whether the settings of this thread say that an exception is told."""
    modes: dict[str, object] = {**numpy.geterr()}
    name = {"divide by zero": "divide", "overflow": "over", "underflow": "under", "invalid value": "invalid"}[kind]
    return modes[name] != "ignore"


def _pool(threads: int) -> ThreadPoolExecutor:
    key = (os.getpid(), threads)
    if key not in _POOL:
        # A forked process has none of its parent's threads.
        for old in [old for old in _POOL if old[0] != key[0]]:
            del _POOL[old]
        _POOL[key] = ThreadPoolExecutor(threads, thread_name_prefix="airloom-numpy")
    return _POOL[key]


def _spans(made: Program) -> list[tuple[int, int]]:
    return [(first, min(first + made.tile, made.count)) for first in range(0, made.count, made.tile)]


def elements(root: Apply, made: Program) -> tuple[Any, bool]:
    """An array, row by row, and whether something was raised."""
    result = mapped.empty(made.shape, root.dtype)
    whole = result.reshape(-1) if made.is_flat else result
    file = mapped.file_of(result)

    def work(memory: Memory, first: int, last: int) -> None:
        made.evaluate(memory, first, last, whole[first:last])
        if file is not None:
            mapped.forget(file, whole[first:last])

    raised = over_tiles(made, work, _spans(made), lambda memory, first, last: made.evaluate(memory, first, last, None), in_file=file is not None)
    return result if made.axes is None else result.transpose(made.axes), raised


def accumulated(root: Along, made: Program) -> tuple[Any, bool]:
    """A reduction along the first axis of what a program makes, one tile after the other, as NumPy goes over rows; and whether something was raised."""
    so_far: list[Any] = []
    combine = REDUCTIONS[root.name]
    in_place = root.dtype == root.operands[0]

    def work(memory: Memory, first: int, last: int) -> None:
        value = made.evaluate(memory, first, last, None)
        buffer = made.steps[-1].buffer
        if so_far and in_place:
            # What was combined so far stands before the rows of this tile, as it would in the whole array.
            value = memory.buffers[buffer][: last - first + 1] if buffer is not None else numpy.concatenate([so_far[0][None], value])
            value[0] = so_far[0]
        found = combine.reduce(value, axis=0)
        so_far[:] = [found if in_place or not so_far else combine(so_far[0], found)]

    raised = over_tiles(made, work, _spans(made), lambda memory, first, last: combine.reduce(made.evaluate(memory, first, last, None), axis=0), serial=True)
    return so_far[0].reshape(root.shape), raised


def folded(name: str, dtype: numpy.dtype[Any], made: Program) -> tuple[Any, bool]:
    """All elements of what a program makes as one value, and whether something was raised. Floats are added up in NumPy's order: in halves of halves."""
    combine = REDUCTIONS[name]
    tiles = _halves(0, made.count, made.tile) if name == "sum" and dtype.kind == "f" else _spans(made)
    found: dict[int, Any] = {}

    def work(memory: Memory, first: int, last: int) -> None:
        found[first] = combine.reduce(made.evaluate(memory, first, last, None), axis=None)

    raised = over_tiles(made, work, tiles, lambda memory, first, last: combine.reduce(made.evaluate(memory, first, last, None), axis=None))
    told: list[str] = []
    with numpy.errstate(all="call", call=lambda kind, _flag: told.append(kind)):
        if name == "sum" and dtype.kind == "f":
            total = _added(found, 0, made.count, made.tile)
        else:
            total = functools.reduce(combine, (found[first] for first, _ in tiles))
    return total, raised or any(map(matters, told))


def _half(count: int) -> int:
    """How many of `count` elements NumPy adds up before it adds up the others."""
    return count // 2 - count // 2 % 8


def _halves(first: int, count: int, most: int) -> list[tuple[int, int]]:
    if count <= most:
        return [(first, first + count)]
    half = _half(count)
    return [*_halves(first, half, most), *_halves(first + half, count - half, most)]


def _added(found: dict[int, Any], first: int, count: int, most: int) -> Any:
    if count <= most:
        return found[first]
    half = _half(count)
    return _added(found, first, half, most) + _added(found, first + half, count - half, most)


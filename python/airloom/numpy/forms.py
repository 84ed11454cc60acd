"""Forms of expressions: what is decided of one expression holds for all that are made of the same operations, whatever their arrays are."""

from __future__ import annotations

from typing import Any

import numpy

from airloom._native import Function, Prepared
from airloom._options import options
from airloom.numpy import kernels
from airloom.numpy.elementwise import BOOL, RAISING
from airloom.numpy.expressions import Apply, Expression, Pieces
from airloom.numpy.kernels import Body, Operation, Reduction
from airloom.numpy.layout import Loop, Read
from airloom.numpy.memory import Leaf

#: How many forms are kept.
_MOST = 256
#: More uses than an operation has.
_VIEWED = 1 << 40


class Form:
    """The operations of an expression, each after those that it needs. Values are numbered: what the expression reads, then what each operation makes."""

    __slots__ = ("body", "compiled", "names", "prepared", "raising", "steps", "uniform", "width")

    def __init__(self, order: list[Apply], inputs: list[Expression], given: list[tuple[int, ...]], shapes: list[int]) -> None:
        #: For NumPy, of each operation: the numbers of its inputs, that of the value whose memory its result takes (none below zero), and those that nobody reads after it.
        self.steps = _steps(order, len(inputs), given, shapes)
        #: Whether all operations are of elements, and make as many of them: they are one loop.
        self.uniform = not any(shapes) and all(type(apply) is Apply for apply in order)
        #: Whether it is a loop of the engine: it has ops for them.
        self.compiled = self.uniform and all(apply.compiled for apply in order)
        #: How many bytes an element has of what it reads, at most.
        self.width = max((part.dtype.itemsize for part in inputs), default=1)
        self.names = tuple(apply.name for apply in order)
        self.raising = not RAISING.isdisjoint(self.names)
        operations = [Operation(apply.name, apply.operands, apply.dtype, numbers) for apply, numbers in zip(order, given, strict=True)] if self.compiled else []
        self.body = Body(tuple(part.dtype for part in inputs), tuple(operations))
        #: Loops that were made ready, by the kinds of what they read and by what they reduce; each with the options that it was made ready for.
        self.prepared: dict[Any, tuple[Any, Function, Prepared]] = {}

    def ready(self, loop: Loop, kinds: tuple[str, ...], reduction: Reduction | None) -> tuple[Function, Prepared]:
        """Its loop, made ready to run."""
        chosen = options.state()
        key = kinds if reduction is None else (*kinds, reduction.name, reduction.dtype)
        found = self.prepared.get(key)
        if found is None or found[0] is not chosen:
            found = self.prepared[key] = (chosen, *kernels.ready(self.body, loop, reduction))
        return found[1], found[2]


def _steps(order: list[Apply], count: int, given: list[tuple[int, ...]], shapes: list[int]) -> list[tuple[tuple[int, ...], int, tuple[int, ...]]]:
    # How many operations are still to read what an operation has made.
    uses = dict.fromkeys(range(count, count + len(order)), 0)
    functions = [isinstance(apply.function, numpy.ufunc) for apply in order]
    for at, numbers in enumerate(given):
        for number in numbers:
            if number >= count:
                # A slice is a view: as long as it is read, so is what it is a slice of, and nobody counts that.
                uses[number] += 1 if functions[at] else _VIEWED
    steps = []
    for at, (apply, numbers) in enumerate(zip(order, given, strict=True)):
        out, last = -1, []
        for number in numbers:
            if number < count:
                continue
            uses[number] -= 1
            if uses[number] == 0:
                last.append(number)
                part = order[number - count]
                # What nobody else will read is where the result goes, as NumPy has it for expressions: a new array takes longer than the operation.
                if functions[at] and functions[number - count] and part.dtype == apply.dtype and shapes[number - count] == shapes[at]:
                    out = number
        steps.append((numbers, out, tuple(last)))
    return steps


_FORMS: dict[tuple[Any, ...], Form] = {}


def form_of(root: Apply) -> tuple[Form, list[Apply], list[Expression]] | None:
    """The form of an expression, its operations in their order, and what it reads; none where it is made of more than a form tells. No recursion: expressions are deep."""
    order: list[Apply] = []
    inputs: list[Expression] = []
    given: list[list[int]] = []
    numbers: dict[int, int] = {}
    shapes = {root.shape: 0}
    kinds: list[int] = []
    tokens: list[Any] = []
    stack = [root]
    while stack:
        found = stack[-1]
        if id(found) in numbers:
            stack.pop()
            continue
        parts = found.inputs
        waits = False
        for part in parts[::-1]:
            if isinstance(part, Apply) and part.value is None and id(part) not in numbers:
                stack.append(part)
                waits = True
        if waits:
            continue
        stack.pop()
        shape = found.shape
        if not shape or type(found) is Pieces:
            return None
        own = []
        for part in parts:
            if isinstance(part, Apply) and part.value is not None:
                part = part.value
            number = numbers.get(id(part))
            if number is None:
                inputs.append(part)
                number = numbers[id(part)] = -len(inputs)
            own.append(number)
        kind = shapes.setdefault(shape, len(shapes))
        tokens += (found.chosen, kind)
        tokens += own
        kinds.append(kind)
        given.append(own)
        numbers[id(found)] = len(order)
        order.append(found)
    key = tuple(tokens)
    form = _FORMS.get(key)
    if form is None:
        if len(_FORMS) >= _MOST:
            _FORMS.clear()
        count = len(inputs)
        form = _FORMS[key] = Form(order, inputs, [tuple([-number - 1 if number < 0 else count + number for number in own]) for own in given], kinds)
    return form, order, inputs


def by_numpy(form: Form, order: list[Apply], inputs: list[Expression]) -> Any:
    """An expression, operation by operation, by NumPy."""
    values: list[Any] = [part.array if type(part) is Leaf else part for part in inputs]
    made: Any = None
    for apply, (numbers, out, last) in zip(order, form.steps, strict=True):
        given = [values[number] for number in numbers]
        made = apply.function(*given) if out < 0 else apply.function(*given, values[out])
        del given
        for number in last:
            values[number] = None
        values.append(made)
    return made


def flat_loop(root: Expression, inputs: list[Expression]) -> tuple[Loop, tuple[str, ...], tuple[Any, ...]] | None:
    """The loop over the elements of contiguous arrays of one shape, the kinds of what it reads, and what it is called with; none where an array is laid out otherwise, or lies in a file."""
    shape = root.shape
    size: int = root.size
    reads: list[Read] = []
    kinds: list[str] = []
    arguments: list[Any] = [size]
    for part in inputs:
        if type(part) is Leaf:
            array = part.array
            if array.size != 1:
                if array.shape != shape or not array.flags.c_contiguous or part.buffer.streams():
                    return None
                flat = array.reshape(-1)
                reads.append(Read("flat", flat))
                kinds.append("flat")
                arguments.append(flat.view(numpy.uint8) if array.dtype == BOOL else flat)
                continue
            data: Any = array.reshape(())[()]
        else:
            data = part
        reads.append(Read("scalar", data))
        kinds.append("scalar")
        arguments.append(data)
    return Loop((size,), tuple(reads), shape, None), tuple(kinds), tuple(arguments)

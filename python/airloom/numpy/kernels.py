"""Expressions as loops of the graph: one loop for all operations between the arrays that it reads and the array, or the value, that it makes."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from airloom import ir
from airloom._native import Function, Node, Prepared, Type, make_function
from airloom._options import options
from airloom.numpy import elementwise
from airloom.numpy.elementwise import BOOL, type_of
from airloom.numpy.expressions import Apply, Expression, known
from airloom.numpy.layout import Loop

#: How many loops are kept ready.
_MOST = 256


@dataclass(frozen=True)
class Operation:
    """One operation of a loop: its inputs are numbers of what stands before it, inputs of the loop first."""

    name: str
    operands: tuple[numpy.dtype[Any], ...]
    dtype: numpy.dtype[Any]
    inputs: tuple[int, ...]


@dataclass(frozen=True)
class Body:
    """What a loop computes of each element: the dtypes of what it reads, then operations, of which the last is the result."""

    reads: tuple[numpy.dtype[Any], ...]
    operations: tuple[Operation, ...]

    @property
    def dtype(self) -> numpy.dtype[Any]:
        return self.operations[-1].dtype if self.operations else self.reads[-1]


@dataclass(frozen=True)
class Reduction:
    """How the elements of a loop become one value."""

    name: str
    dtype: numpy.dtype[Any]


def body_of(root: Expression, computed: Container[int] = ()) -> tuple[Body, list[Expression]]:
    """The operations between an expression and what has a value, or is computed before: those whose identities are in `computed`. No recursion: expressions are deep."""
    inputs: list[Expression] = []
    numbers: dict[int, int] = {}
    order: list[Apply] = []
    stack: list[tuple[Expression, bool]] = [(root, False)]
    seen: set[int] = set()
    while stack:
        found, ready = stack.pop()
        found = known(found)
        if ready:
            assert isinstance(found, Apply)
            order.append(found)
        elif id(found) in seen:
            continue
        elif isinstance(found, Apply) and (found is root or id(found) not in computed):
            seen.add(id(found))
            stack.append((found, True))
            stack.extend((part, False) for part in reversed(found.inputs))
        else:
            seen.add(id(found))
            numbers[id(found)] = len(inputs)
            inputs.append(found)
    operations: list[Operation] = []
    for apply in order:
        numbers[id(apply)] = len(inputs) + len(operations)
        own = tuple(numbers[id(known(part))] for part in apply.inputs)
        operations.append(Operation(apply.name, apply.operands, apply.dtype, own))
    return Body(tuple(part.dtype for part in inputs), tuple(operations)), inputs


_READY: dict[Any, tuple[Function, Prepared]] = {}


def ready(body: Body, loop: Loop, reduction: Reduction | None) -> tuple[Function, Prepared]:
    """The loop, made ready to run. It is kept by its shape: numbers, extents and strides are arguments."""
    kinds = tuple(read.kind for read in loop.reads)
    chosen = options.resolved()
    key = (body, kinds, len(loop.extents), reduction, tuple(chosen.items()))
    found = _READY.get(key)
    if found is None:
        function = lowered(body, kinds, len(loop.extents), reduction)
        if len(_READY) >= _MOST:
            _READY.pop(next(iter(_READY)), None)
        found = _READY[key] = (function, Prepared(function, chosen))
    return found


def arguments(body: Body, loop: Loop) -> tuple[Any, ...]:
    """What the function of a loop is called with."""
    given: list[Any] = list(loop.extents)
    for dtype, read in zip(body.reads, loop.reads, strict=True):
        if read.kind == "scalar":
            given.append(read.data)
            continue
        given.append(read.data.view(numpy.uint8) if dtype == BOOL else read.data)
        if read.kind == "strided":
            given.extend((read.offset, *read.steps))
    return tuple(given)


def lowered(body: Body, kinds: Sequence[str], axes: int, reduction: Reduction | None) -> Function:
    """The function of the graph."""
    params: list[tuple[str, str]] = [(f"n{axis}", "i64") for axis in range(axes)]
    for number, (dtype, kind) in enumerate(zip(body.reads, kinds, strict=True)):
        word = str(type_of(dtype))
        stored = "u8" if dtype == BOOL and kind != "scalar" else word
        params.append((f"x{number}", stored if kind == "scalar" else f"arr<{stored}; ?>"))
        if kind == "strided":
            params.extend((f"x{number}_{name}", "i64") for name in ("offset", *(f"step{axis}" for axis in range(axes))))

    def build(*given: Node) -> Node:
        extents, rest = given[:axes], list(given[axes:])
        sources: list[tuple[Node, list[Node]]] = []
        for kind in kinds:
            array = rest.pop(0)
            count = axes + 1 if kind == "strided" else 0
            sources.append((array, rest[:count]))
            del rest[:count]

        def element(*indices: Node) -> Node:
            values = [
                _read_element(kind, dtype, array, steps, indices) for kind, dtype, (array, steps) in zip(kinds, body.reads, sources, strict=True)
            ]
            dtypes = list(body.reads)
            for operation in body.operations:
                values.append(_operation(operation, values, dtypes))
                dtypes.append(operation.dtype)
            return _result(values[-1], dtypes[-1], reduction)

        if reduction is None:
            return ir.par_tabulate(tuple(extents), element)
        initial, combine, order = _combiner(reduction)
        return ir.par_reduce(initial, tuple(extents), element, combine, order=order)

    return make_function(build, "numpy", [(name, Type.parse(word)) for name, word in params], None)


def _read_element(kind: str, dtype: numpy.dtype[Any], array: Node, steps: Sequence[Node], indices: Sequence[Node]) -> Node:
    if kind == "scalar":
        return array
    if kind == "flat":
        found = ir.arr_at(array, indices[0])
    else:
        index = steps[0]
        for own, step in zip(indices, steps[1:], strict=True):
            index = ir.add(index, ir.mul(own, step))
        found = ir.arr_at(array, index)
    return ir.ne(found, ir.const(numpy.uint8(0))) if dtype == BOOL else found


def _operation(operation: Operation, values: Sequence[Node], dtypes: Sequence[numpy.dtype[Any]]) -> Node:
    given = []
    for number, operand in zip(operation.inputs, operation.operands, strict=True):
        cast = elementwise.build("astype", (dtypes[number],), operand)
        assert cast is not None, "a compiled operation casts its inputs by ops of the graph"
        given.append(cast(values[number]))
    make = elementwise.build(operation.name, operation.operands, operation.dtype)
    assert make is not None, "a compiled operation has an op of the graph"
    return make(*given)


def _result(value: Node, dtype: numpy.dtype[Any], reduction: Reduction | None) -> Node:
    """An element as it is stored, or combined."""
    if reduction is None:
        return ir.select(value, ir.const(numpy.uint8(1)), ir.const(numpy.uint8(0))) if dtype == BOOL else value
    cast = elementwise.build("astype", (dtype,), reduction.dtype)
    assert cast is not None, "a reduction that is compiled casts its elements by ops of the graph"
    return cast(value)


def _combiner(reduction: Reduction) -> tuple[Node, Any, Any]:
    """What a reduction begins with, how it combines, and in which order."""
    dtype, is_float = reduction.dtype, reduction.dtype.kind == "f"
    ty = Type.parse(str(type_of(dtype)))
    match reduction.name:
        case "sum":
            # The order in which NumPy adds the elements of contiguous floats.
            return ir.const(dtype.type(0)), ir.add, "pairwise" if is_float else "rows"
        case "prod":
            return ir.const(dtype.type(1)), ir.mul, "rows"
        case "any" | "all":
            return ir.const(numpy.bool_(reduction.name == "all")), ir.or_ if reduction.name == "any" else ir.and_, "rows"
        case "min":
            return ir.const(dtype.type(numpy.inf) if is_float else numpy.iinfo(dtype).max, ty), ir.least, "rows"
        case "max":
            return ir.const(dtype.type(-numpy.inf) if is_float else numpy.iinfo(dtype).min, ty), ir.greatest, "rows"
    raise AssertionError(f"there is no reduction `{reduction.name}`")

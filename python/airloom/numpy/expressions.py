"""What arrays are made of: operations on elements, slices and reductions along axes that were asked for and not computed yet."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any, TypeAlias

import numpy

from airloom.numpy import sizes
from airloom.numpy.memory import Leaf, leaf

#: One value for all elements: a scalar of NumPy's.
Constant: TypeAlias = numpy.generic


class Chosen:
    """A function of elements with the dtypes that it is computed in. There is one of each: it is known by its identity."""

    __slots__ = ("compiled", "dtype", "name", "operands", "weight")

    def __init__(self, name: str, operands: tuple[numpy.dtype[Any], ...], dtype: numpy.dtype[Any], compiled: bool) -> None:
        self.name = name
        #: The dtypes that the inputs are cast to.
        self.operands = operands
        self.dtype = dtype
        #: Whether the engine has an op for it; else NumPy's own loop computes it.
        self.compiled = compiled
        self.weight = sizes.weight(name, compiled)


@lru_cache(4096)
def chosen(name: str, operands: tuple[numpy.dtype[Any], ...], dtype: numpy.dtype[Any], compiled: bool) -> Chosen:
    """A function of no particular inputs: a slice, a reduction."""
    return Chosen(name, operands, dtype, compiled)


class Apply:
    """A function of NumPy's over elements, of arrays that are broadcast to one shape. It is immutable but for its value, which is kept when it is computed."""

    __slots__ = ("__weakref__", "chosen", "compiled", "consumers", "count", "dtype", "function", "inputs", "seen", "shape", "size", "span", "value", "work")

    def __init__(self, chosen: Chosen, function: Callable[..., Any], inputs: tuple[Expression, ...], shape: tuple[int, ...]) -> None:
        self.chosen = chosen
        self.dtype = chosen.dtype
        self.compiled = chosen.compiled
        #: What NumPy computes it by.
        self.function = function
        self.inputs = inputs
        self.shape = shape
        self.size: int = prod(shape)
        self.value: Leaf | None = None
        #: What is made of it, as long as it is there: when this has memory of its own, they read that.
        self.consumers: list[weakref.ref[Apply]] = []
        # How many operations it is made of, how much work they are for each element, at most; and how many elements the largest array has that it is made of, if nothing is fused.
        count, work, span, seen = 1, chosen.weight, self.size, False
        reference = weakref.ref(self)
        for part in inputs:
            if isinstance(part, Apply):
                if part.span > span:
                    span = part.span
                if part.value is None:
                    count += part.count
                    work += part.work
                    part.consumers.append(reference)
                    continue
                part = part.value
            if type(part) is Leaf:
                buffer = part.known or part.buffer
                readers = buffer.readers
                readers.append(reference)
                if len(readers) > buffer.most:
                    buffer.forget_computed()
                seen = seen or not buffer.exclusive()
                if part.array.size > span:
                    span = part.array.size
        #: Whether somebody else may write to what it reads before a later look.
        self.seen: bool = seen
        self.count: int = count
        self.work: int = work
        self.span: int = span

    @property
    def name(self) -> str:
        return self.chosen.name

    @property
    def operands(self) -> tuple[numpy.dtype[Any], ...]:
        return self.chosen.operands

    def keep(self, value: Leaf) -> None:
        """Its value: what it was made of is not needed any more. Slices of it are views of its memory from now on. No recursion: slices of slices are deep."""
        kept: list[tuple[Apply, Leaf]] = [(self, value)]
        while kept:
            own, found = kept.pop()
            own.value = found
            own.inputs = ()
            for reference in own.consumers:
                consumer = reference()
                if consumer is None or consumer.value is not None:
                    continue
                if isinstance(consumer, Slice):
                    kept.append((consumer, leaf(found.array[consumer.key])))
                else:
                    found.buffer.readers.append(reference)
            own.consumers = []

    def is_sliced(self) -> bool:
        """Whether there are slices of it, which see what is written to it."""
        return any(isinstance(reference(), Slice) for reference in self.consumers)


#: What reductions combine elements by.
REDUCTIONS: dict[str, numpy.ufunc] = {
    "sum": numpy.add, "prod": numpy.multiply, "min": numpy.minimum, "max": numpy.maximum, "any": numpy.logical_or, "all": numpy.logical_and,
}  # fmt: skip


class Pieces(Apply):
    """A column that lies in several pieces of memory, which nobody writes to. What reads it needs no copy of all of it; whoever asks for its memory gets the pieces put together."""

    __slots__ = ("ends", "pieces")

    def __init__(self, pieces: list[numpy.ndarray[Any, Any]]) -> None:
        self.pieces = pieces
        self.ends = numpy.cumsum([len(piece) for piece in pieces])
        super().__init__(chosen("concatenate", (), pieces[0].dtype, False), lambda: numpy.concatenate(pieces), (), (int(self.ends[-1]),))
        # NumPy would put the pieces together first, however little the rest is.
        self.work = 1 << 20

    def rows(self, first: int, last: int) -> numpy.ndarray[Any, Any]:
        """Some of its elements: a view, or a copy of a few where one piece ends and the next begins."""
        at = int(numpy.searchsorted(self.ends, first, "right"))
        found = []
        while first < last:
            begin = int(self.ends[at]) - len(self.pieces[at])
            end = min(last, int(self.ends[at]))
            found.append(self.pieces[at][first - begin : end - begin])
            first, at = end, at + 1
        return found[0] if len(found) == 1 else numpy.concatenate(found) if found else self.pieces[0][:0]

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """That of its first piece, by which it is known."""
        return self.pieces[0].__array_interface__


def read(found: Leaf) -> Apply:
    """An array as an operation that only reads it, row by row."""
    return Apply(chosen("read", (found.dtype,), found.dtype, False), lambda array: array, (found,), found.shape)


class Slice(Apply):
    """A slice of an expression that is not computed yet: elements at regular positions. Whoever asks for its memory gets a view of the expression's, as in NumPy; what reads it needs no more than its elements."""

    __slots__ = ("key", "start", "step")

    def __init__(self, base: Apply, key: tuple[Any, ...], shape: tuple[int, ...]) -> None:
        super().__init__(chosen("slice", (base.dtype,), base.dtype, False), lambda array: array[key], (base,), shape)
        self.work = base.work
        self.key = key
        #: Which rows it has: elements of the first axis.
        self.start, _, self.step = key[0].indices(base.shape[0])


class Along(Apply):
    """A reduction along some of the axes, by the function of NumPy's of that name."""

    __slots__ = ("axes",)

    def __init__(self, name: str, operand: Expression, axes: tuple[int, ...], keepdims: bool, dtype: numpy.dtype[Any]) -> None:
        function = REDUCTIONS[name].reduce
        shape = tuple(1 if axis in axes else extent for axis, extent in enumerate(operand.shape) if keepdims or axis not in axes)
        super().__init__(chosen(name, (operand.dtype,), dtype, False), lambda array: function(array, axis=axes, keepdims=keepdims), (operand,), shape)
        self.axes = axes


Expression: TypeAlias = Apply | Leaf | Constant


def known(expression: Expression) -> Expression:
    """What is known of an expression: its value, where it has been computed."""
    if isinstance(expression, Apply) and expression.value is not None:
        return expression.value
    return expression

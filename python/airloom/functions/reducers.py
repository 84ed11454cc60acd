"""Reductions that users write: a function that combines two values, with what it begins with."""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy

from airloom.functions.driver import Jitted
from airloom.functions.ufuncs import compiled_text, result_of

#: How many elements are combined to one partial result; it does not depend on the number of threads, and so does no answer.
BLOCK = 1 << 14
#: How often what was said of a function is tried.
_TRIALS = 64


class Reducer:
    """A function that combines two values, as one that combines the elements of an array."""

    __wrapped__: Any
    __name__: str
    __qualname__: str

    def __init__(self, function: Callable[..., Any], identity: Any, associative: bool) -> None:
        if isinstance(function, Jitted):
            function = function.__wrapped__
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"`airloom.reducer` takes a function that is written in Python, not `{type(function).__name__}`")
        functools.update_wrapper(self, function)
        self.function = function
        self.identity = identity
        self.associative = associative
        self._tried: set[numpy.dtype[Any]] = set()
        space = {"combine": function}
        #: One after the other, or in blocks: compiled functions that call the reducer have one of these loops in its place.
        self.loop = compiled_text(["def loop(x, total):", "    for i in range(len(x)):", "        total = combine(total, x[i])", "    return total"], space)
        self.in_blocks = compiled_text(
            [
                "def loop(x, total):",
                "    size = len(x) if len(x) <= most else most",
                "    for first in range(0, len(x), max(size, 1)):",
                "        if size == len(x):",
                "            for i in range(len(x)):",
                "                total = combine(total, x[i])",
                "        else:",
                "            part = x[first]",
                "            for i in range(first + 1, min(first + size, len(x))):",
                "                part = combine(part, x[i])",
                "            total = combine(total, part)",
                "    return total",
            ],
            space | {"most": BLOCK},
        )
        self._blocks = compiled_text(
            [
                "def loop(x, out, size):",
                "    for block in prange(len(out)):",
                "        first = block * size",
                "        total = x[first]",
                "        for i in range(first + 1, min(first + size, len(x))):",
                "            total = combine(total, x[i])",
                "        out[block] = total",
            ],
            space,
        )

    def __repr__(self) -> str:
        return f"<airloom reducer '{self.__name__}'>"

    def __call__(self, array: Any, axis: int | None = None) -> Any:
        """All elements as one value, or those along an axis."""
        found = numpy.asarray(array)
        if axis is None:
            return self._whole(found.reshape(-1))
        moved = numpy.moveaxis(found, axis, -1)
        rows = numpy.ascontiguousarray(moved).reshape(math.prod(moved.shape[:-1]), moved.shape[-1])
        return numpy.array([self._whole(row) for row in rows], self._dtype(found.dtype)).reshape(moved.shape[:-1])[()]

    def loop_for(self, dtype: numpy.dtype[Any]) -> tuple[Jitted, numpy.dtype[Any]]:
        """The loop over elements of a dtype, and the dtype of what it begins with and gives."""
        made = self._dtype(dtype)
        return self.in_blocks if self.associative and made == dtype and result_of(self.function, (dtype, dtype))[0] == dtype else self.loop, made

    def _dtype(self, dtype: numpy.dtype[Any]) -> numpy.dtype[Any]:
        """The dtype of what is combined: that of an element, of the identity, and of all that comes of them."""
        begin = numpy.result_type(self.identity, dtype) if isinstance(self.identity, (int, float, complex)) else numpy.result_type(numpy.asarray(self.identity).dtype, dtype)
        found, _ = result_of(self.function, (begin, dtype))
        return begin if found is None else numpy.result_type(begin, found)

    def _whole(self, array: numpy.ndarray[Any, Any]) -> Any:
        loop, dtype = self.loop_for(array.dtype)
        begin = dtype.type(self.identity)
        if not array.size:
            return begin
        if loop is self.loop or array.size <= BLOCK:
            return dtype.type(self.loop(array, begin))
        self._try(array)
        partial = numpy.empty(-(-array.size // BLOCK), dtype)
        self._blocks(numpy.ascontiguousarray(array), partial, BLOCK)
        return dtype.type(self.loop(partial, begin))

    def _try(self, array: numpy.ndarray[Any, Any]) -> None:
        """Whether the function does what was said of it, for some of the elements. Floats may differ in their last bits, as sums do."""
        if array.dtype in self._tried:
            return
        picked = array[numpy.random.default_rng(0).integers(0, array.size, (_TRIALS, 3))]
        begin = array.dtype.type(self.identity)
        with numpy.errstate(all="ignore"):
            for x, y, z in picked:
                if not _close(self.function(begin, x), x):
                    raise ValueError(f"`{self.__name__}` does not begin with its identity: {self.__name__}({begin!r}, {x!r}) is {self.function(begin, x)!r}")
                left, right = self.function(self.function(x, y), z), self.function(x, self.function(y, z))
                if not _close(left, right):
                    raise ValueError(f"`{self.__name__}` is not associative: of {x!r}, {y!r} and {z!r} it makes {left!r}, or {right!r}")
        self._tried.add(array.dtype)


def _close(first: Any, second: Any) -> bool:
    if numpy.asarray(first).dtype.kind in "fc" or numpy.asarray(second).dtype.kind in "fc":
        return bool(numpy.isclose(first, second, rtol=1e-6, atol=1e-9, equal_nan=True))
    return bool(first == second)


def reducer(*, identity: Any, associative: bool = False) -> Callable[[Callable[..., Any]], Reducer]:
    """A function of two values as a reduction of arrays, beginning with `identity`.

    Elements are combined in their order. Where the function is said to be associative, blocks of a fixed number of elements are combined on every core and then with one another: answers do not depend on the number of cores. That it is, and that the identity changes
    nothing, is tried on some of the first array that is given.
    """
    return lambda function: Reducer(function, identity, associative)


__all__ = ["Reducer", "reducer"]

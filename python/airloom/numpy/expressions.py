"""What arrays are made of: operations on elements that were asked for and not computed yet."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy

from airloom.numpy import sizes
from airloom.numpy.memory import Leaf

#: One value for all elements: a scalar of NumPy's.
Constant: TypeAlias = numpy.generic


class Apply:
    """A function of NumPy's over elements, of arrays that are broadcast to one shape. It is immutable but for its value, which is kept when it is computed."""

    __slots__ = ("__weakref__", "compiled", "consumers", "count", "dtype", "function", "inputs", "name", "operands", "shape", "value", "work")

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        inputs: tuple[Expression, ...],
        operands: tuple[numpy.dtype[Any], ...],
        dtype: numpy.dtype[Any],
        shape: tuple[int, ...],
        compiled: bool,
    ) -> None:
        self.name = name
        #: What NumPy computes it by.
        self.function = function
        self.inputs = inputs
        #: The dtypes that the inputs are cast to.
        self.operands = operands
        self.dtype = dtype
        self.shape = shape
        #: Whether the engine has an op for it; else NumPy's own loop computes it.
        self.compiled = compiled
        self.value: Leaf | None = None
        #: How many operations it is made of, at most.
        self.count: int = 1 + sum(part.count for part in inputs if isinstance(part, Apply) and part.value is None)
        #: How much work it is for each element, at most.
        self.work: int = sizes.weight(name, compiled) + sum(part.work for part in inputs if isinstance(part, Apply) and part.value is None)
        #: What is made of it, as long as it is there: when this has memory of its own, they read that.
        self.consumers: list[weakref.ref[Apply]] = []
        for part in inputs:
            found = known(part)
            if isinstance(found, Leaf):
                found.buffer.add_reader(self)
            elif isinstance(found, Apply):
                found.consumers.append(weakref.ref(self))

    @property
    def size(self) -> int:
        size = 1
        for extent in self.shape:
            size *= extent
        return size

    def keep(self, value: Leaf) -> None:
        """Its value: what it was made of is not needed any more."""
        self.value = value
        self.inputs = ()
        for reference in self.consumers:
            consumer = reference()
            if consumer is not None and consumer.value is None:
                value.buffer.add_reader(consumer)
        self.consumers = []


Expression: TypeAlias = Apply | Leaf | Constant


def known(expression: Expression) -> Expression:
    """What is known of an expression: its value, where it has been computed."""
    if isinstance(expression, Apply) and expression.value is not None:
        return expression.value
    return expression

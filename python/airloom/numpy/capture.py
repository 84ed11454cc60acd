"""Operations on elements, as they are asked for: NumPy says at once which dtype and which shape there will be, or what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy

from airloom.numpy import elementwise, sizes
from airloom.numpy.elementwise import type_of
from airloom.numpy.execution import compute
from airloom.numpy.expressions import Apply, Chosen, Expression, known
from airloom.numpy.memory import Leaf

#: Numbers of Python's that take the dtype of what they meet.
_WEAK = (int, float)

#: Expressions of more operations than this are computed before anything else is made of them.
_MOST = 128


class NotCaptured(Exception):
    """Why NumPy computes an operation at once."""


@lru_cache(4096)
def _resolved(function: numpy.ufunc, kinds: tuple[Any, ...]) -> tuple[numpy.dtype[Any], ...]:
    """The dtypes of the loop that NumPy would choose: inputs, then the result. Python's own numbers are weak."""
    return function.resolve_dtypes((*kinds, None))


def elementwise_call(function: numpy.ufunc, inputs: tuple[Any, ...]) -> Apply:
    """A function of NumPy's over elements. The inputs are expressions, scalars of NumPy's and numbers of Python's; at least one is an array.

    What NumPy would complain of is NumPy's to say: `NotCaptured` leaves the call to it.
    """
    kinds: list[Any] = []
    shape: tuple[int, ...] | None = None
    is_weak = is_broadcast = False
    # One walk over the inputs: this is what every operation of a large array goes through.
    for part in inputs:
        kind = type(part)
        if kind is Leaf:
            # No name for the array: who else holds it is counted below.
            kinds.append(part.array.dtype)
            own = part.array.shape
        elif kind is int or kind is float:
            kinds.append(kind)
            is_weak = True
            continue
        else:
            kinds.append(part.dtype)
            if not isinstance(part, Apply):
                continue
            own = part.shape
        if shape is None:
            shape = own
        elif shape != own:
            is_broadcast = True
    found = _chosen(function, tuple(kinds))
    if is_weak:
        inputs = tuple([_number(part, operand) if type(part) in _WEAK else part for part, operand in zip(inputs, found.operands, strict=True)])
    return _made(found, function, inputs, broadcast(inputs) if is_broadcast or shape is None else shape)


def _number(number: int | float, dtype: numpy.dtype[Any]) -> Any:
    try:
        return dtype.type(number)
    except OverflowError:
        raise NotCaptured("a number of Python's does not fit the dtype") from None


@lru_cache(4096)
def _chosen(function: numpy.ufunc, kinds: tuple[Any, ...]) -> Chosen:
    """The name of a function, the dtypes of its inputs and of its result, where the graph has types for them, and whether the engine has an op for it."""
    if function.nout != 1 or function.signature is not None or len(kinds) != function.nin:
        raise NotCaptured("it is no function of elements with one result")
    try:
        *operands, dtype = _resolved(function, kinds)
    except (TypeError, ValueError):
        raise NotCaptured("NumPy has no loop for these dtypes") from None
    if any(type_of(operand) is None for operand in (*operands, dtype)):
        raise NotCaptured(f"arrays of {dtype} are NumPy's")
    # By identity: a dtype is equal to the type of Python's that it is made of.
    name, sources = name_of(function), tuple(operand if kind is int or kind is float else kind for kind, operand in zip(kinds, operands, strict=True))
    return _of_sources(name, sources, tuple(operands), dtype, True)


@lru_cache(4096)
def _of_sources(name: str, sources: tuple[numpy.dtype[Any], ...], operands: tuple[numpy.dtype[Any], ...], dtype: numpy.dtype[Any], is_function: bool) -> Chosen:
    """A function of inputs of these dtypes. One of NumPy's functions of elements is another than what is given its name: it can write to memory that it is given."""
    compiled = _compiled(name, sources, operands, dtype)
    if compiled is None:
        raise NotCaptured(f"arrays of {dtype} are NumPy's")
    return Chosen(name, operands, dtype, compiled)


#: Functions whose name differs from that of their op, and those that users have given names to.
NAMES: dict[Any, str] = {numpy.true_divide: "divide"}


def name_of(function: numpy.ufunc) -> str:
    """The name of a function: that of NumPy's own is no other's."""
    name = function.__name__
    return NAMES.get(function) or (name if getattr(numpy, name, None) is function else f"other.{name}")


def applied(
    name: str, function: Callable[..., Any], inputs: tuple[Expression, ...], operands: tuple[numpy.dtype[Any], ...], dtype: numpy.dtype[Any]
) -> Apply:
    """An operation on inputs whose dtypes are known."""
    return _made(_of_sources(name, tuple([part.dtype for part in inputs]), operands, dtype, isinstance(function, numpy.ufunc)), function, inputs, broadcast(inputs))


def _made(found: Chosen, function: Callable[..., Any], inputs: tuple[Expression, ...], shape: tuple[int, ...]) -> Apply:
    made = Apply(found, function, inputs, shape)
    if made.count > _MOST:
        # What is read twice was counted twice.
        made.count = _counted(inputs) + 1
        if made.count > _MOST:
            for part in inputs:
                if isinstance(part, Apply):
                    compute(part)
            made.count = 1
    return looked(made) if made.seen or made.span <= sizes.CACHED else made


def _counted(inputs: tuple[Expression, ...]) -> int:
    """How many operations there are in expressions that are not computed yet."""
    stack = [part for part in map(known, inputs) if isinstance(part, Apply)]
    seen = {id(part) for part in stack}
    while stack:
        for part in map(known, stack.pop().inputs):
            if isinstance(part, Apply) and id(part) not in seen:
                seen.add(id(part))
                stack.append(part)
    return len(seen)


def looked(made: Apply) -> Apply:
    """An operation that was just made. What somebody else may write to before a later look is read now, and so is what NumPy is done with before a plan would be made."""
    if made.seen or made.span <= sizes.SMALL or made.size == 0:
        compute(made)
    return made


@lru_cache(4096)
def _compiled(name: str, sources: tuple[numpy.dtype[Any], ...], operands: tuple[numpy.dtype[Any], ...], dtype: numpy.dtype[Any]) -> bool | None:
    """Whether the engine has an op for a function of these dtypes; none where it does not have the dtypes."""
    if any(type_of(part) is None for part in (*sources, dtype)):
        return None
    casts = all(elementwise.build("astype", (source,), operand) is not None for source, operand in zip(sources, operands, strict=True))
    return casts and elementwise.build(name, operands, dtype) is not None


def broadcast(inputs: tuple[Expression, ...]) -> tuple[int, ...]:
    """The shape of all inputs together; NumPy words what is wrong."""
    if len(inputs) == 1:
        return inputs[0].shape
    shapes = [part.array.shape if type(part) is Leaf else part.shape for part in inputs if not isinstance(part, numpy.generic)]
    if not shapes:
        return ()
    if len(shapes) == 1 or shapes.count(shapes[0]) == len(shapes):
        return shapes[0]
    try:
        return numpy.broadcast_shapes(*shapes)
    except ValueError:
        raise NotCaptured("the shapes do not match") from None

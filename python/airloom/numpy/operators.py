"""Operators and functions of elements: of few elements NumPy makes at once what they make, of many they are captured."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy

from airloom.numpy import execution, fallback, sizes, weak
from airloom.numpy.capture import NAMES, NotCaptured, elementwise_call
from airloom.numpy.expressions import Apply, known
from airloom.numpy.memory import Leaf, leaf

#: What stands for elements by itself.
_WEAK = (int, float)

_new = object.__new__
_ARRAY = numpy.ndarray

#: The class of arrays of ours. Its module needs this one, and says it here.
ours: Any = ()


def expression_of(given: Any) -> Any:
    """An operand: an expression, a scalar of NumPy's, or a number of Python's."""
    if type(given) is ours:
        held = given._held if given._own is None else given._expression
        return held if type(held) is Leaf else known(held)
    if isinstance(given, ours):
        return known(given._expression)
    if type(given) in _WEAK or isinstance(given, numpy.generic):
        return given
    if type(given) is bool:
        return numpy.bool_(given)
    if type(given) is numpy.ndarray:
        return leaf(given)
    raise NotCaptured(f"`{type(given).__name__}` is made an array by NumPy")


def call_ufunc(function: numpy.ufunc, inputs: tuple[Any, ...], plain: Callable[..., Any] | None = None) -> Any:
    """A function of NumPy's over elements, or NumPy's own answer: that of the operator, where it was one."""
    given = small(inputs)
    if given is not None:
        return fresh((plain or function)(*given))
    return _captured(function, inputs, plain)


def _captured(function: numpy.ufunc, inputs: tuple[Any, ...], plain: Callable[..., Any] | None) -> Any:
    """A function of elements of which there are many, or NumPy's own answer."""
    try:
        if len(inputs) == 2:
            return made_of(elementwise_call(function, (expression_of(inputs[0]), expression_of(inputs[1]))))
        return made_of(elementwise_call(function, tuple(map(expression_of, inputs))))
    except NotCaptured as refused:
        return fallback.call(function.__name__, plain or function, inputs, {}, str(refused))


def made_of(made: Apply) -> Any:
    """An array; a scalar where there are no axes, as NumPy gives it."""
    if not made.shape:
        return execution.value(made)[()]
    array = _new(ours)
    array._held = made
    array._own = None
    return array


def fresh(made: Any) -> Any:
    """What a function of elements has just made: an array that nobody else has, or a scalar."""
    if type(made) is _ARRAY and made.base is None:
        array = _new(ours)
        array._own = made
        return array
    return fallback.wrapped(made)


def memory(array: Any) -> numpy.ndarray[Any, Any] | None:
    """The memory of an array, for reading; none where it is not computed yet."""
    own: numpy.ndarray[Any, Any] | None = array._own
    if own is None:
        found = array._held
        if type(found) is not Leaf:
            found = known(found)
        return found.array if type(found) is Leaf else None
    return own


def few(array: Any) -> numpy.ndarray[Any, Any] | None:
    """The memory of an array with few elements, for reading; none where it has many, or is not computed yet."""
    own = memory(array)
    return own if own is not None and own.size <= sizes.SMALL else None


def at_hand(array: Any) -> numpy.ndarray[Any, Any] | None:
    """The memory of an array that stays in the cache, for reading; none where it is larger, or is not computed yet."""
    own = memory(array)
    return own if own is not None and own.size <= sizes.CACHED else None


def small(inputs: tuple[Any, ...]) -> list[Any] | None:
    """Arrays of NumPy's in the stead of ours, where all have few elements: NumPy is done before a plan would be made."""
    given = []
    for part in inputs:
        if isinstance(part, ours):
            own = few(part)
            if own is None:
                return None
            given.append(own)
        elif is_operand(part) and (type(part) is not _ARRAY or part.size <= sizes.SMALL):
            given.append(part)
        else:
            # What another library makes of an array is not known: it may keep it.
            return None
    return given


def is_operand(other: Any) -> bool:
    """Whether it is known what NumPy makes of an operand."""
    return isinstance(other, (ours, int, float, complex, numpy.generic, list, tuple)) or type(other) is _ARRAY


def _pair(function: Callable[..., Any], first: Any, second: Any) -> Any:
    """What a function makes of two arrays that are at hand; `NotImplemented` where one is not, or the result might be large."""
    own, theirs = at_hand(first), at_hand(second)
    if own is None or theirs is None:
        return NotImplemented
    # Of two shapes a large result may be made.
    if own.size * theirs.size > sizes.SMALL and own.shape != theirs.shape:
        try:
            if numpy.broadcast(own, theirs).size > sizes.CACHED:
                return NotImplemented
        except ValueError:
            # The function says what is wrong.
            pass
    return fresh(function(own, theirs))


#: Operators by which NumPy compares what its functions of elements do not.
_COMPARISONS = frozenset((operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne))

#: Any two arrays of fewer elements than this make an array of few.
_FEW = 182

_NUMBERS = weak.NUMBERS


def binary(function: numpy.ufunc, plain: Callable[[Any, Any], Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """An operator of two operands, and the same with its operands exchanged."""
    # Every call on the way costs as much as an operation of few elements: what is most common is written out.
    compute: Callable[..., Any] = plain if plain in _COMPARISONS else function

    def forward(self: Any, other: Any) -> Any:
        own = self._own
        kind = type(other)
        if kind is ours:
            if own is not None:
                theirs = other._own
                # Of two shapes a large result may be made, but not of a few elements.
                if theirs is not None and (count := own.size) == theirs.size and count <= sizes.CACHED and (count < _FEW or own.shape == theirs.shape):
                    made = compute(own, theirs)
                    if type(made) is _ARRAY:
                        array = _new(ours)
                        array._own = made
                        return array
                    return made
                # Who else holds the memory is counted below.
                del theirs
            elif type(self._held) is Apply and self._held.value is None:
                return _captured(function, (self, other), plain)
            del own
            made = _pair(compute, self, other)
            return _captured(function, (self, other), plain) if made is NotImplemented else made
        if kind is float or kind is int:
            if own is None:
                held = self._held
                own = held.array if type(held) is Leaf else memory(self)
            if own is not None and own.size <= sizes.CACHED:
                kept = _NUMBERS[kind].get(own.dtype)
                if kept is not None:
                    number = kept.get(other)
                    made = compute(own, weak.keep(other, own.dtype, kept) if number is None else number)
                else:
                    made = compute(own, other)
                if type(made) is _ARRAY:
                    array = _new(ours)
                    array._own = made
                    return array
                return made
            del own
            return _captured(function, (self, other), plain)
        del own
        if is_operand(other):
            return call_ufunc(function, (self, other), plain)
        return fallback.wrapped(plain(self.shared(), other))

    def backward(self: Any, other: Any) -> Any:
        kind = type(other)
        if kind is float or kind is int:
            own = at_hand(self)
            if own is not None:
                kept = _NUMBERS[kind].get(own.dtype)
                if kept is not None:
                    number = kept.get(other)
                    return fresh(compute(weak.keep(other, own.dtype, kept) if number is None else number, own))
                return fresh(compute(other, own))
            return _captured(function, (other, self), plain)
        if is_operand(other):
            return call_ufunc(function, (other, self), plain)
        return fallback.wrapped(plain(other, self.shared()))

    return forward, backward


def inplace(function: numpy.ufunc, plain: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """An operator that changes its first operand."""
    # NumPy's operator has functions of its own for some exponents.
    is_power = function is numpy.power

    def update(self: Any, other: Any) -> Any:
        own = self._own
        if own is not None and own.size <= sizes.CACHED:
            kind = type(other)
            if kind is float or kind is int:
                kept = None if is_power else _NUMBERS[kind].get(own.dtype)
                if kept is not None:
                    number = kept.get(other)
                    function(own, weak.keep(other, own.dtype, kept) if number is None else number, own)
                else:
                    plain(own, other)
                return self
            if kind is ours:
                theirs = at_hand(other)
                if theirs is not None:
                    plain(own, theirs)
                    return self
                del theirs
        del own
        return self._updated(function, plain, other)

    return update


def unary(function: numpy.ufunc) -> Callable[[Any], Any]:
    """An operator of one operand."""

    def apply(self: Any) -> Any:
        own = self._own
        if own is not None and own.size <= sizes.CACHED:
            made = function(own)
            if type(made) is _ARRAY:
                array = _new(ours)
                array._own = made
                return array
            return made
        own = None
        own = at_hand(self)
        # It is none where there are many: nothing holds the memory then.
        return call_ufunc(function, (self,)) if own is None else fresh(function(own))

    return apply


#: Functions that have names of their own here: those of users, but for one of NumPy's. What they take is not known, and may be worth several threads.
_USERS = NAMES.keys()


def is_at_once(function: numpy.ufunc, own: numpy.ndarray[Any, Any]) -> bool:
    """Whether NumPy calls a function of elements at once for an array that is at hand."""
    return own.size <= sizes.SMALL or (own.size <= sizes.CACHED and (function not in _USERS or function is numpy.true_divide))


def call(function: numpy.ufunc, inputs: tuple[Any, ...]) -> Any:
    """A function of NumPy's over elements that was called with an array of ours, and without keywords."""
    if len(inputs) == 1 and type(inputs[0]) is ours:
        own = at_hand(inputs[0])
        if own is not None and is_at_once(function, own):
            return fresh(function(own))
        del own
    elif len(inputs) == 2 and type(inputs[0]) is ours and type(inputs[1]) is ours and function.signature is None and function not in _USERS:
        made = _pair(function, *inputs)
        if made is not NotImplemented:
            return made
    return call_ufunc(function, inputs)

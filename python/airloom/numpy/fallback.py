"""What is not compiled: NumPy does it, on arrays that have been computed, and the report says so."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy

from airloom import _report as report
from airloom.numpy import sizes


#: The class of arrays of ours. Its module needs this one, and says it here.
ours: Any = ()
#: What holds no array.
PLAIN = frozenset((int, float, bool, complex, str, bytes, type(None), type, numpy.dtype, *numpy.sctypeDict.values()))


def _references() -> int:
    """How many references an array seems to have that one name has: it depends on the interpreter."""
    made = numpy.empty(0)
    return sys.getrefcount(made)


_ALONE = _references()


def call(name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], reason: str) -> Any:
    """Calls NumPy with arrays of its own, and gives arrays of ours back. What it writes to, it writes to the memory of ours."""
    given = _Given()
    own_args = tuple([given.take(arg) for arg in args])
    own_kwargs = {key: given.take(arg) for key, arg in kwargs.items()} if kwargs else kwargs
    # Less is NumPy's by choice: nothing is refused, and nothing reported.
    large = given.size > sizes.SMALL
    if large:
        report.refused(f"numpy.{name}", reason, "NumPy")
    started = time.perf_counter() if large else 0.0
    made = function(*own_args, **own_kwargs)
    if large:
        report.LOG.add(f"numpy.{name}", "numpy", reason, time.perf_counter() - started, given.bytes)
    if type(made) is numpy.ndarray and made.base is None and sys.getrefcount(made) <= _ALONE:
        return ours.of_new(made)
    return wrapped(made)


def at_once(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function makes of few elements that keeps no array which it is given, and gives none back: a scalar, or an array that nobody else has. None where it must be called otherwise."""
    if kwargs and not PLAIN.issuperset(map(type, kwargs.values())):
        return None
    given = []
    for arg in args:
        kind = type(arg)
        if kind is ours:
            arg = arg.few()
            if arg is None:
                return None
        elif kind is list or kind is tuple:
            if not PLAIN.issuperset(map(type, arg)):
                arg = [part.few() if type(part) is ours else None for part in arg]
                if type(None) in map(type, arg):
                    return None
        elif kind not in PLAIN:
            return None
        given.append(arg)
    made = function(*given, **kwargs)
    if type(made) is numpy.ndarray:
        # Else it is called again: it keeps nothing of what it was given.
        return ours.of_new(made) if made.base is None and sys.getrefcount(made) <= _ALONE else None
    return made if isinstance(made, (numpy.generic, bool, int, float)) else None


def unwrapped(arg: Any) -> Any:
    """An argument with arrays of NumPy's in it in the stead of ours."""
    return _Given().take(arg)


class _Given:
    """Arguments on their way to NumPy."""

    def __init__(self) -> None:
        self.bytes = 0
        self.size = 0

    def take(self, arg: Any) -> Any:
        kind = type(arg)
        if kind in PLAIN:
            return arg
        if isinstance(arg, ours):
            # NumPy may write to it, or keep it: what reads it is computed before.
            return self._counted(arg.shared())
        if isinstance(arg, numpy.ndarray):
            return self._counted(arg)
        if kind is list or kind is tuple:
            return arg if PLAIN.issuperset(map(type, arg)) else kind(self.take(part) for part in arg)
        if kind is dict:
            return {key: self.take(part) for key, part in arg.items()}
        if kind is slice:
            return slice(self.take(arg.start), self.take(arg.stop), self.take(arg.step))
        return arg

    def _counted(self, array: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
        self.bytes += array.nbytes
        self.size += array.size
        return array


def wrapped(made: Any) -> Any:
    """Arrays of NumPy's as ours, also in tuples and lists of them; anything else as it is."""
    if type(made) in (numpy.ndarray, numpy.memmap):
        return ours._of(made)
    if type(made) in (list, tuple) or (isinstance(made, tuple) and hasattr(made, "_fields")):
        parts = [wrapped(part) for part in made]
        return type(made)(*parts) if hasattr(made, "_fields") else type(made)(parts)
    return made

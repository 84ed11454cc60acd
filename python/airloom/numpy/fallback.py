"""What is not compiled: NumPy does it, on arrays that have been computed, and the report says so."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy

from airloom import _report as report
from airloom.numpy import sizes


def call(name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], reason: str) -> Any:
    """Calls NumPy with arrays of its own, and gives arrays of ours back. What it writes to, it writes to the memory of ours."""
    given = _Given()
    own_args = tuple(given.take(arg) for arg in args)
    own_kwargs = {key: given.take(arg) for key, arg in kwargs.items()}
    # Less is NumPy's by choice: nothing is refused, and nothing reported.
    large = given.size > sizes.SMALL
    if large:
        report.refused(f"numpy.{name}", reason, "NumPy")
    started = time.perf_counter()
    made = function(*own_args, **own_kwargs)
    if large:
        report.LOG.add(f"numpy.{name}", "numpy", reason, time.perf_counter() - started, given.bytes)
    return wrapped(made)


def unwrapped(arg: Any) -> Any:
    """An argument with arrays of NumPy's in it in the stead of ours."""
    return _Given().take(arg)


class _Given:
    """Arguments on their way to NumPy."""

    def __init__(self) -> None:
        self.bytes = 0
        self.size = 0

    def take(self, arg: Any) -> Any:
        from airloom.numpy.lazy import ndarray

        if isinstance(arg, ndarray):
            # NumPy may write to it, or keep it: what reads it is computed before.
            return self._counted(arg.shared())
        if isinstance(arg, numpy.ndarray):
            return self._counted(arg)
        if type(arg) in (list, tuple):
            return type(arg)(self.take(part) for part in arg)
        if type(arg) is dict:
            return {key: self.take(part) for key, part in arg.items()}
        if type(arg) is slice:
            return slice(self.take(arg.start), self.take(arg.stop), self.take(arg.step))
        return arg

    def _counted(self, array: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
        self.bytes += array.nbytes
        self.size += array.size
        return array


def wrapped(made: Any) -> Any:
    """Arrays of NumPy's as ours, also in tuples and lists of them; anything else as it is."""
    from airloom.numpy.lazy import ndarray

    if type(made) in (numpy.ndarray, numpy.memmap):
        return ndarray._of(made)
    if type(made) in (list, tuple) or (isinstance(made, tuple) and hasattr(made, "_fields")):
        parts = [wrapped(part) for part in made]
        return type(made)(*parts) if hasattr(made, "_fields") else type(made)(parts)
    return made

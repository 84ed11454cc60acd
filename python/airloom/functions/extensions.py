"""What users say of functions that are not compiled: `overload` gives a function in Python that is compiled in place of a call."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from airloom.functions.kinds import Array, Complex, Kind, Known, Record, Scalar, View
from airloom.functions.refusals import NotCompiled


@dataclass(frozen=True)
class Argument:
    """What is known of an argument before a program runs."""

    #: The dtype of a number or of an array; none for anything else.
    dtype: numpy.dtype[Any] | None
    #: How many axes an array has; none for a number.
    ndim: int
    #: Whether it is a number of Python's, which takes the dtype of what it meets.
    is_python: bool = False
    #: What it is, where it is an object that is known: `None`, text, a function.
    value: Any = None
    #: The class of an object of a registered type.
    type: type | None = None


Choose = Callable[..., Callable[..., Any] | None]

_CHOOSERS: dict[Any, list[Choose]] = {}


def overload(function: Callable[..., Any]) -> Callable[[Choose], Choose]:
    """Says how a function is compiled where `@airloom.jit` does not know it, or not for some arguments.

    What is decorated is called with an `Argument` in place of each argument, and gives a function in Python with the same parameters, which is compiled in place of the call; or `None`. What was said last is asked first. Calls from Python are as they were.
    """

    def register(choose: Choose) -> Choose:
        _CHOOSERS.setdefault(function, []).insert(0, choose)
        return choose

    return register


def are_there() -> bool:
    """Whether anything was said of any function."""
    return bool(_CHOOSERS)


def is_overloaded(function: Any) -> bool:
    try:
        return function in _CHOOSERS
    except TypeError:
        return False


def chosen(function: Any, kinds: Sequence[Kind], named: dict[str, Kind]) -> types.FunctionType | None:
    """The function that is compiled in place of a call."""
    try:
        args, keywords = [_argument(kind) for kind in kinds], {name: _argument(kind) for name, kind in named.items()}
    except NotCompiled:
        return None
    for choose in _CHOOSERS[function]:
        found = choose(*args, **keywords)
        # One that was decorated itself is compiled all the same.
        found = getattr(found, "__wrapped__", found)
        if found is not None:
            if not isinstance(found, types.FunctionType):
                raise TypeError(f"an overload gives a function that is written in Python, or `None`, not `{type(found).__name__}`")
            return found
    return None


def _argument(kind: Kind) -> Argument:
    match kind:
        case Scalar():
            return Argument(kind.dtype, 0, kind.weak)
        case Complex():
            return Argument(numpy.dtype(complex), 0, True)
        case Array():
            return Argument(kind.dtype, kind.axes)
        case View():
            return Argument(kind.array.dtype, kind.axes)
        case Known():
            return Argument(None, 0, False, kind.value)
        case Record():
            return Argument(None, 0, type=kind.cls)
    raise NotCompiled(f"an argument that is {kind}")


__all__ = ["Argument", "chosen", "is_overloaded", "overload"]

"""Functions of NumPy's namespaces as functions of ours: they take arrays of ours, and give them."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy

from airloom.numpy import fallback


def found(space: ModuleType, name: str, prefix: str = "") -> Any:
    """What a name of a namespace of NumPy's is here. Classes, constants, modules and functions of elements are NumPy's own: those give arrays of ours where they are given one."""
    if name.startswith("__"):
        raise AttributeError(f"module 'airloom.{space.__name__}' has no attribute '{name}'")
    given = getattr(space, name)
    if callable(given) and not isinstance(given, (type, numpy.ufunc)) and not hasattr(given, "__path__"):
        return wrapping(prefix + name, given)
    return given


def wrapping(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that computes arrays of ours where NumPy's own must be given them."""
    from airloom.numpy import functions

    is_new, is_creating = function in functions.AT_ONCE, function in functions.CREATING

    def call(*args: Any, **kwargs: Any) -> Any:
        if is_creating and not kwargs and len(args) == 1 and type(args[0]) is int:
            return fallback.ours.of_new(function(*args))
        if is_new:
            made = fallback.at_once(function, args, kwargs)
            if made is not None:
                return made
        if function in functions._CAPTURED:
            return functions.call_function(function, args, kwargs)
        return fallback.call(name, function, args, kwargs, f"`{name}` is NumPy's")

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.__doc__ = function.__doc__
    # Its parameters are those of NumPy's function.
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call

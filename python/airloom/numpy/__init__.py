"""NumPy's namespace with arrays that are computed when somebody looks: `import airloom.numpy as np`.

Operations on elements, casts, `where` and reductions of all elements are captured and run as fused loops on every core, with NumPy's bits; everything else is NumPy's own
function on arrays that have been computed, and `airloom.report()` says so.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from airloom.numpy import fallback as _fallback
from airloom.numpy.explaining import explain
from airloom.numpy.functions import array, asarray
from airloom.numpy.lazy import ndarray


def _wrapping(name: str, function: Any) -> Any:
    from airloom.numpy import functions

    def call(*args: Any, **kwargs: Any) -> Any:
        if function in functions._CAPTURED:
            return functions.call_function(function, args, kwargs)
        return _fallback.call(name, function, args, kwargs, f"`{name}` is NumPy's")

    call.__name__ = call.__qualname__ = name
    call.__doc__ = function.__doc__
    return call


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'airloom.numpy' has no attribute '{name}'")
    found = getattr(_numpy, name)
    # Classes, constants, modules and functions of elements are NumPy's own: those give arrays of ours where they are given one.
    if callable(found) and not isinstance(found, (type, _numpy.ufunc)) and not hasattr(found, "__path__"):
        found = _wrapping(name, found)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*dir(_numpy), *__all__})


__all__ = ["array", "asarray", "explain", "ndarray"]

"""NumPy's namespace with arrays that are computed when somebody looks: `import airloom.numpy as np`.

Operations on elements, casts, `where` and reductions of all elements are captured and run as fused loops on every core, with NumPy's bits; everything else is NumPy's own
function on arrays that have been computed, and `airloom.report()` says so.
"""

from __future__ import annotations

import importlib as _importlib
from typing import Any

import numpy as _numpy

from airloom import _allocation
from airloom.numpy import namespace as _namespace
from airloom.numpy.explaining import explain
from airloom.numpy.functions import array, asarray
from airloom.numpy.lazy import ndarray
from airloom.numpy.standard import Information as __array_namespace_info__
from airloom.numpy.standard import argsort, clip, finfo, iinfo, sort

__array_api_version__ = "2025.12"

_allocation.keep_freed_memory()

#: The namespaces within that give arrays of ours.
_SPACES = ("array_api", "fft", "linalg")


def __getattr__(name: str) -> Any:
    if name in _SPACES:
        return _importlib.import_module(f"airloom.numpy.{name}")
    return globals().setdefault(name, _namespace.found(_numpy, name))


def __dir__() -> list[str]:
    return sorted({*dir(_numpy), *__all__})


__all__ = ["__array_namespace_info__", "argsort", "array", "asarray", "clip", "explain", "finfo", "iinfo", "ndarray", "sort"]

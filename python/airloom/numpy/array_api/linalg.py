"""Linear algebra as the Array API standard has it: NumPy's, but for eigenvalues, which are always complex."""

from __future__ import annotations

from typing import Any

import numpy.linalg as _numpy

from airloom.numpy import fallback as _fallback
from airloom.numpy import linalg as _linalg


def eig(x: Any, /) -> Any:
    """The eigenvalues and eigenvectors of matrices."""
    return _fallback.call("linalg.eig", _eig, (x,), {}, "`linalg.eig` is NumPy's")


def eigvals(x: Any, /) -> Any:
    """The eigenvalues of matrices."""
    return _fallback.call("linalg.eigvals", lambda array: _as_complex(_numpy.eigvals(array)), (x,), {}, "`linalg.eigvals` is NumPy's")


def _eig(array: Any) -> Any:
    found = _numpy.eig(array)
    return type(found)(*map(_as_complex, found))


def _as_complex(array: Any) -> Any:
    return array if array.dtype.kind == "c" else array.astype("c8" if array.dtype == "f4" else "c16")


def __getattr__(name: str) -> Any:
    return globals().setdefault(name, getattr(_linalg, name))


def __dir__() -> list[str]:
    return sorted({*dir(_linalg), *__all__})


__all__ = ["eig", "eigvals"]

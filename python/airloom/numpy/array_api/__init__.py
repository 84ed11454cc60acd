"""The namespace of the Array API standard, which `array.__array_namespace__()` gives: `airloom.numpy`, and the standard's answer where NumPy's is another one."""

from __future__ import annotations

import importlib as _importlib
from dataclasses import dataclass as _dataclass
from typing import Any

import numpy as _numpy

import airloom.numpy as _arrays
from airloom.numpy import fallback as _fallback
from airloom.numpy import standard as _standard

__array_api_version__ = "2025.12"


@_dataclass(frozen=True)
class FloatInformation:
    """The limits of a dtype of floats, as numbers of Python's."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any


def finfo(type: Any, /) -> FloatInformation:
    """The limits of a dtype of floats, or of an array's."""
    found = _standard.finfo(type)
    return FloatInformation(int(found.bits), float(found.eps), float(found.max), float(found.min), float(found.smallest_normal), found.dtype)


def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """A copy with the elements along an axis in order; what is equal keeps its order."""
    return _standard.sort(x, axis, stable=stable, descending=descending)


def argsort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """The positions of the elements along an axis in their order; what is equal keeps its order."""
    return _standard.argsort(x, axis, stable=stable, descending=descending)


def floor_divide(x1: Any, x2: Any, /) -> Any:
    """The quotient, rounded down: of an infinity it is one, and by an infinity it is zero, where Python and NumPy have NaN and -1."""
    found = _numpy.floor_divide(x1, x2)
    if found.dtype.kind != "f":
        return found
    exact = _numpy.true_divide(x1, x2)
    one_is_infinite = (_numpy.isinf(x1) & _numpy.isfinite(x2) & (x2 != 0)) | (_numpy.isinf(x2) & _numpy.isfinite(x1) & (x1 != 0))
    return _arrays.where(one_is_infinite, exact, found)


def expm1(x: Any, /) -> Any:
    """The exponential less one: of complex infinities and NaN it is what the standard says."""
    return _complex("expm1", x, _expm1)


def tanh(x: Any, /) -> Any:
    """The hyperbolic tangent: of a complex infinity its imaginary part is a zero with the sign of the number's."""
    return _complex("tanh", x, _tanh)


def _complex(name: str, x: Any, function: Any) -> Any:
    if x.dtype.kind != "c":
        return getattr(_numpy, name)(x)
    return _fallback.call(name, function, (x,), {}, "arrays of complex numbers are NumPy's")


def _expm1(x: Any) -> Any:
    with _numpy.errstate(invalid="ignore", over="ignore"):
        found = _numpy.array(_numpy.expm1(x))
    real, imaginary = x.real, x.imag
    is_real = (imaginary == 0) & ~_numpy.isfinite(real)
    found.real = _numpy.where(is_real, _numpy.expm1(real), found.real)
    found.imag = _numpy.where(is_real, imaginary, found.imag)
    found.real = _numpy.where((real == 0) & (imaginary == 0), 0, found.real)
    turns = _numpy.isinf(real) & ~_numpy.isfinite(imaginary)
    found.real = _numpy.where(turns, _numpy.where(real > 0, real, -1), found.real)
    found.imag = _numpy.where(turns, _numpy.where(real > 0, _numpy.nan, _numpy.copysign(0, imaginary)), found.imag)
    return found


def _tanh(x: Any) -> Any:
    found = _numpy.array(_numpy.tanh(x))
    ends = _numpy.isinf(x.real) & _numpy.isfinite(x.imag) & (x.imag != 0)
    found.imag = _numpy.where(ends, _numpy.copysign(0, x.imag), found.imag)
    return found


def __getattr__(name: str) -> Any:
    if name == "linalg":
        return _importlib.import_module("airloom.numpy.array_api.linalg")
    return globals().setdefault(name, getattr(_arrays, name))


def __dir__() -> list[str]:
    return sorted({*dir(_arrays), *__all__})


__all__ = ["argsort", "expm1", "finfo", "floor_divide", "linalg", "sort", "tanh"]

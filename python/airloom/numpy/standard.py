"""Functions of which the Array API standard asks for more than NumPy has: what NumPy accepts is accepted, and means the same."""

from __future__ import annotations

from typing import Any

import numpy

from airloom.numpy import fallback, functions
from airloom.numpy.lazy import ndarray

#: An argument that was not given.
_NOTHING: Any = object()


def clip(a: Any, min: Any = _NOTHING, max: Any = _NOTHING, out: Any = None, *, a_min: Any = _NOTHING, a_max: Any = _NOTHING, **kwargs: Any) -> Any:
    """The elements, but none below one bound or above another. NumPy's older names of the bounds are known too."""
    for name, new, old in (("a_min", min, a_min), ("a_max", max, a_max)):
        if new is not _NOTHING and old is not _NOTHING:
            raise ValueError(f"Passing `min` or `max` keyword argument when `{name}` is provided is forbidden.")
    low, high = (None if part is _NOTHING else part for part in (a_min if min is _NOTHING else min, a_max if max is _NOTHING else max))
    named = kwargs if out is None else {"out": out, **kwargs}
    return functions.call_function(numpy.clip, (a, low, high), named)


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: bool = False) -> Any:
    """A copy with the elements along an axis in order: the least first, or the greatest."""
    given = {"axis": axis, "kind": kind, "order": order, "stable": stable}
    if not descending:
        return functions.call_function(numpy.sort, (a,), given)
    # What is equal is the same, but for zeros of both signs and NaN of other bits: they stay in the order that they have.
    return fallback.call("sort", _descending_sort, (a,), given, "`sort` is NumPy's")


def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: bool = False) -> Any:
    """The positions of the elements along an axis in their order: that of the least first, or of the greatest."""
    given = {"axis": axis, "kind": kind, "order": order, "stable": stable}
    if not descending:
        return functions.call_function(numpy.argsort, (a,), given)
    return fallback.call("argsort", _descending_argsort, (a,), given, "`argsort` is NumPy's")


def _descending_argsort(a: Any, axis: Any, **given: Any) -> Any:
    """From back to front, so that what is equal keeps its order when the positions are read from back to front again."""
    array = numpy.asarray(a)
    if axis is None:
        array, axis = array.reshape(-1), -1
    found = numpy.argsort(numpy.flip(array, axis), axis, **given)
    return numpy.flip(array.shape[axis] - 1 - found, axis)


def _descending_sort(a: Any, axis: Any, **given: Any) -> Any:
    array = numpy.asarray(a)
    if axis is None:
        array, axis = array.reshape(-1), -1
    return numpy.flip(numpy.sort(numpy.flip(array, axis), axis, **given), axis)


def finfo(dtype: Any) -> Any:
    """The limits of a dtype of floats, or of an array's."""
    return numpy.finfo(dtype.dtype if isinstance(dtype, (ndarray, numpy.ndarray)) else dtype)


def iinfo(type: Any) -> Any:
    """The limits of a dtype of integers, or of an array's."""
    return numpy.iinfo(type.dtype if isinstance(type, (ndarray, numpy.ndarray)) else type)


def fftfreq(n: Any, d: Any = 1.0, device: Any = None, *, dtype: Any = None) -> Any:
    """The frequencies of a Fourier transform, as a dtype of floats."""
    return _frequencies("fftfreq", n, d, device, dtype)


def rfftfreq(n: Any, d: Any = 1.0, device: Any = None, *, dtype: Any = None) -> Any:
    """The frequencies of the Fourier transform of numbers that are not complex, as a dtype of floats."""
    return _frequencies("rfftfreq", n, d, device, dtype)


def _frequencies(name: str, n: Any, d: Any, device: Any, dtype: Any) -> Any:
    made = getattr(numpy.fft, name)(n, d, device=device)
    return fallback.wrapped(made if dtype is None else made.astype(dtype, copy=False))


class Information:
    """What the standard asks of a namespace: NumPy's answers, with the devices as it wants them."""

    def __init__(self) -> None:
        self._numpy: Any = numpy.__array_namespace_info__()

    def devices(self) -> tuple[str, ...]:
        """Where arrays can be."""
        return tuple(self._numpy.devices())

    def capabilities(self) -> Any:
        """What is known of shapes and of subscripts."""
        return self._numpy.capabilities()

    def default_device(self) -> Any:
        """Where arrays are."""
        return self._numpy.default_device()

    def default_dtypes(self, *, device: Any = None) -> Any:
        """The dtypes of arrays that are made without one."""
        return self._numpy.default_dtypes(device=device)

    def dtypes(self, *, device: Any = None, kind: Any = None) -> Any:
        """The dtypes of a kind."""
        return self._numpy.dtypes(device=device, kind=kind)


__all__ = ["Information", "argsort", "clip", "fftfreq", "finfo", "iinfo", "rfftfreq", "sort"]

"""What is seen of a computation: values to the bit, dtypes, shapes, layout, exceptions and warnings."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy

import airloom.numpy


def seen(value: Any) -> Any:
    """A value so that two are equal where nobody can tell them apart. Which NaN a NaN is does not matter: that depends on the order of operands, which processors differ in."""
    if isinstance(value, (tuple, list)):
        return [seen(part) for part in value]
    scalar = isinstance(value, numpy.generic)
    if not scalar and not isinstance(value, (numpy.ndarray, airloom.numpy.ndarray)):
        return value
    array = numpy.asarray(value)
    if array.dtype.kind in "fc":
        array = numpy.where(array != array, array.dtype.type(numpy.nan), array)
    layout = () if scalar else (numpy.asarray(value).flags.c_contiguous, numpy.asarray(value).flags.f_contiguous)
    return scalar, array.dtype, array.shape, layout, array.tolist() if array.dtype == object else array.tobytes()


def outcome(program: Callable[[], Any]) -> Any:
    """What a program gives, or raises, and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = seen(program())
        except Exception as error:
            found = (type(error), str(error))
    # A fused loop warns of the same things, but once for each operation of it.
    return found, sorted({(warning.category.__name__, str(warning.message)) for warning in caught})


def check(program: Callable[..., Any], *arrays: Any) -> None:
    """The same program on NumPy's arrays and on ours."""
    expected = outcome(lambda: program(numpy, *(numpy.array(array, copy=True) if isinstance(array, numpy.ndarray) else array for array in arrays)))
    found = outcome(lambda: program(airloom.numpy, *(ours(array) if isinstance(array, numpy.ndarray) else array for array in arrays)))
    assert found == expected


def ours(array: Any) -> Any:
    """An array of ours with the layout of NumPy's, in memory of its own."""
    return airloom.numpy.array(array, copy=True)

"""What the Array API standard asks for beyond NumPy, and that NumPy's own words mean what they did."""

from __future__ import annotations

import inspect
from typing import Any

import numpy
import pytest

import airloom.numpy as np

AWKWARD: list[Any] = [
    [],
    [1.0],
    [2.0, numpy.nan, -0.0, 0.0, numpy.inf, -numpy.inf, 2.0, 1.0],
    [[3, 1, 2], [2, 2, 1]],
    [True, False, True],
]


@pytest.mark.parametrize("values", AWKWARD)
def test_sorts_from_the_greatest_on(values: Any) -> None:
    array = numpy.array(values)
    keys = np.argsort(np.asarray(array), descending=True, stable=True)
    found = np.sort(np.asarray(array), descending=True)
    assert isinstance(keys, np.ndarray) and isinstance(found, np.ndarray)
    assert found.dtype == array.dtype and keys.dtype == numpy.intp
    assert numpy.array_equal(numpy.sort(array)[..., ::-1], numpy.asarray(found), equal_nan=array.dtype.kind == "f")
    assert numpy.array_equal(numpy.take_along_axis(array, numpy.asarray(keys), -1), numpy.asarray(found), equal_nan=array.dtype.kind == "f")
    # What is equal keeps its order.
    for own, row in zip(numpy.atleast_2d(numpy.asarray(keys)), numpy.atleast_2d(array), strict=True):
        assert all(first < second for first, second in zip(own[:-1], own[1:], strict=True) if row[first] == row[second])
    for function in ("sort", "argsort"):
        for axis in (-1, 0, None):
            ours, theirs = (getattr(space, function)(given, axis=axis) for space, given in ((np, np.asarray(array)), (numpy, array)))
            assert numpy.array_equal(numpy.asarray(ours), theirs, equal_nan=theirs.dtype.kind == "f")


def test_sorts_along_all_axes_at_once() -> None:
    array = numpy.array([[3, 1, 2], [2, 2, 1]])
    assert np.sort(np.asarray(array), axis=None, descending=True).tolist() == [3, 2, 2, 2, 1, 1]
    assert np.argsort(np.asarray(array), axis=None, descending=True, stable=True).tolist() == [0, 2, 3, 4, 1, 5]


def test_bounds_have_both_names() -> None:
    array = np.asarray([1.0, 5.0, 9.0])
    for found in (np.clip(array, 2, 6), np.clip(array, min=2, max=6), np.clip(array, a_min=2, a_max=6), np.clip(array, a_min=2, max=6)):
        assert found.tolist() == [2, 5, 6]
    assert np.clip(array, max=6).tolist() == [1, 5, 6]
    with pytest.raises(ValueError):
        np.clip(array, 2, a_min=3)


def test_limits_of_dtypes_and_of_arrays() -> None:
    assert np.iinfo(np.asarray([1], dtype="i2")).max == np.iinfo("i2").max == 32767
    assert np.finfo(np.asarray([1.0], dtype="f4")).eps == np.finfo("f4").eps == numpy.finfo("f4").eps


def test_namespaces_give_arrays_of_ours() -> None:
    import airloom.numpy.fft
    import airloom.numpy.linalg

    square = np.asarray([[2.0, 0.0], [0.0, 3.0]])
    assert isinstance(np.linalg.inv(square), np.ndarray)
    assert np.linalg.eigh(square).eigenvalues.tolist() == [2, 3]
    assert isinstance(np.fft.fft(square), np.ndarray) and isinstance(np.fft.fftfreq(4), np.ndarray)
    assert np.fft.rfftfreq(4, dtype=np.float32).dtype == numpy.float32
    assert airloom.numpy.fft.fftfreq(5).tolist() == numpy.fft.fftfreq(5).tolist()
    with pytest.raises(AttributeError):
        np.linalg.no_such_function  # noqa: B018


def test_what_is_asked_of_a_namespace() -> None:
    assert np.asarray([1]).__array_namespace__(api_version="2025.12") is np.array_api
    with pytest.raises(ValueError):
        np.asarray([1]).__array_namespace__(api_version="1999.12")
    found = np.__array_namespace_info__()
    assert found.devices() == ("cpu",) and found.default_device() == "cpu"
    assert found.dtypes(kind="bool") == {"bool": numpy.dtype(bool)}
    assert found.default_dtypes()["real floating"] == numpy.float64
    assert found.capabilities()["boolean indexing"]


def test_the_namespace_of_the_standard_has_the_standards_answers() -> None:
    xp: Any = np.asarray([1.0]).__array_namespace__()
    infinity = numpy.inf
    first, second = xp.asarray([infinity, -infinity, 1.0, -1.0, 7.0, 3.0, infinity]), xp.asarray([2.0, 2.0, -infinity, infinity, 2.0, 0.5, infinity])
    with numpy.errstate(all="ignore"):
        found, theirs = xp.floor_divide(first, second), np.floor_divide(first, second)
    assert numpy.array_equal(found, [infinity, -infinity, -0.0, -0.0, 3.0, 6.0, numpy.nan], equal_nan=True) and numpy.signbit(found).tolist()[2:4] == [True, True]
    # NumPy's name has NumPy's answer.
    assert numpy.isnan(theirs[0]) and theirs[2] == -1
    assert xp.floor_divide(xp.asarray([7, -7]), xp.asarray([2, 2])).tolist() == [3, -4]
    complexes = xp.asarray([complex(infinity, 0.0), complex(-infinity, infinity), complex(infinity, numpy.nan), complex(1.0, 2.0)])
    with numpy.errstate(all="ignore"):
        ours, plain = numpy.asarray(xp.expm1(complexes)), numpy.expm1(numpy.asarray(complexes))
    assert ours[0] == complex(infinity, 0.0) and ours[1] == -1 and ours[2].real == infinity and ours[3] == plain[3]
    assert numpy.asarray(xp.tanh(xp.asarray([complex(infinity, 2.0)])))[0] == 1
    assert isinstance(xp.finfo(xp.float32).eps, float) and xp.finfo(xp.float32).bits == 32
    assert xp.linalg.eigvals(xp.asarray([[2.0, 0.0], [0.0, 3.0]])).dtype == numpy.complex128
    assert xp.linalg.eig(xp.asarray([[2.0, 0.0], [0.0, 3.0]], dtype=xp.float32)).eigenvalues.dtype == numpy.complex64
    assert xp.argsort(xp.asarray([1, 0] * 40)).tolist() == [*range(1, 80, 2), *range(0, 80, 2)]
    assert xp.sum is np.sum and xp.linalg.inv is np.linalg.inv and "argsort" in dir(xp)


def test_signatures_are_those_of_numpy() -> None:
    assert inspect.signature(np.concatenate) == inspect.signature(numpy.concatenate)
    assert list(inspect.signature(np.tril).parameters) == ["m", "k"]


def test_there_is_one_device() -> None:
    array = np.asarray([1])
    assert array.to_device("cpu") is array
    with pytest.raises(ValueError):
        array.to_device("gpu")


def test_numbers_are_clipped_too() -> None:
    for value in (numpy.int8(0), np.asarray(numpy.int8(0))):
        assert np.clip(value, min=1) == np.clip(value, 1, 5) == 1

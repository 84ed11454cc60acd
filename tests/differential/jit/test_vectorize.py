"""`vectorize` and `guvectorize` beside the same loops in Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import airloom


def mixed(x: Any, y: Any) -> Any:
    return x * 2 + y if x > y else math.sqrt(abs(x))


def added(x: Any, y: Any) -> Any:
    return x + y


def same(found: Any, wanted: Any) -> None:
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert (found.dtype, found.shape, found.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "u1"])
@pytest.mark.parametrize("shapes", [((5,), (5,)), ((3, 1), (4,)), ((), (6,)), ((2, 3), ()), ((0,), (0,)), ((1,), (7,))])
def test_elements_are_those_of_the_loop(dtype: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    random = np.random.default_rng(1)
    x, y = (np.asarray(random.integers(0, 9, shape)).astype(dtype) for shape in shapes)
    found = airloom.vectorize(added)(x, y)
    wide = np.broadcast_arrays(x, y)
    wanted = np.array([added(a, b) for a, b in zip(wide[0].ravel(), wide[1].ravel(), strict=True)], dtype).reshape(wide[0].shape)
    same(found, wanted if wanted.shape else wanted[()])


def test_the_result_is_of_the_dtype_that_the_text_tells() -> None:
    made = airloom.vectorize(mixed)
    assert made(np.arange(4), 2).dtype == np.float64
    assert made(np.arange(4, dtype="f4"), np.float32(2)).dtype == np.float64
    assert airloom.vectorize(is_positive)(np.arange(3)).tolist() == [False, True, True]


def is_positive(x: Any) -> Any:
    return x > 0


def test_signatures_choose_the_first_that_holds_the_arguments() -> None:
    made = airloom.vectorize(["int32(int32, int32)", "float64(float64, float64)"])(added)
    assert made.types == ["ii->i", "dd->d"] and (made.nin, made.nout) == (2, 1)
    assert made(np.int32(1), np.int32(2)).dtype == np.int32
    assert made(np.arange(3), 0.5).tolist() == [0.5, 1.5, 2.5]
    with pytest.raises(TypeError, match="has no signature"):
        made(1j, 2)
    with pytest.raises(TypeError, match="is no signature"):
        airloom.vectorize(["float64"])(added)


def test_results_are_stored_where_it_is_said() -> None:
    made = airloom.vectorize(added)
    x, out = np.arange(4.0), np.zeros(4, "f4")
    assert made(x, x, out=out) is out and out.tolist() == [0, 2, 4, 6]
    assert made(x, x, out) is out
    # What is stored to may be what is read.
    assert made(x, x[::-1], out=x) is x and x.tolist() == [3, 3, 3, 3]
    with pytest.raises(TypeError):
        made(x, x, out=np.zeros(4, "i4"))


def test_functions_of_two_are_reduced() -> None:
    made = airloom.vectorize(["int64(int64, int64)"])(added)
    table = np.arange(12).reshape(3, 4)
    for axis in (0, 1, -1):
        same(made.reduce(table, axis=axis), np.add.reduce(table, axis=axis))
        same(made.accumulate(table, axis=axis), np.add.accumulate(table, axis=axis))
    same(made.outer(table, np.arange(2)), np.add.outer(table, np.arange(2)))
    with pytest.raises(ValueError, match="no identity"):
        made.reduce(np.zeros(0, "i8"))


def test_what_is_not_compiled_is_computed_by_python() -> None:
    def told(x: Any) -> Any:
        return float(f"{x:.1f}")

    assert airloom.vectorize(told)(np.array([1.26, 2.0])).tolist() == [1.3, 2.0]


@pytest.mark.parametrize("target", ["cpu", "parallel"])
def test_short_arrays(target: str) -> None:
    @airloom.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()", target=target)
    def inner(x: Any, y: Any, out: Any) -> None:
        s = 0.0
        for i in range(len(x)):
            s += x[i] * y[i]
        out[0] = s

    random = np.random.default_rng(2)
    x, y = random.random((4, 5, 3)), random.random((5, 3))
    wanted = np.array([[sum((a * b for a, b in zip(x[i, j], y[j], strict=True)), 0.0) for j in range(5)] for i in range(4)])
    same(inner(x, y), wanted)
    assert inner(y[0], y[0]).shape == ()
    assert inner(np.zeros((0, 3)), y[0]).shape == (0,)
    with pytest.raises(ValueError, match="`n` is 3 and 2"):
        inner(x, y[0, :2])


def test_matrices_are_short_arrays_too() -> None:
    @airloom.guvectorize(["void(float64[:,:], float64[:,:], float64[:,:])"], "(m,n),(n,p)->(m,p)")
    def product(x: Any, y: Any, out: Any) -> None:
        for i in range(x.shape[0]):
            for j in range(y.shape[1]):
                s = 0.0
                for k in range(x.shape[1]):
                    s += x[i, k] * y[k, j]
                out[i, j] = s

    x, y = np.random.default_rng(3).random((2, 3, 4)), np.random.default_rng(4).random((4, 2))
    assert np.allclose(product(x, y), x @ y) and product(x, y).shape == (2, 3, 2)
    out = np.zeros((2, 3, 2))
    assert product(x, y, out) is out and np.allclose(out, x @ y)

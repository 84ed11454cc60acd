"""Operators and functions of few elements, which NumPy makes at once what they make: numbers of Python's, views, stores, updates, as users have them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy
import pytest
import values
from compare import check

import airloom.numpy
from airloom.numpy import sizes

WORDS = (*values.COMPILED, *values.OTHERS)
OPERATORS: tuple[Callable[[Any, Any], Any], ...] = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.lshift, operator.rshift,
    operator.and_, operator.or_, operator.xor, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow, operator.ilshift, operator.irshift,
    operator.iand, operator.ior, operator.ixor,
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (
    0, 1, 2, -1, 3, 200, 300, 70_000, -70_000, 1 << 24, (1 << 24) + 1, 1 << 31, 1 << 63, 1 << 64, -(1 << 63), 10**40,
    0.0, -0.0, 1.0, 0.5, -2.5, 0.1, 1e-30, 1e-40, 1e-310, 1e30, 1e39, 1e300, float("inf"), float("-inf"), float("nan"), True, False, 1j, numpy.float32(0.1), numpy.int8(3),
)  # fmt: skip
KEYS: tuple[Any, ...] = (
    0, -1, 3, 100, slice(None), slice(1, -1), slice(None, None, -2), slice(5, 2), None, Ellipsis, (), (Ellipsis, 0), (slice(None), None), (None, slice(1, None)), True, 1.5,
    [0, 2], (0, 0), (slice(None), 1), (1, slice(None, None, -1)), numpy.int64(1), "name",
)  # fmt: skip


@pytest.fixture(autouse=True)
def everything_is_small(everything_is_large: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As users have it."""
    monkeypatch.setattr(sizes, "SMALL", 1 << 15)
    monkeypatch.setattr(sizes, "CACHED", 1 << 17)
    monkeypatch.setattr(sizes, "WORK", 6_000_000)


@pytest.mark.parametrize("word", WORDS)
def test_numbers_of_pythons(word: str) -> None:
    array = values.array(word, 13)
    for apply in OPERATORS:
        for number in NUMBERS:
            check(lambda np, x, apply=apply, number=number: apply(x, number), array)
            # A number that is kept is the one that was given.
            check(lambda np, x, apply=apply, number=number: apply(x, number), array)
            check(lambda np, x, apply=apply, number=number: apply(number, x), array)


@pytest.mark.parametrize("word", WORDS)
def test_pairs(word: str) -> None:
    for shapes in (((12,), (12,)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((12,), (5,)), ((0,), (1,)), ((), (3,)), ((3,), ()), ((2, 6), (12,))):
        first = numpy.resize(values.array(word, 12), shapes[0])
        for other in ("f8", "i8", "u1", "?", word):
            second = numpy.resize(values.array(other, 12)[::-1], shapes[1])
            for apply in OPERATORS:
                check(lambda np, x, y, apply=apply: apply(x, y), first, second)
                # What was given is changed by operators that change it, and by no others.
                check(lambda np, x, y, apply=apply: (apply(x, y), x, y), first, second)
            check(lambda np, x, y: (numpy.maximum(x, y), numpy.hypot(x, y)), first, second)
            check(lambda np, x, y: (np.where(x > 0, x, y), numpy.divmod(x, y)), first, second)


@pytest.mark.parametrize("word", ("f8", "i4", "?", "O"))
def test_views_and_stores(word: str) -> None:
    for shape in ((12,), (3, 4), (2, 3, 2), (), (0, 4)):
        array = numpy.resize(values.array(word, 12), shape)
        for key in KEYS:
            check(lambda np, x, key=key: x[key], array)
            for value in (1, 0.5, True, [1, 2], numpy.float64(2), "text"):
                def stored(np: Any, x: Any, key: Any = key, value: Any = value) -> Any:
                    x[key] = value
                    return x

                check(stored, array)

            def through_a_view(np: Any, x: Any, key: Any = key) -> Any:
                before, view = x + x, x[key]
                view[...] = 1
                view += 1
                whole = x.reshape(-1)
                whole[:2] = 0
                x.T[...] *= 2
                x[key] = view
                return before, view, whole, x

            check(through_a_view, array)


def test_keys_that_are_arrays() -> None:
    for word in ("f8", "i8", "O"):
        def taken(np: Any, x: Any, mask: Any, positions: Any, one: Any) -> Any:
            found = [x[mask], x[positions], x[one], x[x > 0]]
            found[2] = found[2] * 1
            found[0][...] = 7
            x[mask] = 1
            x[positions] = x[positions] + 1
            x[one] = 5
            x[x > 1] = x[0]
            return found, x

        check(taken, values.array(word, 12), numpy.arange(12) % 3 == 0, numpy.array([[1, 2], [3, 3]]), numpy.array(4))
        check(lambda np, x, positions: x[positions], values.array(word, 12), numpy.array([99]))
        check(lambda np, x, mask: x[mask], values.array(word, 12).reshape(3, 4), numpy.arange(12).reshape(3, 4) % 5 == 0)


def test_what_others_hold() -> None:
    def shared(np: Any, x: Any) -> Any:
        outside = numpy.asarray(x)[:]
        doubled, view = x * 2, x[1:]
        outside[2] = 50
        other = np.asarray(outside)
        other += 1
        view[0] = -1
        tripled = other * 3 + view[0]
        outside[...] = 9
        x[3] = 4
        x.shape = (2, -1)
        outside[0] = 11
        return doubled, view, other, tripled, x, outside

    for count in (12, 40_000, 200_000):
        check(shared, numpy.arange(float(count)))
        check(shared, numpy.arange(count))


def test_reductions() -> None:
    for word in ("f8", "f4", "i2", "?", "c16"):
        for shape in ((12,), (3, 4), (), (0,)):
            array = numpy.resize(values.array(word, 12), shape)
            for name in ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std"):
                check(lambda np, x, name=name: getattr(x, name)(), array)
                check(lambda np, x, name=name: getattr(np, name)(x), array)
                for axis in (0, -1, 1, 7, (0, 1), ()):
                    for keepdims in (False, True, 1):
                        check(lambda np, x, name=name, axis=axis, keepdims=keepdims: getattr(x, name)(axis=axis, keepdims=keepdims), array)
            for ddof in (0, 1, 12, 0.5):
                check(lambda np, x, ddof=ddof: (x.var(ddof=ddof), x.std(axis=0, ddof=ddof)), array)


def test_attributes_are_numpys() -> None:
    array = numpy.arange(6.0).reshape(2, 3)
    for name in dir(numpy.ndarray):
        if not name.startswith("_"):
            assert callable(getattr(numpy.ndarray, name)) == callable(getattr(airloom.numpy.ndarray, name))
    check(lambda np, x: (x.ravel(), x.squeeze(), x.cumsum(0), x.argmax(1), x.real, x.strides, x.T, x.mT, x.flags.writeable), array)

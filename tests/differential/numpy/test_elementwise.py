"""Functions of elements: every function of NumPy's, every dtype, every layout."""

from __future__ import annotations

import operator
from typing import Any

import compare
import numpy
import pytest
import values

UFUNCS = sorted(
    {found for found in vars(numpy).values() if isinstance(found, numpy.ufunc) and found.signature is None and found.nout <= 2},
    key=lambda function: function.__name__,
)
UNARY = [function for function in UFUNCS if function.nin == 1]
BINARY = [function for function in UFUNCS if function.nin == 2]
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.and_, operator.or_, operator.xor]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
WORDS = (*values.COMPILED, *values.OTHERS)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("function", UNARY, ids=lambda function: function.__name__)
def test_functions_of_one_array(function: numpy.ufunc, word: str) -> None:
    for count in (0, 1, 0 + len(values.awkward(word)), 40):
        compare.check(lambda np, x: getattr(np, function.__name__)(x), values.array(word, count) if count else values.array(word)[:0])


@pytest.mark.parametrize("function", BINARY, ids=lambda function: function.__name__)
def test_functions_of_two_arrays(function: numpy.ufunc) -> None:
    for left in values.COMPILED:
        for right in values.COMPILED:
            x = values.array(left, 45)
            y = numpy.roll(values.array(right, 45), 4)
            compare.check(lambda np, x, y: getattr(np, function.__name__)(x, y), x, y)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("apply", [*OPERATORS, *COMPARISONS], ids=lambda apply: apply.__name__)
def test_operators_with_numbers_of_python(apply: Any, word: str) -> None:
    x = values.array(word, 40)
    for number in (0, 1, 2, -1, 3, 300, 2**40, -(2**70), 0.0, 0.5, 2.0, -1.5, float("nan"), True, 1j, numpy.float32(1.5), numpy.int8(3), numpy.uint64(2)):
        compare.check(lambda np, x, number=number: apply(x, number), x)
        compare.check(lambda np, x, number=number: apply(number, x), x)


@pytest.mark.parametrize("other", [None, "text", object(), [1, 2], (1.5,) * 40, {}], ids=["none", "text", "object", "list", "tuple", "dict"])
def test_operators_with_anything_else(other: Any) -> None:
    if type(other) is object:
        return
    for word in ("f8", "i4", "?"):
        for apply in (operator.add, operator.eq, operator.lt):
            compare.check(lambda np, x, apply=apply: apply(x, other), values.array(word, 40))


@pytest.mark.parametrize("layout", values.LAYOUTS)
def test_layouts(layout: str) -> None:
    for word in values.COMPILED:
        x = values.laid_out(values.array(word, 20), layout)
        for other in values.LAYOUTS:
            y = values.laid_out(values.array("f8", 20), other)
            # The arrays keep their strides: those of ours are the same memory, which nobody else holds.
            expected = compare.outcome(lambda x=x, y=y: x * y + x[:1] - y[:, :1] * 2)
            found = compare.outcome(lambda x=x, y=y: (lambda a, b: a * b + a[:1] - b[:, :1] * 2)(_strided(x), _strided(y)))
            assert found == expected, other


def _strided(array: numpy.ndarray[Any, Any]) -> Any:
    """An array of ours with the strides of NumPy's."""
    import airloom.numpy

    return airloom.numpy.asarray(array.view())


@pytest.mark.parametrize("source", WORDS)
def test_casts(source: str) -> None:
    for target in (*values.COMPILED, "f2", "c8"):
        compare.check(lambda np, x, target=target: x.astype(target), values.array(source, 30))
        compare.check(lambda np, x, target=target: np.astype(x, np.dtype(target), copy=False), values.array(source, 30))


def test_where() -> None:
    for left in values.COMPILED:
        for right in values.COMPILED:
            x, y = values.array(left, 40), values.array(right, 40)
            compare.check(lambda np, x, y: np.where(x > x[::-1], x, y), x, y)
            compare.check(lambda np, x, y: np.where(x, y, 2), x, y)
            compare.check(lambda np, x, y: np.where(y != y[0], 0.5, x), x, y)
    compare.check(lambda np, x: np.where(x > 0), values.array("f8", 40))
    compare.check(lambda np, x: np.where(x > 0, 300, x), values.array("u1", 40))


def test_clip() -> None:
    for word in values.COMPILED:
        x = values.array(word, 40)
        for low, high in ((1, 5), (-1.5, 2.5), (0, 1), (None, 3), (2, None), (5, 1), (float("nan"), 1), (-0.0, 0.0), (1, 2**70)):
            compare.check(lambda np, x, low=low, high=high: np.clip(x, low, high), x)
            compare.check(lambda np, x, low=low, high=high: x.clip(low, high), x)


def test_shapes_are_broadcast() -> None:
    shapes = [(), (1,), (4,), (3, 1), (3, 4), (2, 1, 4), (0,), (0, 4), (5,)]
    for first in shapes:
        for second in shapes:
            x = numpy.arange(int(numpy.prod(first)), dtype="f8").reshape(first)
            y = numpy.arange(int(numpy.prod(second)), dtype="i4").reshape(second)
            compare.check(lambda np, x, y: x + y * 2, x, y)
            compare.check(lambda np, x, y: np.where(x > 1, x, y), x, y)


def test_settings_of_errors() -> None:
    x = values.array("f8", 40)
    for settings in ({"all": "ignore"}, {"all": "raise"}, {"divide": "raise", "invalid": "ignore"}, {"under": "warn"}):
        def program(np: Any, x: Any, settings: Any = settings) -> Any:
            with numpy.errstate(**settings):
                return numpy.asarray(x / x[::-1] * 1e300)

        compare.check(program, x)


def test_outputs_are_given() -> None:
    x, y = values.array("f8", 40), values.array("f4", 40)

    def program(np: Any, x: Any, y: Any) -> Any:
        z = x * 2
        made = np.add(x, y, out=z)
        assert made is z
        np.multiply(x, 3, out=y, casting="unsafe", where=x > 0)
        return [x, y, z, np.add.reduce(x), np.add.accumulate(y), np.add.outer(x[:3], y[:3])]

    compare.check(program, x, y)

"""Reductions: NumPy's bits, whatever the number of elements, the layout and the number of threads."""

from __future__ import annotations

from typing import Any

import compare
import numpy
import pytest
import values

import airloom
import airloom.numpy

NAMES = ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std")
LENGTHS = (1, 2, 7, 8, 9, 15, 16, 17, 127, 128, 129, 136, 255, 256, 257, 1000, 4097)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("word", (*values.COMPILED, *values.OTHERS))
def test_all_elements(name: str, word: str) -> None:
    for count in (0, 1, 5, 40):
        x = values.array(word, count) if count else values.array(word)[:0]
        compare.check(lambda np, x: getattr(x, name)(), x)
        compare.check(lambda np, x: getattr(np, name)(x), x)


@pytest.mark.parametrize("word", values.FLOATS)
def test_floats_are_added_in_the_order_of_numpy(word: str) -> None:
    draw = numpy.random.default_rng(0)
    for count in LENGTHS:
        x = (draw.standard_normal(count) * 10 ** draw.uniform(-6, 6, count)).astype(word)
        for name in ("sum", "prod", "mean", "var", "std"):
            compare.check(lambda np, x, name=name: getattr(x, name)(), x)
            compare.check(lambda np, x, name=name: getattr(x * 3 - x[0], name)(), x)


@pytest.mark.parametrize("threads", (1, 2, 5))
def test_large_sums_do_not_depend_on_threads(threads: int) -> None:
    draw = numpy.random.default_rng(1)
    with airloom.options(threads=threads):
        for word in ("f4", "f8", "i8", "u2"):
            x = (draw.standard_normal(300_007) * 1000).astype(word)
            for name in ("sum", "min", "max", "mean", "any"):
                compare.check(lambda np, x, name=name: getattr(x * 3 + 1, name)(), x)
            compare.check(lambda np, x: x * 3 + 1, x)


@pytest.mark.parametrize("layout", values.LAYOUTS)
def test_layouts(layout: str) -> None:
    draw = numpy.random.default_rng(2)
    for word in ("f4", "f8", "i4"):
        x = values.laid_out((draw.standard_normal(301) * 100).astype(word), layout)
        for name in NAMES:
            for axis in (None, 0, 1, -1, (0, 1), (1,)):
                expected = compare.outcome(lambda x=x, name=name, axis=axis: getattr(x, name)(axis=axis))
                found = compare.outcome(lambda x=x, name=name, axis=axis: getattr(airloom.numpy.asarray(x), name)(axis=axis))
                assert found == expected, (name, axis)
                expected = compare.outcome(lambda x=x, name=name, axis=axis: getattr(x * 2, name)(axis=axis))
                found = compare.outcome(lambda x=x, name=name, axis=axis: getattr(airloom.numpy.asarray(x) * 2, name)(axis=axis))
                assert found == expected, (name, axis)


def test_keywords() -> None:
    x = values.laid_out(numpy.arange(40.0), "plain")
    for options in ({"keepdims": True}, {"axis": 0, "keepdims": True}, {"dtype": "f4"}, {"initial": 5.0}, {"where": x > 3}, {"axis": 5}, {"axis": (0, 0)}):
        compare.check(lambda np, x, options=options: x.sum(**options), x)

    def written(np: Any, x: Any) -> Any:
        out = np.zeros(40)
        made = np.sum(x, axis=0, out=out)
        assert made is out
        return out

    compare.check(written, x)


def test_degrees_of_freedom() -> None:
    x = numpy.arange(10.0)
    for ddof in (0, 1, 9, 10, 11, 0.5):
        compare.check(lambda np, x, ddof=ddof: x.var(ddof=ddof), x)
        compare.check(lambda np, x, ddof=ddof: np.std(x * 2, ddof=ddof), x)

"""Random expressions over arrays of every dtype and several shapes: NumPy's bits, dtypes, layout and warnings."""

from __future__ import annotations

from typing import Any

import compare
import numpy
import values
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

UNARY = ("negative", "absolute", "sqrt", "floor", "square", "isnan", "invert", "logical_not", "exp", "reciprocal", "positive", "rint")
BINARY = ("add", "subtract", "multiply", "divide", "minimum", "maximum", "less", "greater_equal", "equal", "not_equal", "logical_and", "bitwise_or", "floor_divide", "hypot")
SHAPES = ((6,), (2, 6), (2, 1), (1, 6), ())

steps = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=8)


def evaluated(np: Any, given: list[Any], program: list[tuple[int, int, int, int]]) -> Any:
    """Several results, each made of those before, until something raises. A result that is never used is not computed, and warns of nothing: every one is used."""
    found = list(given)
    for step in program:
        try:
            found.append(stepped(np, found, *step))
        except (TypeError, ValueError) as error:
            return [*found[len(given) :], type(error), str(error)]
    return found[len(given) :]


def stepped(np: Any, found: list[Any], kind: int, first: int, second: int, third: int) -> Any:
    x, y = found[first % len(found)], found[second % len(found)]
    if kind == 0:
        return getattr(np, UNARY[third % len(UNARY)])(x)
    if kind < 4:
        return getattr(np, BINARY[third % len(BINARY)])(x, y)
    if kind == 4:
        return np.where(x, y, found[third % len(found)])
    return x.T if third % 2 else x.astype(values.COMPILED[second % len(values.COMPILED)])


@st.composite
def given_arrays(draw: st.DrawFn) -> list[numpy.ndarray[Any, Any]]:
    return [draw(values.arrays(draw(st.sampled_from(SHAPES)))) for _ in range(draw(st.integers(1, 3)))]


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(given_arrays(), steps)
def test_expressions(arrays: list[Any], program: list[tuple[int, int, int, int]]) -> None:
    compare.check(lambda np, *given: evaluated(np, list(given), program), *arrays)


def test_memory_that_a_slice_still_reads_is_not_written_to() -> None:
    def program(np: Any, x: Any) -> Any:
        made = x * 2
        part = made[1:]
        return [part * (made + 1)[1:], part - part + (made * 3)[:-1]]

    compare.check(program, values.array("f8", 12).reshape(3, 4))

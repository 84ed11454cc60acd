"""Loops over tiles: functions of NumPy's own, slices of what is not computed, and reductions along axes, all with NumPy's bits, wherever a tile begins."""

from __future__ import annotations

import operator
from typing import Any

import compare
import numpy
import pytest
import values
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import airloom
import airloom.numpy
from airloom.numpy import tiles

NAMES = ("sum", "prod", "min", "max", "any", "all", "mean", "var", "std")
ONE = "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh cbrt deg2rad rad2deg fabs sign signbit spacing".split()
TWO = "power arctan2 hypot logaddexp logaddexp2 fmod remainder floor_divide copysign nextafter float_power heaviside fmax fmin".split()
SHAPES = ((1000,), (997,), (60, 17), (300, 5), (7, 130), (40, 3, 5), (5, 40, 3), (1, 300), (300, 1), (300, 2))


def drawn(word: str, shape: tuple[int, ...], seed: int = 0) -> Any:
    """Numbers of many sizes, and awkward ones among them."""
    draw = numpy.random.default_rng(seed)
    found = draw.standard_normal(shape) * 10.0 ** draw.uniform(-3, 3, shape)
    with numpy.errstate(all="ignore"):
        made = found.astype(word)
    return made


def with_awkward(word: str, shape: tuple[int, ...]) -> Any:
    made = drawn(word, shape)
    flat = made.reshape(-1)
    own = values.array(word)
    flat[:: max(1, flat.size // own.size)][: own.size] = own[: flat[:: max(1, flat.size // own.size)].size]
    return made


@pytest.mark.parametrize("word", ("f4", "f8"))
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one(name: str, word: str) -> None:
    for shape in ((1003,), (61, 17)):
        for given_array in (drawn(word, shape), with_awkward(word, shape)):
            compare.check(lambda np, x: getattr(np, name)(x * 2) + 1, given_array)
            compare.check(lambda np, x: getattr(np, name)(x)[3:] * 1, given_array)


@pytest.mark.parametrize("word", ("f4", "f8", "i4", "u8"))
@pytest.mark.parametrize("name", TWO)
def test_functions_of_two(name: str, word: str) -> None:
    for shape in ((1003,), (61, 17)):
        x, y = with_awkward(word, shape), drawn(word, shape, 1)
        compare.check(lambda np, x, y: getattr(np, name)(x, y) + x, x, y)
        compare.check(lambda np, x, y: getattr(np, name)(x, y[-1:]) + x, x, y)


@pytest.mark.parametrize("word", values.COMPILED)
def test_powers(word: str) -> None:
    x = with_awkward(word, (1003,))
    for exponent in (0, 1, 2, 3, 7, -1, -2, 0.5, 2.0, -0.5, 1.5, 2**70, float("nan"), True):
        compare.check(lambda np, x, exponent=exponent: (x + x) ** exponent, x)
        compare.check(lambda np, x, exponent=exponent: (x**exponent)[1:], x)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("word", values.COMPILED)
def test_reductions_along_axes(name: str, word: str) -> None:
    for shape in SHAPES:
        for given_array in (drawn(word, shape), with_awkward(word, shape)):
            for axis in (0, -1, 1, (0, 1), (1, 2), (-1, 0)):
                for keepdims in (False, True):
                    compare.check(lambda np, x, axis=axis, keepdims=keepdims: getattr(x, name)(axis=axis, keepdims=keepdims), given_array)
                    compare.check(lambda np, x, axis=axis, keepdims=keepdims: getattr(np.fmax(x, x), name)(axis, keepdims=keepdims), given_array)


@pytest.mark.parametrize("layout", values.LAYOUTS)
def test_layouts(layout: str) -> None:
    for word in ("f4", "f8", "i4"):
        x = values.laid_out(drawn(word, (301,)), layout)
        compare.check(lambda np, x: np.hypot(x, 3) * 2, x)
        compare.check(lambda np, x: np.hypot(x, 3).sum(), x)
        compare.check(lambda np, x: np.hypot(x, 3)[1:] - np.hypot(x, 3)[:-1], x)
        for name in NAMES:
            for axis in (0, 1):
                compare.check(lambda np, x, name=name, axis=axis: getattr(np.hypot(x, 3), name)(axis=axis), x)
                compare.check(lambda np, x, name=name, axis=axis: np.hypot(x, 2) - getattr(x, name)(axis=axis, keepdims=True), x)


KEYS: tuple[Any, ...] = (
    slice(1, None), slice(None, -1), slice(2, -2), slice(None, None, 2), slice(1, None, 3), slice(3, 4), slice(5, 2), slice(None, None, -1), 0, -1, Ellipsis, None,
    (slice(1, None), Ellipsis, None), (Ellipsis, slice(1, None)), (slice(1, -1), slice(2, None, 2)), (slice(None), 0), (slice(2, None), -1), (0, slice(None)),
)  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_slices_of_what_is_not_computed(shape: tuple[int, ...]) -> None:
    x = drawn("f8", shape)
    for key in KEYS:
        compare.check(lambda np, x, key=key: np.exp(x * 1e-3)[key], x)
        compare.check(lambda np, x, key=key: (x * 2)[key] * 3, x)
        compare.check(lambda np, x, key=key: np.exp(x * 1e-3)[key].sum(), x)
        compare.check(lambda np, x, key=key: (np.exp(x * 1e-3)[key] + 1).sum(), x)
        compare.check(lambda np, x, key=key: np.sin(x[1:])[key] - np.sin(x)[1:][key] * 2, x)
        for other in KEYS:
            compare.check(lambda np, x, key=key, other=other: np.sin(np.exp(x * 1e-3)[key] * 2)[other] + 1, x)


def test_stencils() -> None:
    for shape in ((300, 7, 5), (9, 40, 11)):
        x = drawn("f8", shape)

        def diffusion(np: Any, field: Any) -> Any:
            lap = 4.0 * field[1:-1, 1:-1] - (field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2])
            step = lap[1:, 1:-1] - lap[:-1, 1:-1]
            flux_x = np.where(step * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0, 0, step)
            step = lap[1:-1, 1:] - lap[1:-1, :-1]
            flux_y = np.where(step * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0, 0, step)
            return field[2:-2, 2:-2] - 0.1 * (flux_x[1:] - flux_x[:-1] + flux_y[:, 1:] - flux_y[:, :-1])

        compare.check(diffusion, x)


def test_what_is_written_to_is_seen_through_slices() -> None:
    def program(np: Any, x: Any) -> Any:
        doubled = np.exp(x * 1e-3)
        view = doubled[1:]
        reads = view * 2
        doubled += 1
        first = view + 0
        view[:3] = -1
        second = doubled + 0
        view *= 3
        return np.concatenate([reads, first, second, doubled, view])

    compare.check(program, drawn("f8", (1000,)))

    def steps(np: Any, x: Any) -> Any:
        for _ in range(400):
            x = (x[1:] + x[:-1]) / 2
        return x

    compare.check(steps, drawn("f8", (1000,)))

    def slices(np: Any, x: Any) -> Any:
        made = x + 1
        for _ in range(3000):
            made = made[1:] if len(made) > 20 else made
        return made * 2

    compare.check(slices, drawn("f8", (1000,)))


def test_what_is_read_row_by_row_and_whole() -> None:
    def scaled(np: Any, x: Any, y: Any) -> Any:
        factors = np.exp(x)
        return (np.exp(y) * factors).sum(axis=1) + factors[:30]

    compare.check(scaled, drawn("f8", (40,)), drawn("f8", (30, 40)))


@pytest.mark.parametrize("threads", (1, 2, 7))
def test_answers_do_not_depend_on_threads(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "CACHE", 1 << 16)
    with airloom.options(threads=threads):
        for word in ("f4", "f8"):
            x = drawn(word, (60_001,))
            for name in ("sum", "mean", "min", "max", "var"):
                compare.check(lambda np, x, name=name: getattr(np.tanh(x) * 3, name)(), x)
            y = x[:60_000].reshape(2000, 30)
            compare.check(lambda np, y: (y * np.exp(-abs((y * y).sum(axis=1)))[:, None]).sum(axis=0), y)
            compare.check(lambda np, y: y - y.mean(axis=1, keepdims=True), y)


def test_what_others_hold_is_computed_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    x = drawn("f8", (5000,)) * 1e-3
    ours = airloom.numpy.array(x)
    powers = airloom.numpy.exp(ours)
    total = (powers * 2).sum()
    assert powers._expression.value is not None
    assert total == (numpy.exp(x) * 2).sum() and numpy.array_equal(numpy.exp(x) / total, powers / total)
    once = airloom.numpy.exp(ours) * 2
    steps: list[Any] = []
    original = tiles.program
    monkeypatch.setattr(tiles, "program", lambda *given: steps.append(original(*given)) or steps[-1])
    assert numpy.array_equal(once, numpy.exp(x) * 2)
    assert [step.kept is None for program in steps for step in program.steps] == [True, True]


numbers = st.integers(0, 40)
BINARY = (operator.add, operator.sub, operator.mul, operator.truediv, operator.gt)


def made(np: Any, x: Any, program: list[tuple[int, int, int]]) -> Any:
    """An expression of functions, slices and reductions; each step is of what was made before."""
    found = [x]
    for kind, first, second in program:
        left, right = found[first % len(found)], found[second % len(found)]
        match kind:
            case 0 | 1:
                found.append(BINARY[(first + second) % len(BINARY)](left, right))
            case 2:
                found.append(np.tanh(left))
            case 3 | 4:
                found.append(left[KEYS[second % len(KEYS)]])
            case 5:
                axes = numpy.ndim(left)
                found.append(getattr(left, NAMES[second % len(NAMES)])(axis=first % axes, keepdims=first % 3 == 0) if axes else left)
            case 6:
                found.append(np.where(left > 0, left, right))
            case 7:
                found.append(left**3)
    return found[-1]


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(SHAPES), st.sampled_from(("f8", "f4", "i4")), st.lists(st.tuples(st.integers(0, 7), numbers, numbers), min_size=1, max_size=12))
def test_random_expressions(shape: tuple[int, ...], word: str, program: list[tuple[int, int, int]]) -> None:
    # What is not needed for the result is not computed, and warns of nothing.
    with numpy.errstate(all="ignore"):
        compare.check(lambda np, x: made(np, x, program), drawn(word, shape))

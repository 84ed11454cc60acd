"""How many loops and arrays on the way there are in programs that are known from other compilers, counted from the plan; and that the answers are NumPy's."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import airloom.numpy as np
from airloom.numpy import sizes

ROWS = 300_000


@pytest.fixture(autouse=True)
def everything_is_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of arrays that do not stay in the cache, nothing is left to NumPy for being little work."""
    monkeypatch.setattr(sizes, "WORK", 0)


def counted(program: Callable[..., Any], *arrays: Any) -> tuple[int, int]:
    """Loops and arrays on the way, where the answer has NumPy's bits."""
    expected = program(numpy, *arrays)
    found = json.loads(np.explain(lambda: program(np, *map(np.array, arrays)), format="json"))
    ours = program(np, *map(np.array, arrays))
    assert numpy.asarray(ours).dtype == numpy.asarray(expected).dtype and numpy.asarray(ours).tobytes() == numpy.asarray(expected).tobytes()
    return found["kernels"], found["temporaries"]


def drawn(*shape: int, seed: int = 0) -> Any:
    return numpy.random.default_rng(seed).random(shape) + 0.5


def black_scholes(np: Any, price: Any, strike: Any, years: Any) -> Any:
    rate, volatility = 0.1, 0.2

    def cumulative(d: Any) -> Any:
        k = 1.0 / (1.0 + 0.2316419 * np.abs(d))
        polynomial = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        tail = 0.39894228040143267794 * np.exp(-0.5 * d * d) * polynomial
        return np.where(d > 0, 1.0 - tail, tail)

    root = np.sqrt(years)
    first = (np.log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / (volatility * root)
    second = first - volatility * root
    discount = np.exp(-rate * years)
    return price * cumulative(first) - strike * discount * cumulative(second)


def logistic_step(np: Any, points: Any, labels: Any, weights: Any) -> Any:
    products = (points * weights).sum(axis=1)
    errors = (1.0 / (1.0 + np.exp(-labels * products)) - 1.0) * labels
    return (points * errors[:, None]).sum(axis=0)


def horizontal_diffusion(np: Any, field: Any, coefficient: Any) -> Any:
    lap = 4.0 * field[1:-1, 1:-1] - (field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2])
    step = lap[1:, 1:-1] - lap[:-1, 1:-1]
    flux_x = np.where(step * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0, 0, step)
    step = lap[1:-1, 1:] - lap[1:-1, :-1]
    flux_y = np.where(step * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0, 0, step)
    return field[2:-2, 2:-2] - coefficient * (flux_x[1:] - flux_x[:-1] + flux_y[:, 1:] - flux_y[:, :-1])


def test_black_scholes() -> None:
    assert counted(black_scholes, *(drawn(ROWS, seed=seed) for seed in range(3))) == (1, 0)


def test_where_and_sum() -> None:
    a, b = drawn(8 * ROWS), drawn(8 * ROWS, seed=1)
    assert counted(lambda np, a, b: np.where(a > b, a - b, 2 * b).sum(), a, b) == (1, 0)


def test_variance() -> None:
    a = drawn(8 * ROWS)
    assert counted(lambda np, a: a.var(), a) == (2, 0)
    assert counted(lambda np, a: ((a - a.mean()) ** 2).sum() / len(a), a) == (2, 0)
    # Along rows, the mean of a row is known before the next row is read.
    assert counted(lambda np, a: (a * 2).reshape(-1, 8).var(axis=1), a) == (2, 1)
    assert counted(lambda np, a: a.var(axis=1), a.reshape(-1, 8)) == (1, 0)


def test_a_step_of_logistic_regression() -> None:
    points, labels, weights = drawn(ROWS, 10), numpy.sign(drawn(ROWS, seed=1) - 1.0), drawn(10, seed=2)
    # Others need two loops and one array: here the errors of a tile's rows are known before the next tile is read.
    assert counted(logistic_step, points, labels, weights) == (1, 0)
    whole = counted(lambda np, x, y, w: w - 0.01 * logistic_step(np, x, y, w), points, labels, weights)
    assert whole == (1, 0)


def test_horizontal_diffusion() -> None:
    assert counted(horizontal_diffusion, drawn(260, 260, 20), drawn(256, 256, 20, seed=1)) == (1, 0)


def test_slices_powers_and_divisions() -> None:
    a = drawn(8 * ROWS) * 10
    assert counted(lambda np, a: (a * 2)[1:] - (a * 2)[:-1], a) == (1, 0)
    assert counted(lambda np, a: (a**3 + a**0.5).sum(), a) == (1, 0)
    assert counted(lambda np, i: (i // 3 + i % 7) * 2, (a * 100).astype("i8")) == (1, 0)
    assert counted(lambda np, a: (np.sin(a) ** 2 + np.cos(a) ** 2).mean(), a) == (1, 0)
    # A value that is needed before a loop begins needs a loop of its own.
    assert counted(lambda np, a: a / a.max(), a) == (2, 0)
    assert counted(lambda np, a: np.exp(a - a.max()), a) == (2, 0)
    assert counted(lambda np, a: a.reshape(-1, 8) - a.reshape(-1, 8).mean(axis=0), a) == (1, 0)
    # Rows that are read in two ways are an array: every second one, and all.
    assert counted(lambda np, a: np.exp(a)[: len(a) // 2] + np.exp(a)[::2], a) == (1, 0)


def test_plans_of_arrays_that_are_not_computed() -> None:
    a = np.array(drawn(8 * ROWS))
    plan = json.loads(np.explain(np.exp(a[1:] * 2)[5:] + 1, format="json"))
    assert (plan["kernels"], plan["temporaries"]) == (1, 0)
    assert [loop["by"] for loop in plan["loops"]] == ["tiles"]
    assert plan["loops"][0]["operations"] == ["multiply", "exp", "slice", "add"]

"""How near results of windows are to what they should be: at least as near as pandas', by fractions that round nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas
import pytest

import airloom
import airloom.pandas
from airloom import _report as report

_WIDTH = 12
_ROWS = 150


def _data(name: str) -> np.ndarray:
    draw = np.random.default_rng(5)
    noise = draw.normal(size=_ROWS)
    return {
        "about-zero": noise,
        "far-from-zero": 1e8 + noise,
        "after-something-large": np.concatenate([[1e12, -1e12], noise[2:]]),
        "rising": np.arange(_ROWS) * 1e3 + noise,
        "small": noise * 1e-9,
    }[name]


def _central(window: list[Fraction], power: int) -> Fraction:
    mean = sum(window) / len(window)
    return sum(((x - mean) ** power for x in window), Fraction(0))


def _root(value: Fraction) -> float:
    return math.sqrt(value)


def _skew(window: list[Fraction]) -> float:
    n, second = len(window), _central(window, 2)
    return n * math.sqrt(n - 1) / (n - 2) * float(_central(window, 3) / second) / _root(second)


def _kurt(window: list[Fraction]) -> float:
    n, second = len(window), _central(window, 2)
    return float(Fraction(n - 1, (n - 2) * (n - 3)) * (n * (n + 1) * _central(window, 4) / second**2 - 3 * (n - 1)))


def _cov(window: list[Fraction], other: list[Fraction]) -> float:
    means = sum(window) / len(window), sum(other) / len(other)
    return float(sum(((x - means[0]) * (y - means[1]) for x, y in zip(window, other, strict=True)), Fraction(0)) / (len(window) - 1))


EXACT: dict[str, tuple[Callable[[Any], Any], Callable[..., float]]] = {
    "var": (lambda df: df["x"].rolling(_WIDTH).var(), lambda x, y: float(_central(x, 2) / (len(x) - 1))),
    "std": (lambda df: df["x"].rolling(_WIDTH).std(), lambda x, y: _root(_central(x, 2) / (len(x) - 1))),
    "skew": (lambda df: df["x"].rolling(_WIDTH).skew(), lambda x, y: _skew(x)),
    "kurt": (lambda df: df["x"].rolling(_WIDTH).kurt(), lambda x, y: _kurt(x)),
    "cov": (lambda df: df["x"].rolling(_WIDTH).cov(df["y"]), _cov),
    "corr": (lambda df: df["x"].rolling(_WIDTH).corr(df["y"]), lambda x, y: _cov(x, y) / _root(_central(x, 2) * _central(y, 2)) * (len(x) - 1)),
}


@pytest.mark.parametrize("data", ["about-zero", "far-from-zero", "after-something-large", "rising", "small"])
@pytest.mark.parametrize("name", EXACT)
def test_results_are_as_near_as_those_of_pandas(name: str, data: str, configuration: str) -> None:
    program, exact = EXACT[name]
    plain = pandas.DataFrame({"x": _data(data), "y": np.random.default_rng(6).normal(size=_ROWS)})
    x, y = ([Fraction(value) for value in plain[column]] for column in ("x", "y"))
    expected = np.array([exact(x[at - _WIDTH : at], y[at - _WIDTH : at]) for at in range(_WIDTH, _ROWS + 1)])
    report.LOG.clear()
    ours, theirs = (np.asarray(program(frame))[_WIDTH - 1 :] for frame in (airloom.pandas.DataFrame(plain), plain))
    assert not [entry for entry in airloom.report() if entry.where == "pandas"], "pandas would be compared with itself"
    # Spreads are as large as what they are of; shapes and correlations are about one, and what is near zero is what cancels out.
    scale = np.abs(expected) + (1.0 if name in ("skew", "kurt", "corr") else 0.0)
    wrong, tolerated = ((np.abs(found - expected) / scale).max() for found in (ours, theirs))
    # The oracle says what an op means, in as few steps as it takes; the engine may add up in any order, and chooses a better one.
    assert wrong <= max(tolerated, 1e-6 if configuration == "oracle" else 1e-12)

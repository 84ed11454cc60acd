"""Programs of slices, rows and whole arrays: those of the tests, at sizes that can be measured."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from programs import Program

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "differential" / "jit"))

import array_programs as written  # noqa: E402

Random = np.random.Generator


def definite(random: Random, size: int) -> Any:
    """A matrix that is symmetric and positive definite."""
    made = random.random((size, size))
    return made @ made.T + size * np.eye(size)


def program(name: str, arguments: Callable[[Random, int], tuple[Any, ...]], size: int, small: int) -> tuple[str, Program]:
    return f"{name.replace('_', ' ')}, arrays", Program(getattr(written, name), arguments, size, small)


ARRAY_PROGRAMS: dict[str, Program] = dict(
    [
        program("nbody", lambda r, n: (r.random((n, 3)), r.random((n, 3)), r.random(n), 0.01, 10), 60, 8),
        program("kmeans", lambda r, n: (r.random((n, 8)), r.random((10, 8)), 5), 5000, 60),
        program("lu", lambda r, n: (definite(r, n),), 200, 40),
        program("cholesky", lambda r, n: (definite(r, n),), 150, 30),
        program("life", lambda r, n: ((r.random((n, n)) < 0.4).astype(np.uint8), 10), 200, 16),
        program("edit", lambda r, n: (r.integers(0, 4, n), r.integers(0, 4, n)), 800, 60),
        program("conv2d", lambda r, n: (r.random((n, n)), r.random((5, 5))), 200, 24),
        program("floyd_rows", lambda r, n: (r.random((n, n)),), 200, 40),
        program("pairwise", lambda r, n: (r.random((n, 3)),), 300, 40),
        program("moving_mean", lambda r, n: (r.random(n), 20), 20000, 2000),
        program("heat", lambda r, n: (r.random(n), 0.1, 100), 20000, 2000),
        program("heat2d", lambda r, n: (r.random((n, n)), 50), 300, 60),
        program("histogram", lambda r, n: (r.random(n), 50, 0.1, 0.9), 1000000, 10000),
        program("sieve", lambda r, n: (n,), 1000000, 20000),
        program("lcg_walk", lambda r, n: (n, 42), 500000, 5000),
        program("black_scholes", lambda r, n: (r.random(n) + 1, r.random(n) + 1, r.random(n) + 0.1, 0.02, 0.3), 200000, 2000),
        program("knapsack", lambda r, n: (r.integers(1, 50, 100), r.integers(1, 50, 100), n), 10000, 500),
        program("spectral", lambda r, n: (n,), 400, 40),
        program("jacobi", lambda r, n: (definite(r, n), r.random(n), np.zeros(n), 1e-9, 30), 300, 20),
        program("gauss", lambda r, n: (definite(r, n), r.random(n)), 150, 40),
        program("lis", lambda r, n: (r.integers(0, 5000, n),), 3000, 200),
        program("gram", lambda r, n: (r.random((n, 40)),), 300, 60),
        program("wave", lambda r, n: (r.random(n), r.random(n), 0.2, 100), 20000, 2000),
        program("ewma", lambda r, n: (r.random(n), 0.3), 500000, 5000),
        program("rk4", lambda r, n: (np.array([1.0, 0.0]), 0.01, n), 20000, 500),
        program("linreg", lambda r, n: (r.random(n), r.random(n), 0.1, 200), 10000, 1000),
        program("softmax_rows", lambda r, n: (r.random((n, 50)),), 2000, 100),
        program("bilateral", lambda r, n: (r.random((n, n)), 3, 1.5), 100, 12),
        program("lorenz", lambda r, n: (n, 0.01), 100000, 2000),
        program("dtw", lambda r, n: (r.random(n), r.random(n)), 700, 60),
        program("normalise_rows", lambda r, n: (r.random((n, 50)),), 5000, 200),
        program("mandel_complex", lambda r, n: (-2.0, 1.0, -1.0, 1.0, n, n, 50), 300, 20),
        program("masked", lambda r, n: (r.random((n, 60)),), 3000, 200),
    ]
)

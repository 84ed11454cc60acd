"""Programs of loops, each written once, as people write them for a compiler of functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Program:
    """A function, what it is called with for a size, and NumPy's words for it where it has some."""

    function: Callable[..., Any]
    arguments: Callable[[np.random.Generator, int], tuple[Any, ...]]
    size: int
    #: A size at which CPython takes no longer than a second or so.
    small: int
    numpy: Callable[..., Any] | None = None


def jacobi(a, b, steps):
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])
        for i in range(1, a.shape[0] - 1):
            a[i] = 0.33333 * (b[i - 1] + b[i] + b[i + 1])
    return a


def jacobi_numpy(a, b, steps):
    for _ in range(steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return a


def jacobi_grid(a, b, steps):
    n, m = a.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i - 1, j] + a[i + 1, j])
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = b[i, j]
    return a


def jacobi_grid_numpy(a, b, steps):
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1])
        a[1:-1, 1:-1] = b[1:-1, 1:-1]
    return a


def seidel(a, steps):
    n, m = a.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i, j + 1] + a[i + 1, j]) / 5.0
    return a


def mandelbrot(out, most):
    n, m = out.shape
    for i in range(n):
        for j in range(m):
            cr = -2.0 + 3.0 * j / m
            ci = -1.5 + 3.0 * i / n
            zr = 0.0
            zi = 0.0
            k = 0
            while k < most and zr * zr + zi * zi <= 4.0:
                t = zr * zr - zi * zi + cr
                zi = 2.0 * zr * zi + ci
                zr = t
                k += 1
            out[i, j] = k
    return out


def prefix_sum(a, out):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
        out[i] = s
    return out


def sieve(flags):
    n = len(flags)
    count = 0
    for i in range(2, n):
        if flags[i]:
            count += 1
            for j in range(i * i, n, i):
                flags[j] = False
    return count


def edit_distance(a, b, table):
    for i in range(len(a) + 1):
        table[i, 0] = i
    for j in range(len(b) + 1):
        table[0, j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + cost)
    return table[len(a), len(b)]


def smith_waterman(a, b, table):
    best = 0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            score = table[i - 1, j - 1] + (2 if a[i - 1] == b[j - 1] else -1)
            score = max(score, table[i - 1, j] - 1)
            score = max(score, table[i, j - 1] - 1)
            if score < 0:
                score = table[i, j] * 0
            table[i, j] = score
            if score > best:
                best = score
    return best


def n_body(x, v, mass, steps, dt):
    n = x.shape[0]
    for _ in range(steps):
        for i in range(n):
            for j in range(n):
                if i != j:
                    dx = x[j, 0] - x[i, 0]
                    dy = x[j, 1] - x[i, 1]
                    dz = x[j, 2] - x[i, 2]
                    r = dx * dx + dy * dy + dz * dz + 0.01
                    f = mass[j] / (r * math.sqrt(r))
                    v[i, 0] += dt * f * dx
                    v[i, 1] += dt * f * dy
                    v[i, 2] += dt * f * dz
        for i in range(n):
            for k in range(3):
                x[i, k] += dt * v[i, k]
    return x


def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                t = d[i, k] + d[k, j]
                if t < d[i, j]:
                    d[i, j] = t
    return d


def floyd_warshall_numpy(d):
    for k in range(d.shape[0]):
        np.minimum(d, d[:, k, None] + d[k, None, :], out=d)
    return d


def histogram(x, counts):
    n = len(counts)
    for v in x:
        counts[int(v * n)] += 1
    return counts


def product(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


def product_by_rows(a, b, c):
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            t = a[i, k]
            for j in range(b.shape[1]):
                c[i, j] += t * b[k, j]
    return c


def monte_carlo(n):
    seed = 12345
    inside = 0
    for _ in range(n):
        seed = (1103515245 * seed + 12345) % 2147483648
        x = seed / 2147483648.0
        seed = (1103515245 * seed + 12345) % 2147483648
        y = seed / 2147483648.0
        if x * x + y * y <= 1.0:
            inside += 1
    return 4.0 * inside / n


def collatz(n):
    longest = 0
    best = 0
    for start in range(1, n):
        k = start
        steps = 0
        while k != 1:
            if k % 2 == 0:
                k = k // 2
            else:
                k = 3 * k + 1
            steps += 1
        if steps > longest:
            longest = steps
            best = start
    return best


def moving_average(x, out, width):
    for i in range(len(x) - width + 1):
        s = 0.0
        for j in range(width):
            s += x[i + j]
        out[i] = s / width
    return out


def clipped_sum(x, low, high):
    s = 0
    for v in x:
        if v < low:
            s += low
        elif v > high:
            s += high
        else:
            s += v
    return s


def cholesky(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = math.sqrt(a[i, i])
    return a


def black_scholes(price, strike, years, out):
    for i in range(len(price)):
        s = 0.3 * math.sqrt(years[i])
        d = (math.log(price[i] / strike[i]) + 0.06 * years[i]) / s
        out[i] = price[i] / (1.0 + math.exp(-1.7 * d)) - strike[i] * math.exp(-0.015 * years[i]) / (1.0 + math.exp(-1.7 * (d - s)))
    return out


def positive(random: np.random.Generator, n: int) -> np.ndarray[Any, Any]:
    made = random.random((n, n))
    return made @ made.T + n * np.eye(n)


PROGRAMS: dict[str, Program] = {
    "jacobi": Program(jacobi, lambda r, n: (r.random(n), r.random(n), 50), 200_000, 5_000, jacobi_numpy),
    "jacobi, f32": Program(jacobi, lambda r, n: (r.random(n).astype("f4"), r.random(n).astype("f4"), 50), 200_000, 5_000, jacobi_numpy),
    "jacobi, 2 axes": Program(jacobi_grid, lambda r, n: (r.random((n, n)), r.random((n, n)), 10), 1_000, 60, jacobi_grid_numpy),
    "seidel": Program(seidel, lambda r, n: (r.random((n, n)), 10), 500, 60),
    "mandelbrot": Program(mandelbrot, lambda r, n: (np.zeros((n, n), "i8"), 100), 400, 60),
    "prefix sum": Program(prefix_sum, lambda r, n: (r.random(n), np.zeros(n)), 5_000_000, 500_000, lambda a, out: np.cumsum(a, out=out)),
    "sieve": Program(sieve, lambda r, n: (np.ones(n, "?"),), 3_000_000, 200_000),
    "edit distance": Program(edit_distance, lambda r, n: (r.integers(0, 4, n, "u1"), r.integers(0, 4, n, "u1"), np.zeros((n + 1, n + 1), "i4")), 2_000, 200),
    "smith-waterman": Program(smith_waterman, lambda r, n: (r.integers(0, 4, n, "u1"), r.integers(0, 4, n, "u1"), np.zeros((n + 1, n + 1), "i8")), 2_000, 200),
    "n-body": Program(n_body, lambda r, n: (r.random((n, 3)), r.random((n, 3)), r.random(n), 5, 0.01), 600, 50),
    "floyd-warshall": Program(floyd_warshall, lambda r, n: (r.random((n, n)),), 400, 60, floyd_warshall_numpy),
    "histogram": Program(histogram, lambda r, n: (r.random(n), np.zeros(64, "i8")), 3_000_000, 200_000),
    "product": Program(product, lambda r, n: (r.random((n, n)), r.random((n, n)), np.zeros((n, n))), 300, 60),
    "product by rows": Program(product_by_rows, lambda r, n: (r.random((n, n)), r.random((n, n)), np.zeros((n, n))), 400, 60),
    "monte carlo": Program(monte_carlo, lambda r, n: (n,), 10_000_000, 200_000),
    "collatz": Program(collatz, lambda r, n: (n,), 300_000, 5_000),
    "moving average": Program(moving_average, lambda r, n: (r.random(n), np.zeros(n), 20), 1_000_000, 20_000),
    "clipped sum, i32": Program(clipped_sum, lambda r, n: (r.integers(-100, 100, n, "i4"), -50, 50), 10_000_000, 300_000, lambda x, low, high: x.clip(low, high).sum()),
    "cholesky": Program(cholesky, lambda r, n: (positive(r, n),), 400, 60),
    "black-scholes": Program(black_scholes, lambda r, n: (r.random(n) + 50, r.random(n) + 50, r.random(n) + 1, np.zeros(n)), 1_000_000, 100_000),
}

"""Functions of the kinds that people compile, with arguments that are awkward for them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import airloom

CASES: list[tuple[Any, list[tuple[Any, ...]]]] = []


def case(*calls: tuple[Any, ...]) -> Callable[[Callable[..., Any]], Any]:
    """A function, compiled, and what it is called with."""

    def keep(function: Callable[..., Any]) -> Any:
        made = airloom.jit(function)
        CASES.append((made, list(calls)))
        return made

    return keep


def f8(*values: float) -> np.ndarray[Any, Any]:
    return np.array(values, "f8")


AWKWARD = f8(1.5, -0.0, math.nan, math.inf, -2.25, 1e308, 5e-324)
NARROW = np.array([1.5, -0.0, math.nan, math.inf, -2.25, 1e38, 1e-45], "f4")
GRID = np.arange(12.0).reshape(3, 4)
WHOLE = np.array([3, -1, 0, 9223372036854775807, -9223372036854775808, 7], "i8")


@case((AWKWARD,), (f8(),), (f8(-0.0),), (NARROW,), (WHOLE,), (WHOLE.astype("i4"),), (np.array([True, True, False]),), (AWKWARD[::-2],))
def total(x):
    s = 0
    for i in range(len(x)):
        s += x[i] * 1
    return s


@case((f8(1, 2, 3, 4), 2), (f8(1, 2), 3), (f8(), 1), (AWKWARD, 4))
def jacobi(a, steps):
    b = a.copy()
    for _ in range(steps):
        for i in range(1, len(a) - 1):
            b[i] = 0.33 * (a[i - 1] + a[i] + a[i + 1])
        for i in range(1, len(a) - 1):
            a[i] = 0.33 * (b[i - 1] + b[i] + b[i + 1])
    return b


@case((GRID.copy(), 2), (np.asfortranarray(GRID), 3), (GRID[::2, ::-1].copy(), 1), (GRID[:, ::2], 1), (np.zeros((0, 3)), 1))
def seidel(a, steps):
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i, j + 1] + a[i + 1, j]) / 5.0
    return a


@case((-2.0, 1.0, 8, 50), (0, 0, 3, 10))
def mandelbrot(low, high, n, most):
    inside = 0
    for i in range(n):
        for j in range(n):
            cr = low + (high - low) * i / n
            ci = low + (high - low) * j / n
            zr = zi = 0.0
            k = 0
            while k < most and zr * zr + zi * zi <= 4.0:
                zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
                k += 1
            if k == most:
                inside += 1
    return inside


@case((30,), (2,), (0,), (1,))
def sieve(n):
    flags = np.ones(n + 1, "?")
    count = 0
    for i in range(2, n + 1):
        if not flags[i]:
            continue
        count += 1
        for j in range(i * i, n + 1, i):
            flags[j] = False
    return count, flags


@case((np.array([1, 2, 3, 4], "u1"), np.array([2, 3, 3], "u1")), (np.array([], "u1"), np.array([5], "u1")))
def edit_distance(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), "i8")
    for i in range(len(a) + 1):
        table[i, 0] = i
    for j in range(len(b) + 1):
        table[0, j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + cost)
    return table[len(a), len(b)]


@case((np.array([[0, 3, 1e9], [1e9, 0, -2], [1, 1e9, 0]]),), (np.zeros((0, 0)),))
def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


@case((GRID.copy(), GRID.T.copy()), (GRID.astype("f4"), GRID.T.astype("f8")), (GRID.astype("i4"), GRID.T.astype("i8")), (GRID, GRID.T))
def product(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


@case((AWKWARD[:2], 4), (f8(0.5, 3.9, 2.0, -0.5), 4), (f8(9.0), 4), (f8(math.nan), 4), (f8(-5.5), 4))
def histogram(x, n):
    counts = np.zeros(n, "i8")
    for v in x:
        counts[int(v)] += 1
    return counts


@case((7,), (1,), (27,), (2**62 + 1,), (0,))
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
        if steps > 500:
            return -1
    return steps


@case((1, 20), (2**31 - 1, 5), (-7, 3))
def generator(seed, n):
    s = 0.0
    for _ in range(n):
        seed = (1103515245 * seed + 12345) % 2147483648
        s += seed / 2147483648
    return seed, s


@case((f8(3, 1, 2),), (f8(),), (AWKWARD.copy(),), (WHOLE.copy(),))
def insertion_sort(a):
    for i in range(1, len(a)):
        x = a[i]
        j = i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x
    return a


@case((f8(1, 2, 3), 2), (f8(1, 2, 3), 9.5), (f8(), 0), (WHOLE, 7))
def search(a, x):
    for i, v in enumerate(a):
        if v == x:
            return i
    return None


@case((3,), (0,), (-1,))
def after_a_loop(n):
    for i in range(n):
        t = i * 2
    return i, t


@case((5, 0), (5, 2), (-7, 2), (7, -2), (-(2**63), -1), (2**62, 3))
def divided(a, b):
    s = 0
    for _ in range(2):
        s += a // b + a % b
    return s, a / 2


@case((1.0, 0.0), (1.0, -2.5), (-7.5, 2.0), (math.inf, 2.0), (-0.0, 3.0), (np.float64(1), np.float64(0)), (np.float32(1), 0), (np.int64(5), np.int64(0)), (np.int8(-128), np.int8(-1)))
def divided_floats(a, b):
    s = a
    for _ in range(2):
        s = a / b
        s = s + a // b
        s = s - a % b
    return s


@case((2**62,), (5,), (-(2**63),))
def grows(x):
    for _ in range(3):
        x = x * 3 + 1
    return x


@case((np.array([250, 3], "u1"), 7), (np.array([1, 2], "i4"), 2**31), (np.array([1, 2], "i4"), -5), (np.array([1.5]), 2), (np.array([1.5], "f4"), 2**60), (np.array([True, False]), 3))
def weak(a, k):
    s = a[0]
    for i in range(len(a)):
        s = s + k
        a[i] = s
    return s


@case((f8(1, 2, 3), 3), (f8(1, 2, 3), -4), (f8(1, 2, 3), 1), (np.zeros((2, 2)), 5))
def outside(a, k):
    for i in range(2):
        a[i] = 9
        a[k] = a[k] + 1
    return a


@case((4.0,), (-1.0,), (0.0,), (math.inf,), (math.nan,), (2,), (np.float64(9),), (1e308,))
def mathematics(x):
    s = 0.0
    for k in range(1, 3):
        s += math.sqrt(x) + math.sin(x) * math.exp(x / k) - math.log(x)
        s += math.floor(x) + math.ceil(x) + math.fabs(x) + math.atan2(x, k)
    return s


@case((2.0, 3), (-8.0, 2), (-8.0, 0.5), (0.0, -1), (2, 3), (np.float64(1.1), 2), (np.float64(-1.1), 0.5), (np.int64(3), 2), (1e200, 2))
def powers(x, y):
    s = 0
    for _ in range(2):
        s = x**2 + x**3
        s = s + x**y
    return s


@case((f8(1, 5, 3), f8(2, 2, 2)), (f8(1), f8()), (WHOLE, AWKWARD))
def zipped(a, b):
    best = -1.0
    for x, y in zip(a, b):
        best = max(best, x * y, y)
        if x > y and not x == 5 or y != y:
            best += 0.5
    return best


@case((np.array([True, True, True]), np.array([3, 1, 0], np.uint32), np.int64(-1), 2.5, np.int64(3), 3), (np.array([True, True, True]), np.array([3, 1, 0], np.uint32), np.int64(-1), 0.0, np.int64(3), 3))
def leaves_two_loops(a, b, x, y, k, n):
    s = x
    for x, v in zip(a, b):
        for j in range(n - 1):
            if 0 == y:
                return -1
    return (x, k, y)


@case((np.zeros((2, 2)), 7, 0), (np.zeros((2, 2)), 7, 2), (np.zeros((3, 2)), 7, 0))
def rows_before_columns(c, k, n):
    for i in range(3):
        c[i + (n == 0) * 3][(k + i) % n] += i
    return c


@case((np.linspace(0.1, 0.9, 9), 3), (np.linspace(0.1, 0.9, 9)[::-1], 3), (np.linspace(0.1, 0.9, 18)[::2], 3))
def exponentials_backwards(b, n):
    e = b * 0
    for i in range(n):
        e += np.cbrt(b * (i + 1))
    for i in range(n):
        b[:] = np.exp(b[::-1])
    return e, b


@case((np.array([[4, -1, -2], [-7, 0, 0], [1, 7, -2]]), 3), (np.arange(16.0).reshape(4, 4), 4))
def rows_of_columns(c, n):
    for j in range(n):
        c[j, :] = c[j, ::-1]
    for j in range(n):
        c[j, :] = c[:, -1]
    for j in range(n):
        c[0, 1:] = c[0, :-1]
    return c


@case((6, 3), (6, 1000), (0, 1))
def nested_breaks(n, stop):
    seen = 0
    for i in range(n):
        for j in range(n):
            if j > i:
                break
            if (i + j) % 2:
                continue
            seen += j
            if seen > stop:
                return i, j
    return seen


def helper(x, y):
    if x > y:
        return x - y
    return (y - x) * 0.5


@case((f8(1, 5, 3), 2.0), (AWKWARD, 0))
def calls(a, y):
    s = 0.0
    for i in range(len(a)):
        s += helper(a[i], y)
    return s


SCALE = 3


@case((f8(1, 2),))
def reads_globals(a):
    s = 0
    for x in a:
        s += x * SCALE * math.pi
    return s


@case((f8(1, 2, 3), 1), (f8(1, 2, 3), 5))
def in_try(a, k):
    s = 0.0
    try:
        for i in range(len(a)):
            s += a[i + k]
    except IndexError:
        return "outside", s
    return s


@case((np.arange(6), 2), (np.arange(6), 0))
def shifts(a, k):
    s = 1
    for i in range(len(a)):
        s ^= (i << k) | (7 >> k) & i
        a[i] = (a[i] << k) ^ (a[i] >> 1) & ~a[i]
    return s, a


@case((GRID[:3, :3].copy(),), (np.asfortranarray(GRID[:, :3]),), (np.zeros((0, 0)),))
def row_against_column(a):
    for i in range(1, a.shape[0]):
        a[i, 0] = a[0, i] - a[i - 1, 0]
        a[0, i] += a[i, 0]
    return a


@case((np.array([1, 2**63], "u8"), 3), (np.array([1, 2**63], "u8"), np.int64(-3)), (np.array([5], "u8"), -1), (np.array([7, 9], "u4"), np.int32(-2)))
def mixed_signs(a, k):
    s = a[0]
    for x in a:
        s = x + k
        if x > 4:
            s = x * 2
    return s


@case((3, 2.5), (0, 1), (-2, True))
def one_name_many_kinds(n, x):
    for i in range(n):
        if i == 1:
            x = i
        elif i == 2:
            x = x * 1.5
    return x


@case((f8(3, 1, 2), 2), (f8(3, 1, 2), 0))
def flipped_in_place(y, k):
    for i in range(k):
        y[i] += y[k - 1 - i]
    return y


_BENT = lambda x, k=2: x * k if x > 1 else x - k  # noqa: E731


@case((f8(0.5, 2.0, -3.0), 3), (np.array([0, 4], "i4"), 1), (AWKWARD, 2.5))
def calls_a_lambda(a, k):
    s = 0
    for i in range(len(a)):
        s += _BENT(a[i]) - _BENT(i, k)
    return s


@case(*((np.zeros(3, dtype), np.array([1.75, value, 2.0], source)) for dtype in ("i1", "i8") for source in ("f8", "f4") for value in (math.nan, math.inf, -math.inf, 300.5, -0.5, 1e30, -(2.0**63), 2.0**63)))
def floats_as_integers(a, b):
    for i in range(len(a)):
        a[i] = b[i]
    return a

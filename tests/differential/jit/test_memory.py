"""Loops over arrays that share memory with one another or with themselves, that may not be written to, whose indices wrap, and whose names are other functions than they seem: the answers are Python's, and so is what is left in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from compare import check
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import airloom
from airloom.functions import parallel

N = 300


@pytest.fixture(autouse=True)
def any_loop_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "LEAST", 0)


def stored(a: Any, b: Any, n: int) -> None:
    for i in range(n):
        a[i] = b[i] * 0.5 + i


def both_stored(a: Any, b: Any, n: int) -> None:
    for i in range(n):
        a[i] = b[i] = b[i] + i


def rows_stored(a: Any, b: Any, n: int) -> None:
    for i in range(n):
        for j in range(a.shape[1]):
            a[i, j] = b[i, j] + 1.0


def views_of_one(a: Any, b: Any, n: int) -> Any:
    p, q = a[:-1], a[1:]
    for i in range(n - 1):
        q[i] = p[i] + 1.0
    return p


def a_view_is_given_back(a: Any, b: Any, n: int) -> Any:
    r = a[1:]
    for i in range(n):
        a[i] = i
    return r


def carried(a: Any, b: Any, n: int) -> float:
    s = 0.0
    for i in range(1, n):
        x = a[0]
        a[i] = i
        s += a[0] - x
    return s


def _line(first: int, second: int, step: int = 1) -> Callable[[], tuple[Any, ...]]:
    def made() -> tuple[Any, ...]:
        x = np.arange(2.0 * N + 8)
        return x[first : first + N * step : step], x[second : second + N * step : step], N

    return made


def _square() -> tuple[Any, ...]:
    x = np.arange(900.0).reshape(30, 30)
    return x, x.T, 30


def _windows() -> tuple[Any, ...]:
    x = sliding_window_view(np.arange(N + 4.0), 5, writeable=True)
    return x, x, N


def _zero(writeable: bool) -> Callable[[], tuple[Any, ...]]:
    def made() -> tuple[Any, ...]:
        x = as_strided(np.ones(1), (N,), (0,), writeable=writeable)
        return x, np.arange(float(N)) if not writeable else x, N

    return made


def _read_only() -> tuple[Any, ...]:
    x = np.zeros(N)
    x.flags.writeable = False
    return x, np.arange(float(N)), N


def _backwards() -> tuple[Any, ...]:
    x = np.arange(float(N))
    return x, x[::-1], N


_LINES = {"same": _line(0, 0), "one on": _line(1, 0), "one back": _line(0, 1), "interleaved": _line(0, 1, 2), "backwards": _backwards, "zero stride": _zero(True), "broadcast": _zero(False), "read-only": _read_only}


@pytest.mark.parametrize("arguments", _LINES)
@pytest.mark.parametrize("function", [stored, both_stored, views_of_one, a_view_is_given_back, carried])
@pytest.mark.parametrize("threads", [1, 4])
def test_arrays_that_share_memory(function: Any, arguments: str, threads: int) -> None:
    with airloom.options(threads=threads):
        for _ in range(3):
            check(airloom.jit(function), _LINES[arguments](), compiled=False, oracle=False)


@pytest.mark.parametrize("arguments", [_square, _windows])
def test_tables_that_share_memory(arguments: Any) -> None:
    with airloom.options(threads=4):
        for _ in range(3):
            check(airloom.jit(rows_stored), arguments(), compiled=False, oracle=False)


def test_windows_that_overlap_are_not_stored_to_on_several_cores() -> None:
    """With enough turns that several cores are at it at once."""

    def halved(a: Any, n: int) -> None:
        for i in range(n):
            for j in range(a.shape[1]):
                a[i, j] = a[i, j] * 0.5 + i

    ours, theirs = np.ones(20_004), np.ones(20_004)
    with airloom.options(threads=4):
        airloom.jit(halved)(sliding_window_view(ours, 5, writeable=True), 20_000)
    halved(sliding_window_view(theirs, 5, writeable=True), 20_000)
    assert ours.tobytes() == theirs.tobytes()


def read_by_another_loop(a: Any, b: Any, n: int) -> None:
    for i in range(n):
        if a[i] > 290.0:
            x = i
        a[i] = 0
    for k in range(x):
        x = 5
        b[k] = x


def read_after_another_loop(a: Any, b: Any, n: int) -> int:
    x = 0
    for i in range(n):
        if a[i] > 290.0:
            x = i
        a[i] = 0
    for k in range(0):
        x = 5
    else:
        b[0] = x
    return n


def declared_alone(a: Any, b: Any, n: int) -> float:
    x = -1.0
    for i in range(n):
        x: float  # type: ignore[no-redef]
        if a[i] > 290.0:
            x = a[i]
        a[i] = 0
    return x


def number_changed(a: Any, b: Any, n: int) -> None:
    for i in range(n):
        for j in range(2):
            a[i] = 1.0
        j = n - i
        a[i] = b[j]


def number_changed_inside(a: Any, b: Any, n: int) -> None:
    for i in range(n):
        for j in range(2):
            a[i] = 1.0
            j = j + i
            a[i] = b[j]


def two_loops_with_one_number(a: Any, b: Any, n: int) -> None:
    for i in range(n):
        for j in range(3):
            a[i] = b[j]
        for j in range(2, n + 1):
            a[i] += b[j]


def number_left_behind(a: Any, b: Any, n: int) -> None:
    for i in range(n):
        for j in range(3 - i):
            a[i] = j
        a[i] = j


def bound_changed(a: Any, b: Any, n: int) -> int:
    m = n
    for i in range(m):
        m = 3
        a[i] = m
    return m


def counted_from_the_end(a: Any, b: Any, n: int) -> None:
    for i in range(n + 1):
        a[i - 1] = b[i % n] + i


def rows_counted_from_the_end(a: Any, b: Any, n: int) -> None:
    c = np.zeros((n, 3))
    for i in range(n + 1):
        c[i - 1] = i
    for i in range(n):
        a[i] = c[i, 0]


@pytest.mark.parametrize(
    "function",
    [read_by_another_loop, read_after_another_loop, declared_alone, number_changed, number_changed_inside, two_loops_with_one_number, number_left_behind, bound_changed, counted_from_the_end, rows_counted_from_the_end],
)
def test_names_and_numbers_of_loops(function: Any) -> None:
    for extent in (N, N + 1, 5):
        with airloom.options(threads=4):
            check(airloom.jit(function), (np.arange(float(N))[::-1].copy(), np.arange(float(extent)), N), compiled=False, oracle=False)


def after_a_new_axis(a: Any, b: Any, n: int) -> None:
    for i in range(n):
        a[None, i] = a[0, i] + 1.0


def after_an_ellipsis(a: Any, b: Any, n: int) -> None:
    for i in range(n):
        a[..., i, 0] = a[5, i] + 1.0


def by_narrow_numbers(a: Any, b: Any, n: int) -> None:
    k = np.uint8(5)
    for i in range(n):
        a[i, 0] = 1.0
        a[i, 1] = b[(-k) + np.int64(6), 0]


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("function", [after_a_new_axis, after_an_ellipsis, by_narrow_numbers])
def test_indices_are_of_the_axis_that_they_are_of(function: Any) -> None:
    with airloom.options(threads=4):
        check(airloom.jit(function), (np.arange(900.0).reshape(30, 30), np.arange(900.0).reshape(30, 30), 30), compiled=False, oracle=False)


@pytest.mark.parametrize("step", [0, -1, 1, 3, np.int8(100)])
def test_any_step(step: Any) -> None:
    def stepped(a: Any, n: int, s: int) -> int:
        i = -1
        for i in range(0, n, s):
            a[i] = i
        return i

    for n in (N, -N, 0):
        check(airloom.jit(stepped), (np.zeros(N), n, step), compiled=False, oracle=False)


_OUTSIDE = np.zeros(0)


def test_a_function_with_the_name_of_a_pure_one_reads_what_the_loop_stores() -> None:
    global _OUTSIDE

    def max(x: Any, i: int) -> Any:
        return _OUTSIDE[i - 1]

    class np:  # noqa: N801
        @staticmethod
        def sqrt(x: Any) -> Any:
            return x + _OUTSIDE[0]

    def shadowed(a: Any, n: int) -> None:
        for i in range(1, n):
            a[i] = max(a[i], i)

    def shadowed_module(a: Any, n: int) -> None:
        for i in range(n):
            a[i] = np.sqrt(a[i])

    def outside(a: Any, n: int) -> None:
        for i in range(1, n):
            a[i] = _OUTSIDE[i - 1] + 1.0

    for function in (shadowed, shadowed_module, outside):
        left = []
        for called in (function, airloom.jit(function)):
            _OUTSIDE = numbers = __import__("numpy").arange(float(N))
            called(numbers, N)
            left.append(numbers.tobytes())
        assert left[0] == left[1], function.__name__


def test_functions_that_hide_those_of_python() -> None:
    def hidden_len(a: Any, n: int, len: Any) -> None:
        for i in range(len(a)):
            a[i] = 1.0

    def hidden_range(a: Any, n: int, range: Any) -> None:
        for i in range(n):
            a[i] = i

    for function, other in ((hidden_len, lambda x: 7), (hidden_range, lambda x: [3, 2, 1])):
        ours, theirs = np.zeros(N), np.zeros(N)
        airloom.jit(function)(ours, N, other)
        function(theirs, N, other)
        assert ours.tobytes() == theirs.tobytes()

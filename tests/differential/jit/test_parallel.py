"""Loops that are found to be independent run on every core: the answers are Python's, errors included, and every other loop says why it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import airloom
from airloom.functions import parallel


@pytest.fixture(autouse=True)
def any_loop_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "LEAST", 0)


def is_parallel(function: Any) -> bool:
    return any(part.is_automatic and part.compiled and part.compiled[-1].loop is not None for part in function.parts)


def table(rows: int = 37, columns: int = 11) -> Any:
    return np.random.default_rng(4).random((rows, columns))


def diffused(a: Any, b: Any, k: float) -> float:
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = a[i, j] + k * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4.0 * a[i, j])
    last = 0.0
    for i in range(len(a)):
        last = b[i, 1]
    return last


def in_place(a: Any, b: Any, k: float) -> float:
    for i in range(len(a)):
        total = a[i, 0] * k
        for j in range(a.shape[1]):
            a[i, j] += total
            b[i, j] = a[i, j] - total
    return total


def columns(a: Any, b: Any, k: float) -> None:
    for j in range(a.shape[1]):
        for i in range(1, a.shape[0]):
            a[i, j] = a[i - 1, j] * k + a[i, j]


def backwards(a: Any, b: Any, k: float) -> int:
    for i in range(a.shape[0] - 1, -1, -2):
        b[i][3] = a[i][2] * k
    return i


def by_rows(a: Any, b: Any, k: float) -> None:
    n = a.shape[0]
    for i in range(n):
        for j in range(min(i, 5), a.shape[1]):
            b[i, j] = a[i, j] * k if a[i, j] > 0.5 else 0.0


@pytest.mark.parametrize("function", [diffused, in_place, columns, backwards, by_rows])
def test_loops_on_every_core_are_pythons(function: Any) -> None:
    jitted = airloom.jit(function)
    for shape in ((37, 11), (2, 11), (1, 4), (200, 5)):
        ours, theirs = (table(*shape), np.zeros(shape)), (table(*shape), np.zeros(shape))
        assert repr(jitted(*ours, 0.25)) == repr(function(*theirs, 0.25))
        assert ours[0].tobytes() == theirs[0].tobytes() and ours[1].tobytes() == theirs[1].tobytes()
    assert is_parallel(jitted) and "parallel" in jitted.explain(table(), table(), 0.25)


@pytest.mark.parametrize("rows", [0, 3, 40])
def test_a_turn_that_raises_leaves_what_python_would(rows: int) -> None:
    def shifted(a: Any, b: Any, by: int) -> None:
        for i in range(len(a)):
            a[i] = b[i + by]

    jitted = airloom.jit(shifted)
    for by in (0, 2, -1, 100):
        ours, theirs = np.zeros(rows), np.zeros(rows)
        source = np.arange(1.0, rows + 2)
        errors = []
        for function, target in ((jitted, ours), (shifted, theirs)):
            try:
                function(target, source, by)
                errors.append("")
            except IndexError as error:
                errors.append(str(error))
        assert errors[0] == errors[1] and ours.tobytes() == theirs.tobytes()
    assert is_parallel(jitted) or rows == 0


def test_indices_from_the_end_are_not_taken_for_others() -> None:
    def wrapped(a: Any) -> None:
        for i in range(len(a)):
            a[i - 1] = a[i - 1] * 2.0 + 1.0

    ours, theirs = np.arange(9.0), np.arange(9.0)
    airloom.jit(wrapped)(ours)
    wrapped(theirs)
    assert ours.tobytes() == theirs.tobytes()


def test_arrays_that_overlap_are_left_to_python() -> None:
    jitted = airloom.jit(diffused)
    both, again = table(), table()
    assert repr(jitted(both, both, 0.5)) == repr(diffused(again, again, 0.5))
    assert both.tobytes() == again.tobytes()
    rows, plain = np.arange(60.0).reshape(6, 10), np.arange(60.0).reshape(6, 10)
    jitted(rows[1:], rows[:-1], 0.5)
    diffused(plain[1:], plain[:-1], 0.5)
    assert rows.tobytes() == plain.tobytes()


def _told(function: Any, *args: Any) -> str:
    return airloom.jit(function).explain(*args)


def test_every_loop_on_one_core_says_why() -> None:
    def reads_before(a: Any) -> None:
        for i in range(1, len(a)):
            a[i] = a[i] + a[i - 1]

    def adds_up(a: Any) -> float:
        s = 0.0
        for i in range(len(a)):
            s += a[i]
        return s

    def scatters(a: Any, k: Any) -> None:
        for i in range(len(k)):
            a[k[i]] = a[k[i]] + 1.0

    def leaves(a: Any) -> int:
        for i in range(len(a)):
            if a[i] > 3.0:
                break
            a[i] = 0.0
        return i

    def keeps(a: Any) -> Any:
        last = 0.0
        for i in range(len(a)):
            if a[i] > 3.0:
                last = a[i]
            a[i] = 1.0
        return last

    def divides(a: Any, k: float) -> None:
        for i in range(len(a)):
            a[i] = 1.0 / k

    def nested(a: Any) -> None:
        for t in range(3):
            for i in range(len(a)):
                a[i] = a[i] * 0.5

    def waits(a: Any) -> int:
        i = 0
        while i < len(a) and a[i] < 3.0:
            i += 1
        return i

    x = np.arange(6.0)
    assert "reads `a[i - 1]`, and another turn may store there" in _told(reads_before, x.copy())
    assert "a turn reads `s` from the turn before; hint: `airloom.prange`" in _told(adds_up, x.copy())
    assert "`a[k[i]]` may be stored to by several turns" in _told(scatters, x.copy(), np.array([1, 1, 2]))
    assert "it may be left before its end" in _told(leaves, x.copy())
    assert "`last` is read after it" in _told(keeps, x.copy()) or "a turn reads `last`" in _told(keeps, x.copy())
    assert "may raise in one turn, after others have stored" in _told(divides, x.copy(), 2.0)
    told = _told(nested, x.copy())
    assert "it is inside of the loop of line" in told and "may be stored to by several turns" in told
    assert "how often a `while` turns is not known before" in _told(waits, x.copy())


def test_little_work_is_done_on_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "LEAST", 1 << 15)
    jitted = airloom.jit(in_place)
    a, b = table(), table()
    jitted(a, b, 0.5)
    assert not is_parallel(jitted) and any(part.whole and part.compiled for part in jitted.parts)
    large = table(2000, 30)
    again, other = large.copy(), large.copy()
    assert jitted(large, np.zeros_like(large), 0.5) == in_place(again, other, 0.5) and large.tobytes() == again.tobytes()
    assert is_parallel(jitted)

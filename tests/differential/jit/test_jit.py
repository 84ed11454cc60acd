"""`@airloom.jit` beside CPython and the oracle: the same bits, the same errors, the same stores."""

from __future__ import annotations

import gc
import threading
import traceback
from typing import Any

import compare
import numpy as np
import programs
import pytest
import random_functions

import airloom
from airloom import prange


@pytest.mark.parametrize(("jitted", "args"), [pytest.param(made, args, id=f"{made.__name__}-{at}") for made, calls in programs.CASES for at, args in enumerate(calls)])
def test_programs_are_the_same_compiled(jitted: Any, args: tuple[Any, ...]) -> None:
    end = compare.check(jitted, args, compiled=False)
    assert end != "stuck" or jitted in (programs.histogram, programs.weak), "these meet what does not fit after a store"


@pytest.mark.parametrize("jitted", [made for made, _ in programs.CASES], ids=lambda made: made.__name__)
def test_programs_are_compiled(jitted: Any) -> None:
    for args in next(calls for made, calls in programs.CASES if made is jitted):
        compare.outcome(jitted, args)
    assert any(part.compiled for part in jitted.parts), [jitted.described(why) for part in jitted.parts for _, why in part.refusals]


@pytest.mark.parametrize("seed", range(40))
def test_random_functions(seed: int) -> None:
    random_functions.run(10_000 + seed, oracle=seed % 4 == 0)


def test_globals_are_read_at_every_call() -> None:
    args = (np.array([1.0, 2.0]),)
    before = programs.reads_globals(*args)
    programs.SCALE, kept = 5.0, programs.SCALE  # type: ignore[assignment]
    try:
        assert programs.reads_globals(*args) == programs.reads_globals.__wrapped__(*args) != before
    finally:
        programs.SCALE = kept


def test_a_closure_is_read_at_every_call() -> None:
    scale = 2.0

    @airloom.jit
    def scaled(a):
        s = 0.0
        for x in a:
            s += x * scale
        return s

    assert scaled(np.array([1.0, 2.0])) == 6.0
    scale = 10.0
    assert scaled(np.array([1.0, 2.0])) == 30.0
    assert scaled.parts[0].compiled


@airloom.jit
def _shifted(a, b):
    for i in range(len(b)):
        a[i] = b[i] + 1
    return a


def test_arrays_that_overlap_are_left_to_python_and_reported() -> None:
    _shifted.clear()
    for other in (lambda a: a[:-1], lambda a: a[::-1], lambda a: a):
        first, second = np.arange(6.0), np.arange(6.0)
        assert _shifted(first[1:], other(first)[:5]).tolist() == _shifted.__wrapped__(second[1:], other(second)[:5]).tolist()
    assert "read-only, or overlaps another" in str(airloom.report())


def test_a_read_only_array_raises_as_ever() -> None:
    array = np.arange(3.0)
    array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        _shifted(array, np.arange(3.0))


def test_an_error_after_a_store_names_the_line() -> None:
    array = np.zeros(3)
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3") as raised:
        _shifted(array, np.arange(5.0))
    assert array.tolist() == [1, 2, 3]
    last = traceback.extract_tb(raised.tb)[-1]
    assert last.filename == __file__ and last.line == "a[i] = b[i] + 1" and last.name == "_shifted"


def test_an_integer_that_does_not_fit_after_a_store_says_so() -> None:
    @airloom.jit
    def cubes(a, x):
        for i in range(len(a)):
            x = x * x
            a[i] = x % 7
        return x

    with pytest.raises(OverflowError, match="after it had stored"):
        cubes(np.zeros(9, "i8"), 3)


def test_errors_that_are_to_be_raised_are() -> None:
    @airloom.jit
    def quotient(a):
        s = 1.0
        for x in a:
            s = s / x
        return s

    with np.errstate(divide="ignore"):
        assert quotient(np.zeros(1)) == np.inf
    assert "`numpy.errstate` asks for" in str(airloom.report())
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        quotient(np.zeros(1))


def test_prange_is_range_and_does_not_depend_on_threads() -> None:
    @airloom.jit
    def sums(x, out):
        s, least, count = 0.0, 1e9, 0
        for i in prange(len(x)):
            t = x[i] * 0.1
            out[i] = t
            s += t
            least = min(least, t)
            count += 1
        return s, least, count, t

    x = np.random.default_rng(1).normal(size=10_001)
    found = []
    for threads in (1, 2, 7):
        with airloom.options(threads=threads):
            out = np.zeros_like(x)
            found.append(sums(x, out))
            assert (out == x * 0.1).all()
    assert found[0] == found[1] == found[2]
    wanted = sums.__wrapped__(x, np.zeros_like(x))
    assert found[0][1:] == wanted[1:] and abs(found[0][0] - wanted[0]) < 1e-9
    assert sums.parts[0].compiled[0].loop is not None


def test_a_loop_that_depends_on_the_turn_before_is_run_on_one_core() -> None:
    @airloom.jit
    def running(x):
        last = 0.0
        for i in prange(len(x)):
            last = x[i] + last
            x[i] = last
        return last

    first, second = np.arange(9.0), np.arange(9.0)
    assert running(first) == running.__wrapped__(second) and (first == second).all()
    assert running.parts[0].compiled[0].loop is None


def test_what_is_not_compiled_has_its_reason() -> None:
    @airloom.jit
    def mixed(a, b):
        for i in range(len(a)):
            a[i] += 1
        for i in range(len(a)):
            b.append(sorted(a)[i])
        return b

    airloom.report(clear=True)
    assert mixed(np.array([2.0, 1.0]), []) == [2.0, 3.0]
    reasons = [entry.reason for entry in airloom.report() if entry.where == "host"]
    assert any("`.append` of `list`" in reason and "test_jit.py" in reason and "`mixed`" in reason for reason in reasons)
    told = mixed.explain(np.array([2.0, 1.0]), [])
    assert "compiled" in told and "left to Python" in told and "arr.put" in told
    with airloom.strict(), pytest.raises(airloom.RefusedError, match="append"):
        mixed.clear()
        mixed(np.array([2.0, 1.0]), [])


def test_it_is_a_function_as_before() -> None:
    class Owner:
        @airloom.jit
        def method(self, a, scale=2.0, *, more=1):
            """Adds."""
            s = 0.0
            for x in a:
                s += x * scale + more
            return s

    assert Owner().method(np.ones(3)) == 9.0 and Owner().method(np.ones(3), 1.0, more=0) == 3.0
    assert Owner.method.__doc__ == "Adds." and Owner.method.__name__ == "method"
    with pytest.raises(TypeError, match="missing"):
        Owner().method()


def test_functions_that_cannot_be_written_anew_run_as_they_are() -> None:
    class Base:
        def start(self):
            return 1.0

    class Owner(Base):
        def __init__(self):
            self.__hidden = 2.0

        @airloom.jit
        def private(self, a):
            s = self.__hidden
            for x in a:
                s += x
            return s

        @airloom.jit
        def parent(self, a):
            s = super().start()
            for x in a:
                s += x
            return s

    assert Owner().private(np.ones(3)) == 5.0 and Owner().parent(np.ones(3)) == 4.0
    assert Owner.parent.parts[-1].compiled and not Owner.private.parts

    @airloom.jit
    def queens(n, row, columns):
        if row == n:
            return 1
        found = 0
        for c in range(n):
            fits = True
            for r in range(row):
                if columns[r] == c or abs(columns[r] - c) == row - r:
                    fits = False
            if fits:
                columns[row] = c
                found += queens(n, row + 1, columns)
        return found

    assert queens(5, 0, np.zeros(5, "i8")) == 10


def test_code_runs_without_the_lock() -> None:
    @airloom.jit(nogil=True)
    def spin(n):
        s = 0
        for i in range(n):
            s = (s * 31 + i) % 1000003
        return s

    spin(10)
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(spin(200_000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [spin.__wrapped__(200_000)] * 4


def test_other_objects_at_the_same_address_are_not_taken_for_those_before() -> None:
    def make(step):
        def shift(x):
            return x + step

        return shift

    @airloom.jit
    def apply(f, a):
        s = 0.0
        for x in a:
            s += f(x)
        return s

    for step in range(20):
        assert apply(make(step), np.ones(2)) == 2 * (1 + step)
        gc.collect()


def test_kinds_that_change_are_told_apart() -> None:
    assert type(programs.total(np.zeros(0))) is int
    assert type(programs.total(np.ones(1))) is np.float64
    assert type(programs.total(np.ones(1, "f4"))) is np.float32
    assert type(programs.total(np.ones(1, "i4"))) is np.int32

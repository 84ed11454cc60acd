"""Regions of compiled functions that Python runs: what they are given, give, store and raise is what it is without compiling."""

from __future__ import annotations

import math
import threading
import traceback
from typing import Any, NamedTuple

import numpy as np
import pytest
from compare import check

import airloom


def compiled(function: Any) -> Any:
    made = airloom.jit(function)
    made.in_background = False
    return made


def is_code(jitted: Any) -> bool:
    return any(part.compiled for part in jitted.parts)


LOG: list[Any] = []


def logged(a: Any, every: int) -> Any:
    total = 0.0
    for i in range(len(a)):
        total += a[i]
        if i % every == 0:
            with airloom.objmode():
                LOG.append((i, total, len(a)))
    return total


def test_a_region_sees_what_code_has() -> None:
    jitted = compiled(logged)
    for a in (np.arange(7.0), np.zeros(0), np.arange(7.0)[::-2]):
        LOG.clear()
        wanted = logged(a, 2), list(LOG)
        LOG.clear()
        assert (jitted(a, 2), LOG) == wanted
    assert is_code(jitted)


def converted(values: Any, base: float) -> Any:
    total = base
    for i in range(len(values)):
        with airloom.objmode(found=float, seen="int64", flag=bool, narrow="float32"):
            found = float(f"{values[i]:.2f}") * math.fsum([base, 1.0])
            seen = i + 1 if i % 2 else np.int64(i)
            flag = "5" in str(values[i])
            narrow = np.float32(found)
        total += found * seen + narrow
        if flag:
            total -= 1
    return total


def test_what_a_region_gives_is_of_the_declared_types() -> None:
    jitted = compiled(converted)
    for args in ((np.array([0.123, 5.5, -7.25]), 2.0), (np.array([1, 5, 9], np.int8), 0.5), (np.zeros(0), 1.0)):
        check(jitted, args, compiled=False, oracle=False)
    assert is_code(jitted)


class Pair(NamedTuple):
    low: float
    high: float


def given_all(n: int, x: float, z: complex, pair: Any, u: Any, a: Any) -> Any:
    last = (0, 0.0)
    for i in range(n):
        last = (i, x * i)
        part = a[1 : n + 1 : 2]
        with airloom.objmode(s=float):
            s = float(repr((last, z, pair.low, pair.high, u, part.tolist(), type(pair).__name__, type(u).__name__)).count("1"))
        x += s
    return x, last


def test_a_region_is_given_values_of_all_kinds() -> None:
    jitted = compiled(given_all)
    check(jitted, (4, 1.5, 1 + 2j, Pair(1.0, 11.0), np.uint8(211), np.arange(20.0)), compiled=False, oracle=False)
    check(jitted, (3, -1.0, 0j, (1.0, 2.0), np.float32(0.5), np.arange(9)), compiled=False, oracle=False)
    assert is_code(jitted)


def stores(a: Any, table: Any) -> Any:
    made = np.zeros(len(a))
    for i in range(len(a)):
        made[i] = a[i] + table[i, 0]
        with airloom.objmode():
            a[i] *= 2
            table[:, 1] += made.sum()
            made[0] += 1
        a[i] += made[0]
    return made


def test_a_region_stores_to_arrays() -> None:
    jitted = compiled(stores)
    check(jitted, (np.arange(5.0), np.ones((5, 2))), oracle=False)
    check(jitted, (np.arange(5.0)[::-1], np.ones((2, 5)).T), oracle=False)


def test_the_arrays_are_those_that_were_given() -> None:
    seen = []

    def kept(a: Any) -> Any:
        for i in range(2):
            a[i] = i
            with airloom.objmode():
                seen.append(a)
        return a

    jitted = compiled(kept)
    a = np.zeros(3)
    assert jitted(a) is a and all(one is a for one in seen) and len(seen) == 2 and is_code(jitted)


def test_objects_that_regions_alone_read_need_no_code_of_their_own() -> None:
    def collected(a: Any, into: list[int], label: str) -> int:
        n = 0
        for i in range(len(a)):
            if a[i] > 0:
                n += 1
                with airloom.objmode():
                    into.append(f"{label}{i}")
        return n

    jitted = compiled(collected)
    for label in ("a", "b", "c"):
        into: list[Any] = []
        assert jitted(np.array([1.0, -1.0, 2.0]), into, label) == 2 and into == [f"{label}0", f"{label}2"]
    (part,) = [part for part in jitted.parts if part.compiled]
    assert len(part.compiled) == 1


def fails(a: Any, at: int) -> Any:
    for i in range(len(a)):
        a[i] = i + 1
        with airloom.objmode():
            if i == at:
                raise LookupError(f"no {i}")
    return a


def test_what_a_region_raises_is_raised_with_the_stores_before_it() -> None:
    jitted = compiled(fails)
    check(jitted, (np.zeros(4), 2), oracle=False)
    check(jitted, (np.zeros(4), 9), oracle=False)
    with pytest.raises(LookupError) as caught:
        jitted(np.zeros(4), 1)
    lines = [frame.line for frame in traceback.extract_tb(caught.value.__traceback__) if frame.filename == __file__]
    assert 'raise LookupError(f"no {i}")' in lines


def misdeclared(n: int) -> int:
    total = 0
    for _ in range(n):
        with airloom.objmode(k=int):
            k = 1.5
        total += k
    return total


def missing(n: int) -> int:
    total = 0
    for _ in range(n):
        with airloom.objmode(k=int):
            pass
        total += k  # type: ignore[name-defined]  # noqa: F821
    return total


def test_a_value_of_another_type_is_an_error_compiled_or_not() -> None:
    for function, error in ((misdeclared, TypeError), (missing, UnboundLocalError)):
        for call in (function, compiled(function)):
            with pytest.raises(error, match=r"objmode: `k`"):
                call(3)
    with pytest.raises(TypeError, match="which is no number"):
        airloom.objmode(k=list)


def test_regions_that_code_does_not_call_are_left_to_python_with_the_reason() -> None:
    def leaves(a: Any) -> Any:
        for i in range(len(a)):
            with airloom.objmode():
                if a[i] > 1:
                    return i
        return -1

    def undeclared(a: Any) -> Any:
        s = 0.0
        for i in range(len(a)):
            with airloom.objmode():
                t = a[i] * 2
            s += t
        return s

    for function in (leaves, undeclared):
        jitted = compiled(function)
        check(jitted, (np.arange(4.0),), compiled=False, oracle=False)
        assert not is_code(jitted)
        reasons = [why.reason for part in jitted.parts for _, why in part.refusals] + [why.reason for _, why in jitted.remaining]
        assert any("objmode" in reason for reason in reasons), reasons


def helped(x: float) -> float:
    with airloom.objmode(y=float):
        y = float(str(x))
    return y + 1


def test_a_function_that_is_called_may_have_regions() -> None:
    def calls(a: Any) -> Any:
        s = 0.0
        for i in range(len(a)):
            s += helped(a[i])
        return s

    jitted = compiled(calls)
    check(jitted, (np.arange(5.0),), oracle=False)


def test_calls_within_regions_and_on_other_threads() -> None:
    def inner(a: Any) -> Any:
        s = 0.0
        for i in range(len(a)):
            with airloom.objmode(x=float):
                x = float(a[i])
            s += x
        return s

    jitted_inner = compiled(inner)

    def outer(a: Any) -> Any:
        s = 0.0
        for i in range(len(a)):
            with airloom.objmode(x=float):
                x = float(jitted_inner(a[: i + 1]))
            s += x + a[i]
        return s

    jitted = compiled(outer)
    a = np.arange(6.0)
    wanted = outer(a)
    assert jitted(a) == wanted
    found: list[float] = []
    threads = [threading.Thread(target=lambda: found.extend(float(jitted(a)) for _ in range(50))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 200

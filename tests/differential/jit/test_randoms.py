"""Random numbers by key and position are those of NumPy's Philox, compiled or not, in any order and on any core."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from compare import check

import airloom
from airloom import prange, random_bits, random_unit


def compiled(function: Any) -> Any:
    made = airloom.jit(function)
    made.in_background = False
    return made


@pytest.mark.parametrize("key", [0, 7, (1 << 64) - 1, 123456789])
def test_they_are_numpys(key: int) -> None:
    wanted = np.random.Philox(key=key).random_raw(11)
    assert [int(random_bits(key, at)) for at in range(11)] == wanted.tolist()
    assert [random_unit(key, at) for at in range(11)] == np.random.Generator(np.random.Philox(key=key)).random(11).tolist()


def drawn(key: Any, n: int, start: Any) -> Any:
    bits = np.zeros(n, np.uint64)
    units = np.zeros(n)
    for i in range(n):
        bits[i] = random_bits(key, start + i)
        units[i] = random_unit(key, start + i)
    return bits, units


def test_compiled_they_are_the_same() -> None:
    jitted = compiled(drawn)
    for args in ((7, 9, 0), (-1, 5, -3), (np.uint64(1 << 63), 6, 2), (np.int32(-5), 6, np.int64(1 << 40)), (3, 0, 0), (True, 4, 1)):
        check(jitted, args)


def quarter(key: int, n: int) -> float:
    hits = 0
    for i in prange(n):
        x = random_unit(key, 2 * i)
        y = random_unit(key, 2 * i + 1)
        if x * x + y * y < 1.0:
            hits += 1
    return 4 * hits / n


def test_every_core_draws_the_same() -> None:
    jitted = compiled(quarter)
    wanted = quarter(3, 3000)
    for threads in (1, 2, 5):
        with airloom.options(threads=threads):
            assert jitted(3, 3000) == wanted
    assert abs(jitted(3, 400_000) - np.pi) < 0.02


def xorshift(state: Any, n: int, table: Any) -> Any:
    for i in range(n):
        state ^= state << 13
        state ^= state >> 7
        state ^= state << table[i % len(table)]
    return state


def test_shifts_by_unsigned_numbers() -> None:
    jitted = compiled(xorshift)
    choice = random.Random(5)
    for dtype in (np.uint64, np.uint32, np.uint8):
        for _ in range(20):
            state = dtype(choice.getrandbits(np.dtype(dtype).itemsize * 8))
            table = np.array([choice.choice([0, 1, 17, 31, 63, 64, 65, (1 << 64) - 1, 1 << 63]) for _ in range(4)], np.uint64).astype(dtype)
            check(jitted, (state, 9, table))


WEIGHTS, MIXED = (0.25, -1.5, 3.0), (1, 2.5)


def looked_up(a: Any, at: Any) -> Any:
    s = 0.0
    for i in range(len(a)):
        s += WEIGHTS[at[i]] * a[i]
    return s


def test_items_of_tuples_at_computed_positions() -> None:
    jitted = compiled(looked_up)
    for at in ([0, 1, 2, 0], [-1, -3, 2, 1], [0, 3, 0, 0], [0, 0, -4, 0]):
        for dtype in (np.int64, np.int8):
            check(jitted, (np.arange(4.0), np.array(at, dtype)))


def numbered(a: Any, b: Any, n: int) -> Any:
    t = 0
    for i, (x, y) in enumerate(zip(a, b)):
        t += i * x - y
    for i, (x, y) in enumerate(zip(b, a), 5):
        whole, rest = divmod(i * 7 - 20, n)
        t += whole * x + rest + i * y
    return t


def test_numbered_pairs_and_divmod() -> None:
    jitted = compiled(numbered)
    for n in (3, -4, 2.5, np.int64(3), np.float32(0.5)):
        check(jitted, (np.arange(5), np.arange(7) * 2, n))
    check(jitted, (np.arange(5), np.arange(7), 0), compiled=False)

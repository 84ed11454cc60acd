"""Tuples, named tuples, dataclasses and texts that compiled functions are given: as without compiling, and compiled once for those of one kind."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from compare import check

import airloom


class Setting(NamedTuple):
    rate: float
    steps: int
    data: Any = None

    def scaled(self, x: float) -> float:
        return x * self.rate

    @property
    def twice(self) -> float:
        return self.rate * 2


@dataclass
class State:
    x: Any
    v: Any
    dt: float
    name: str = "s"

    def energy(self, i: int) -> float:
        return self.v[i] * self.v[i] / 2


def compiled(function: Any) -> Any:
    made = airloom.jit(function)
    made.in_background = False
    return made


def windowed(a: Any, params: Any) -> Any:
    width, scale = params
    out = np.zeros(len(a))
    for i in range(len(a)):
        s = 0.0
        for j in range(max(0, i - width), min(len(a), i + width + 1)):
            s += a[j] * scale
        out[i] = s
    return out


def test_a_tuple_is_its_items() -> None:
    jitted = compiled(windowed)
    for params in ((1, 0.5), (3, 2.0), (0, np.float32(1.5)), (2, 1)):
        check(jitted, (np.arange(6.0), params))
    # By what the items are, not by which they are.
    assert sum(len(part.compiled) for part in jitted.parts) == 3
    check(jitted, (np.arange(6.0), (1, 2, 3)), compiled=False)
    check(jitted, (np.arange(6.0), (1, "no")), compiled=False)


def summed(parts: Any, n: int) -> Any:
    s = 0.0
    for a in parts:
        for i in range(n):
            s += a[i]
    return s, parts


def nested(pair: Any, n: int) -> Any:
    (a, k), scale = pair
    for i in range(n):
        a[i] += k * scale
    return pair


def test_tuples_of_arrays_and_of_tuples() -> None:
    jitted = compiled(nested)
    check(jitted, (((np.arange(4.0), 2), 0.5), 4))
    check(jitted, (((np.arange(4), 2), 3), 4))
    a = np.arange(3.0)
    check(compiled(summed), ((a, a + 1), 3), compiled=False)
    check(compiled(summed), ((), 3), compiled=False)


def simulated(p: Any) -> Any:
    x = 0.0
    for _ in range(p.steps):
        for i in range(len(p.data)):
            x += p.scaled(p.data[i] - x) + p[0] * p.twice
    return x, p.steps, p


def best(p: Any) -> Any:
    found = Setting(0.0, 0)
    for k in range(p.steps):
        q = Setting(steps=k, rate=p.rate * (k % 3), data=None)
        if q.rate > found.rate:
            found = q
    return found


def test_named_tuples_are_given_used_and_made() -> None:
    check(compiled(simulated), (Setting(0.25, 3, np.arange(4.0)),))
    check(compiled(simulated), (Setting(np.float64(0.25), 3, np.arange(4)),))
    jitted = compiled(best)
    check(jitted, (Setting(0.5, 7),))
    assert type(jitted(Setting(0.5, 7))) is Setting


def moved(s: Any, n: int) -> Any:
    total = 0.0
    for _ in range(n):
        for i in range(len(s.x)):
            s.x[i] += s.v[i] * s.dt
            if s.x[i] > 1.0:
                s.v[i] = -s.v[i]
            total += s.energy(i)
    return total, s.name


def test_objects_of_dataclasses_are_their_fields() -> None:
    jitted = compiled(moved)
    ours, theirs = State(np.linspace(0, 1, 5), np.ones(5), 0.3), State(np.linspace(0, 1, 5), np.ones(5), 0.3)
    assert jitted(ours, 9) == moved(theirs, 9)
    assert ours.x.tobytes() == theirs.x.tobytes() and ours.v.tobytes() == theirs.v.tobytes()
    assert any(part.compiled for part in jitted.parts), [why.reason for part in jitted.parts for _, why in part.refusals]


def gives_state(s: Any, n: int) -> Any:
    for i in range(n):
        s.x[i] += 1
    return s


def test_an_object_that_is_given_back_is_the_same_one() -> None:
    jitted = compiled(gives_state)
    s = State(np.zeros(3), np.zeros(3), 0.1)
    assert jitted(s, 3) is s and s.x.tolist() == [1, 1, 1]


WEIGHTS = (0.25, 0.5, 0.25)


def weighted(a: Any) -> Any:
    out = np.zeros_like(a)
    for i in range(1, len(a) - 1):
        for k in range(3):
            out[i] += WEIGHTS[k] * a[i + k - 1]
    return out


def weighted_each(a: Any) -> Any:
    s = 0.0
    for i in range(len(a)):
        for w in WEIGHTS:
            s += w * a[i]
    return s


def test_a_global_tuple() -> None:
    global WEIGHTS
    check(compiled(weighted), (np.arange(6.0),), compiled=False)
    jitted = compiled(weighted_each)
    check(jitted, (np.arange(6.0),))
    WEIGHTS = (1.0, 2.0, 3.0)
    try:
        check(jitted, (np.arange(6.0),))
    finally:
        WEIGHTS = (0.25, 0.5, 0.25)


def by_mode(a: Any, mode: str) -> Any:
    out = -math.inf if mode == "max" else 0.0
    for i in range(len(a)):
        if mode == "mean":
            out += a[i] / len(a)
        elif mode == "max":
            out = max(out, a[i])
    return out


def test_texts_are_known_by_what_they_say() -> None:
    jitted = compiled(by_mode)
    for mode in ("mean", "max", "".join(["m", "ax"]), "mean", "ä" * 9, "x" * 100):
        check(jitted, (np.arange(5.0), mode))
    assert sum(len(part.compiled) for part in jitted.parts) == 4

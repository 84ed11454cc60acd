"""Slices, whole arrays and arrays that are made in compiled code, beside CPython: the same bits, errors and stores."""

from __future__ import annotations

import copy
from typing import Any

import array_cases
import array_programs
import compare
import numpy as np
import pytest
import random_arrays

import airloom


@pytest.mark.parametrize(("function", "args"), array_programs.CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_programs_are_compiled_as_a_whole(function: Any, args: tuple[Any, ...]) -> None:
    jitted = airloom.jit(function)
    assert compare.outcome(jitted, copy.deepcopy(args)) == compare.outcome(function, copy.deepcopy(args))
    assert [part.whole for part in jitted.parts if part.compiled] == [True], [jitted.described(why) for part in jitted.parts for _, why in part.refusals]


_JITTED: dict[Any, Any] = {}


@pytest.mark.parametrize(("function", "args"), array_cases.CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_awkward_cases_are_as_in_python(function: Any, args: tuple[Any, ...]) -> None:
    jitted = _JITTED.setdefault(function, airloom.jit(function))
    assert compare.outcome(jitted, copy.deepcopy(args)) == compare.outcome(function, copy.deepcopy(args))


@pytest.mark.parametrize("seed", range(24))
def test_random_functions_of_arrays(seed: int) -> None:
    random_arrays.run(20_000 + seed)


def test_an_array_that_was_returned_is_one_of_its_own() -> None:
    @airloom.jit
    def made(n: int) -> Any:
        a = np.zeros(n)
        for i in range(n):
            a[i] = i
        return a, a, a[1:]

    first, second = made(4), made(4)
    assert first[0] is first[1] and first[2].base is first[0] and first[0].flags.owndata
    first[0][:] = 7
    assert second[0].tolist() == [0, 1, 2, 3]


def test_code_that_gives_up_leaves_all_of_the_part_to_python() -> None:
    @airloom.jit
    def grows(a: Any, n: int) -> Any:
        out = np.zeros(n)
        for i in range(n):
            out[i] = i
            n = n * 3
        return out, n

    assert compare.outcome(grows, (np.zeros(1), 60)) == compare.outcome(grows.__wrapped__, (np.zeros(1), 60))

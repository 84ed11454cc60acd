"""Functions that are given little are run by Python while their code is made: the answers are the same before and after."""

from __future__ import annotations

import ast
import os
import time
from typing import Any

import numpy as np
import pytest

import airloom
from airloom.functions import extensions, waiting


@pytest.fixture(autouse=True)
def code_is_not_waited_for(code_is_waited_for: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "enabled", True)
    # Other tests have said something of functions.
    monkeypatch.setattr(extensions, "are_there", lambda: False)


def smoothed(a: Any, k: float) -> float:
    total = 0.0
    for i in range(1, len(a)):
        a[i] = a[i] * k + a[i - 1]
        total += a[i]
    return total


def until_compiled(function: Any, *args: Any) -> None:
    """Calls a function until its code is there."""
    for _ in range(500):
        if any(part.compiled for part in function.parts) and not any(part._pending for part in function.parts):
            return
        time.sleep(0.01)
        function(*args)
    raise AssertionError("no code was made")


def test_answers_are_the_same_before_and_after_there_is_code() -> None:
    jitted = airloom.jit(smoothed)
    wanted = smoothed(np.arange(20.0), 0.5)
    assert jitted(np.arange(20.0), 0.5) == wanted
    until_compiled(jitted, np.arange(20.0), 0.5)
    a, b = np.arange(20.0), np.arange(20.0)
    assert jitted(a, 0.5) == wanted and smoothed(b, 0.5) == wanted and a.tobytes() == b.tobytes()
    # Other types are other code.
    assert jitted(np.arange(20.0, dtype="f4"), 0.5) == smoothed(np.arange(20.0, dtype="f4"), 0.5)


def test_much_work_waits_for_code() -> None:
    jitted = airloom.jit(smoothed)
    assert jitted(np.arange(100_000.0), 0.5) == smoothed(np.arange(100_000.0), 0.5)
    assert any(part.compiled for part in jitted.parts)


def test_code_that_is_being_made_is_waited_for_where_there_is_much_to_do() -> None:
    jitted = airloom.jit(smoothed)
    jitted(np.arange(5.0), 0.5)
    assert jitted(np.arange(100_000.0), 0.5) == smoothed(np.arange(100_000.0), 0.5)
    assert any(part.compiled for part in jitted.parts)


def test_explain_waits() -> None:
    assert "compiled" in airloom.jit(smoothed).explain(np.arange(5.0), 0.5)


def test_what_python_runs_is_told_when_it_is_known() -> None:
    def keyed(a: Any) -> Any:
        found = {}
        for i in range(len(a)):
            found[i] = a[i]
        return found

    jitted = airloom.jit(keyed)
    assert jitted(np.arange(3.0)) == {0: 0.0, 1: 1.0, 2: 2.0}
    assert jitted(np.arange(3.0)) == {0: 0.0, 1: 1.0, 2: 2.0}


def test_a_forked_process_compiles_too() -> None:
    jitted = airloom.jit(smoothed)
    jitted(np.arange(5.0), 0.5)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            again = airloom.jit(smoothed)
            again(np.arange(5.0), 0.25)
            until_compiled(again, np.arange(5.0), 0.25)
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize(
    ("text", "args", "waits"),
    [
        ("for i in range(n):\n    s += i", (100,), True),
        ("for i in range(n):\n    s += i", (100_000,), False),
        ("for i in range(a.shape[0]):\n    for j in range(a.shape[1] - 1):\n        s += a[i, j]", (np.zeros((20, 30)),), True),
        ("for i in range(len(a)):\n    for j in range(len(a)):\n        s += a[i]", (np.zeros(2000),), False),
        ("for i in range(100000):\n    s += i", (), False),
        ("for i in range(n * n):\n    s += i", (10,), False),
        ("while n > 1:\n    n = n // 2", (10,), False),
        ("for i in range(n):\n    s += other(i)", (10,), False),
    ],
)
def test_how_much_python_does_in_place_of_waiting(text: str, args: tuple[Any, ...], waits: bool) -> None:
    assert waiting.may_wait(ast.parse(text).body, args) is waits

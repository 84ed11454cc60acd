"""What else arrays do: protocols, reports, plans, and what nobody may notice."""

from __future__ import annotations

import copy
import json
import pickle
import sys
import threading
from typing import Any

import numpy
import pytest

import airloom
import airloom.numpy as np
from airloom.numpy import sizes

COUNT = sizes.LARGE + 7


def large(word: str = "f8") -> Any:
    """An array that is worth the engine's while, in memory of its own."""
    return np.array((numpy.random.default_rng(0).random(COUNT) * 100).astype(word))


def plan(given: Any) -> tuple[int, int]:
    found = json.loads(np.explain(given, format="json"))
    return found["kernels"], found["temporaries"]


def test_loops_are_fused() -> None:
    a, b = large(), large()
    assert plan(lambda: (a * b + np.where(a > b, a - b, 2 * b)).sum()) == (1, 0)
    assert plan(a * b + np.where(a > b, a - b, 2 * b)) == (1, 0)
    assert plan(lambda: a.var()) == (2, 0)
    assert plan(lambda: ((a - a.mean()) ** 2).sum()) == (2, 0)
    # What is divided by the greatest element waits for it.
    assert plan(lambda: a / a.max()) == (2, 0)
    assert plan(lambda: (a[1:] - a[:-1]) * 2) == (1, 0)
    assert plan(np.exp(a * 2) + 1) == (1, 0)
    assert plan(a) == (0, 0)
    text = np.explain(a * b + 1)
    assert text.startswith("1 loop, 0 arrays on the way") and "par.tabulate" in text
    assert airloom.explain(a * b + 1) == text


def test_little_work_is_left_to_numpy() -> None:
    a = np.array(numpy.random.default_rng(0).random(sizes.LARGE // 4))
    airloom.report(clear=True)
    assert json.loads(np.explain(lambda: (a * 2).sum(), format="json"))["kernels"] == 0
    assert a.var() == numpy.array(a).var()
    # It is no refusal.
    assert not [entry for entry in airloom.report() if entry.where == "numpy"]
    assert plan(lambda: np.where(a > 0.5, a, 1).sum()) == (1, 0)


def test_what_an_earlier_loop_made_is_not_made_again() -> None:
    a = large()
    doubled = np.exp(a) * 2
    assert numpy.asarray(doubled).shape == (COUNT,)
    assert plan(doubled + 1) == (1, 0)


def test_long_expressions_are_computed_in_pieces() -> None:
    a = large()
    x, expected = a, numpy.array(a)
    for _ in range(300):
        x = x * 0.5 + 1
        expected = expected * 0.5 + 1
    assert numpy.array_equal(x, expected)
    for _ in range(40):
        x = x + x
        expected = expected + expected
    assert numpy.array_equal(x, expected)


def test_reports_say_who_did_what() -> None:
    a = large()
    airloom.report(clear=True)
    (a + 1).sum()
    np.sort(a)
    a.sum(axis=0, keepdims=True)
    np.sin(a)[0]
    entries = {(entry.operation, entry.where): entry.reason for entry in airloom.report(clear=True)}
    assert entries[("numpy.sum", "native")] == ""
    assert entries[("numpy.sort", "numpy")] == "`sort` is NumPy's"
    assert ("numpy.sum", "numpy") in entries
    assert "NumPy's own loops" in entries[("numpy.sin", "numpy")]


def test_strict_mode_refuses() -> None:
    a = large()
    with airloom.strict():
        assert (a * 2).sum() > 0
        with pytest.raises(airloom.RefusedError, match="left to NumPy"):
            np.sort(a)
        with pytest.raises(airloom.RefusedError, match="left to NumPy"):
            numpy.asarray(np.exp(a))
        assert np.sort(a[:100]).shape == (100,)


def test_others_read_arrays_without_a_copy() -> None:
    a = large()
    shared = numpy.asarray(a)
    assert numpy.shares_memory(shared, numpy.asarray(a))
    assert numpy.shares_memory(numpy.from_dlpack(a), shared)
    assert not numpy.shares_memory(numpy.array(a), shared)
    assert numpy.asarray(a, dtype="f4").dtype == numpy.float32
    raw = numpy.arange(float(COUNT))
    assert numpy.shares_memory(numpy.asarray(np.asarray(raw)), raw)
    assert not numpy.shares_memory(numpy.asarray(np.asarray(raw, copy=True)), raw)
    assert a.__dlpack_device__() == shared.__dlpack_device__()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.12 has buffers of classes")
def test_buffers() -> None:
    a = large()
    assert bytes(memoryview(a)) == numpy.asarray(a).tobytes()


def test_what_somebody_else_holds_is_computed_at_once() -> None:
    raw = numpy.arange(float(COUNT))
    a = np.asarray(raw)
    doubled = a * 2
    raw[:] = 0
    assert doubled[1] == 2 and a[1] == 0
    # When nobody else has it any more, it is like any other.
    del raw
    assert plan(a * 2 + 1) == (1, 0)
    # A view, a buffer or a capsule is somebody too.
    for hold in (lambda array: numpy.asarray(array)[::2], lambda array: memoryview(numpy.asarray(array)), lambda array: numpy.asarray(array).__dlpack__()):
        held = hold(a)
        assert plan(a * 2) == (0, 0), "it is computed already"
        del held
        assert plan(a * 2) == (1, 0)


def test_copies_are_copies() -> None:
    a = large()
    pending = a * 2
    for made in (copy.copy(pending), copy.deepcopy(pending), pickle.loads(pickle.dumps(pending)), pending.copy(), np.array(pending)):
        made[0] = -1
        assert pending[0] == a[0] * 2


def test_arrays_behave_as_sequences_and_numbers() -> None:
    a = large()
    assert len(a) == COUNT and a.shape == (COUNT,) and a.size == COUNT and a.nbytes == 8 * COUNT and a.itemsize == 8
    assert list(a[:3]) == list(numpy.asarray(a)[:3])
    assert a[:3].tolist() == numpy.asarray(a)[:3].tolist()
    assert repr(a * 2) == repr(numpy.asarray(a) * 2) and str(a) == str(numpy.asarray(a))
    assert float(np.array(2.5)) == 2.5 and int(np.array(3)) == 3 and complex(np.array(1j)) == 1j and bool(np.array(True))
    assert [10, 20, 30][np.array(1)] == 20
    with pytest.raises(ValueError, match="ambiguous"):
        bool(a > 1)
    with pytest.raises(TypeError):
        hash(a)
    with pytest.raises(TypeError, match="unsized"):
        len(np.array(1))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = a.nothing
    assert a[0] in a


def test_the_namespace_is_numpys() -> None:
    assert np.float64 is numpy.float64 and np.pi == numpy.pi and np.random is numpy.random and np.add is numpy.add
    assert isinstance(np.zeros(3), np.ndarray) and isinstance(np.arange(3), np.ndarray) and isinstance(np.ndarray((2, 2)), np.ndarray)
    assert large().__array_namespace__() is np.array_api
    with pytest.raises(AttributeError):
        _ = np.nothing
    assert "arange" in dir(np)
    a = np.arange(6.0).reshape(2, 3)
    assert isinstance(a @ a.T, np.ndarray) and isinstance(np.linalg.norm(a, axis=0), np.ndarray)
    assert isinstance(np.concatenate([a, a]), np.ndarray) and isinstance(numpy.concatenate([a, numpy.ones((2, 3))]), np.ndarray)
    q, r = np.linalg.qr(a)
    assert isinstance(q, np.ndarray) and isinstance(r, np.ndarray)
    assert isinstance(numpy.ones(3) + np.ones(3), np.ndarray) and isinstance(numpy.float64(1) * np.ones(3), np.ndarray)


def test_columns_of_pandas_enter() -> None:
    import pandas

    import airloom.pandas as pd

    values = numpy.random.default_rng(0).random(COUNT)
    series = pd.Series(values) * 2
    assert numpy.array_equal(np.asarray(series) + 1, values * 2 + 1)
    assert numpy.array_equal(np.asarray(pandas.Series(values)) + 1, values + 1)


def test_warnings_are_said_at_the_line_that_looks() -> None:
    a = large()
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide") as caught:
        numpy.asarray(1 / (a * 0))
    assert [warning.filename for warning in caught] == [__file__]


def test_threads_may_compute_one_array() -> None:
    a = large()
    for _ in range(5):
        made = a * 2 + np.exp(a)
        found: list[Any] = []
        threads = [threading.Thread(target=lambda made=made, found=found: found.append(numpy.asarray(made).sum())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 4 and len(set(found)) == 1

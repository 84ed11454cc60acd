"""A process that is forked after a program ran has none of its parent's threads: it starts its own, and the parent goes on with its."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable

import airloom
import numpy as np
import pyarrow as pa
import pytest
from airloom import ir

#: Python itself warns of forking where there are threads: that it works is what is tested.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

#: How long a child may take before it hangs.
PATIENCE = 60.0
ROWS = 200_000
DATA = pa.table({"k": np.arange(ROWS) % 1000, "v": np.arange(ROWS)})
TOTALS = ir.function(t=ir.rel({"k": ir.i64, "v": ir.i64}))(
    lambda t: ir.sort(ir.group(t, lambda r: {"k": r.k}, lambda g: {"s": ir.sum(g.v)}), lambda r: {"s": r.s}, ["desc.last"])
)
SESSION = airloom.Session(threads=2)


def totals_are_right(factor: int = 1) -> bool:
    """Whether a program on several threads gives the right answer."""
    data = pa.table({"k": DATA["k"], "v": np.arange(ROWS) * factor})
    found = pa.table(SESSION.run(TOTALS, data))
    # The rows of key k are k, k + 1000 and so on.
    count = ROWS // 1000
    expected = [(k * count + 1000 * count * (count - 1) // 2) * factor for k in reversed(range(1000))]
    return bool(found["s"].to_pylist() == expected)


def in_a_child(work: Callable[[], bool]) -> int:
    """Forks, works in the child, and gives its exit status: 0 where all is right. A child that hangs is ended, and the test fails."""
    child = os.fork()
    if child == 0:
        status = 2
        try:
            status = 0 if work() else 1
        finally:
            os._exit(status)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail(f"the child did not end within {PATIENCE} seconds")


def test_a_forked_child_runs_programs_and_so_does_its_parent() -> None:
    assert totals_are_right()
    for _ in range(3):
        assert in_a_child(totals_are_right) == 0
        assert totals_are_right()


def test_a_child_of_a_child_runs_programs() -> None:
    assert totals_are_right()
    assert in_a_child(lambda: totals_are_right() and in_a_child(totals_are_right) == 0 and totals_are_right()) == 0
    assert totals_are_right()


def test_errors_are_told_in_a_child_too() -> None:
    divide = ir.function(x=ir.i64)(lambda x: 1 // x)

    def raises() -> bool:
        try:
            SESSION.run(divide, 0)
        except airloom.RaisedError:
            return totals_are_right()
        return False

    assert raises()
    assert in_a_child(raises) == 0


def test_a_pool_of_forked_processes_runs_programs() -> None:
    assert totals_are_right()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        # While the children run, so does the parent.
        answers = pool.map_async(totals_are_right, range(1, 5))
        assert totals_are_right(5)
        assert answers.get(timeout=PATIENCE) == [True] * 4
    assert totals_are_right()


def test_children_forked_while_programs_run_do_not_hang() -> None:
    """Whatever threads of the parent hold at that moment, a child has locks, threads and memory of its own."""
    ended = threading.Event()
    small = ir.function(x=ir.i64)(lambda x: x + 1)

    def work() -> None:
        while not ended.is_set():
            assert totals_are_right()
            assert SESSION.run(small, 1) == 2

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            assert in_a_child(lambda: SESSION.run(small, 2) == 3 and totals_are_right()) == 0
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert totals_are_right()

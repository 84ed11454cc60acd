"""What must not break: odd values, changes under plans, interrupts, forks, threads."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import textwrap
import threading
from typing import Any

import joblib
import numpy as np
import pandas
import pytest

import airloom.pandas as pd
from airloom.pandas.dispatch.wrapping import plain

ROWS = 30_000


def test_objects_of_all_kinds_are_carried() -> None:
    values: list[Any] = [1, "x", None, 2.5, (1, 2), {"a": 1}]
    objects = np.empty(ROWS, dtype=object)
    objects[:] = [values[at % len(values)] for at in range(ROWS)]
    ours = pd.DataFrame({"k": np.arange(ROWS), "o": objects})
    theirs = pandas.DataFrame({"k": np.arange(ROWS), "o": objects})
    for program in (lambda df: df[df["k"] % 7 == 0], lambda df: df.sort_values("k", ascending=False).head(10), lambda df: df[df["k"] > 100]["o"]):
        found, expected = plain(program(ours)), program(theirs)
        (pandas.testing.assert_frame_equal if expected.ndim == 2 else pandas.testing.assert_series_equal)(found, expected)


def test_a_cycle_of_objects_is_carried() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    objects = np.empty(ROWS, dtype=object)
    objects[:] = [cycle] * ROWS
    frame = pd.DataFrame({"k": np.arange(ROWS), "o": objects})
    assert frame[frame["k"] > ROWS - 3]["o"].iloc[0] is cycle


def test_arrays_of_other_libraries_are_carried() -> None:
    from decimal import Decimal

    from pandas.tests.extension.decimal import array as decimal

    values = decimal.DecimalArray([Decimal(at) for at in range(ROWS)])
    frame = pd.DataFrame({"k": np.arange(ROWS), "d": values})
    found = frame[frame["k"] % 1000 == 5]
    assert type(found["d"].array) is decimal.DecimalArray
    assert found["d"].tolist()[:2] == [Decimal(5), Decimal(1005)]


def test_an_exception_of_a_function_is_the_users() -> None:
    frame = pd.DataFrame({"k": np.arange(ROWS)})

    def broken(value: int) -> int:
        raise LookupError(f"no {value}")

    with pytest.raises(LookupError, match="no 0") as caught:
        frame["k"].map(broken)
    assert caught.traceback[-1].name == "broken"


def test_a_frame_changed_under_a_plan_leaves_the_plan_as_it_was() -> None:
    values = np.arange(ROWS, dtype="float64")
    frame = pd.DataFrame({"x": values})
    child = frame[frame["x"] >= 10]
    total = frame["x"] * 2
    frame.iloc[:100, 0] = -1.0
    frame["x"] = 0.0
    frame.loc[frame.index[:5], "x"] = 7.0
    assert child["x"].sum() == values[10:].sum()
    assert total.sum() == values.sum() * 2
    assert frame["x"].sum() == 35.0


def test_an_array_changed_under_a_plan_leaves_the_plan_as_it_was() -> None:
    values = np.arange(ROWS, dtype="float64")
    series = pd.Series(values)
    doubled = series * 2
    values[:] = 0
    assert doubled.sum() == np.arange(ROWS).sum() * 2
    series[:] = 1.0
    assert doubled.sum() == np.arange(ROWS).sum() * 2


def test_errors_come_at_the_call() -> None:
    frame = pd.DataFrame({"x": np.arange(ROWS), "s": ["a"] * ROWS})
    lazy = frame[frame["x"] > 5]
    with pytest.raises(KeyError, match="nothing"):
        lazy["nothing"]
    with pytest.raises(AttributeError):
        lazy.nothing  # noqa: B018
    with pytest.raises(KeyError):
        lazy.groupby("nothing")
    with pytest.raises(KeyError):
        lazy.sort_values("nothing")
    with pytest.raises(TypeError):
        lazy["s"] - 1
    with pytest.raises(ValueError, match="ambiguous"):
        bool(lazy)
    with pytest.raises(AttributeError, match="str accessor"):
        lazy["x"].str  # noqa: B018
    with pytest.raises(TypeError):
        lazy.sort_values()
    assert len(lazy) == ROWS - 6


def _summed(frame: Any) -> float:
    return float((frame["x"] * 2).sum())


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes(method: str) -> None:
    frame = pd.DataFrame({"x": np.arange(ROWS, dtype="float64")})
    assert _summed(frame) == ROWS * (ROWS - 1)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(_summed, [frame, frame[frame["x"] > -1]]) == [ROWS * (ROWS - 1)] * 2


def test_joblib() -> None:
    frame = pd.DataFrame({"x": np.arange(ROWS, dtype="float64")})
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(_summed)(frame[frame["x"] >= low]) for low in (0, 10))
    assert found == [ROWS * (ROWS - 1), ROWS * (ROWS - 1) - 90]


def test_threads() -> None:
    frame = pd.DataFrame({"k": np.arange(ROWS) % 10, "x": np.arange(ROWS, dtype="float64")})
    lazy = frame[frame["x"] >= 0]
    found: list[float] = []

    def work() -> None:
        for _ in range(5):
            found.append(float(lazy.groupby("k")["x"].sum().sum()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [ROWS * (ROWS - 1) / 2] * 20


def test_an_interrupt_ends_what_runs_and_nothing_else(tmp_path: Any) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, signal, threading, time
            import numpy as np
            import airloom.pandas as pd

            signal.signal(signal.SIGINT, signal.default_int_handler)  # Whoever started it may have it ignored.
            n = 60_000
            left = pd.DataFrame({"k": np.zeros(n, dtype="int64"), "x": np.arange(n)})
            right = pd.DataFrame({"k": np.zeros(n, dtype="int64"), "y": np.arange(n)})
            threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            started = time.perf_counter()
            try:
                left.merge(right, on="k")["x"].sum()
            except KeyboardInterrupt:
                print("interrupted", time.perf_counter() - started < 5)
            print(left["x"].sum())
            """
        )
    )
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert ran.stdout.split() == ["interrupted", "True", str(60_000 * 59_999 // 2)], ran.stderr


def test_a_long_chain_of_operations_does_not_overflow() -> None:
    frame = pd.DataFrame({"x": np.zeros(ROWS)})
    for _ in range(3000):
        frame["x"] = frame["x"] + 1
    assert frame["x"].iloc[0] == 3000.0


def test_the_process_ends_cleanly_after_a_query() -> None:
    program = "import numpy as np, airloom.pandas as pd; d = pd.DataFrame({'x': np.arange(100_000)}); print(d[d['x'] > 5]['x'].sum())"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout.strip(), ran.stderr) == (0, str(sum(range(6, 100_000))), "")


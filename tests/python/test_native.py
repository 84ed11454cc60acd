"""Native code: the answers are the same whenever bodies are compiled, in forked processes too."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import airloom
import numpy as np
import pyarrow as pa
import pytest
from airloom import ir

T = ir.rel({"a": ir.optional(ir.f64), "b": ir.i64})
PRICED = ir.function(t=T)(lambda t: ir.project(ir.filter(t, lambda r: r.b > 3), lambda r: {"p": r.a * 2.0 + r.a, "q": r.b * r.b - 1}))
ROWS = 50_000
A = [None if row % 7 == 0 else row / 8 for row in range(ROWS)]
DATA = pa.table({"a": pa.array(A, pa.float64()), "b": np.arange(ROWS)})
ANSWER = [{"p": None if a is None else a * 2.0 + a, "q": b * b - 1} for b, a in enumerate(A) if b > 3]


def quotients(divisor: int) -> list[dict[str, int]]:
    """The quotients of the first hundred rows, compiled where this build has a compiler: a divisor is part of the code."""
    body = ir.function(t=T)(lambda t: ir.project(t, lambda r: {"q": r.b // divisor}))
    with airloom.options(native="always" if COMPILES else "off"):
        found: list[dict[str, int]] = airloom.run(body, DATA.slice(0, 100)).to_pylist()
    return found


def compiles() -> bool:
    """Whether this build has a compiler."""
    try:
        with airloom.options(native="always", oracle=False):
            airloom.run(PRICED, DATA.slice(0, 10))
    except airloom.ProgramError:
        return False
    return True


COMPILES = compiles()


def test_a_word_that_means_nothing_is_an_error() -> None:
    with pytest.raises(airloom.OptionError, match="takes one of `off`, `auto`, `always`, `verify`, found 'sometimes'"):
        airloom.options.native = "sometimes"


@pytest.mark.parametrize("native", ["off", "auto"])
def test_every_build_runs(native: str) -> None:
    with airloom.options(native=native):
        assert airloom.run(PRICED, DATA).to_pylist() == ANSWER


@pytest.mark.parametrize("native", ["always", "verify"])
def test_compiled_from_the_first_row(native: str) -> None:
    with airloom.options(native=native):
        if COMPILES:
            assert airloom.run(PRICED, DATA).to_pylist() == ANSWER
        else:
            with pytest.raises(airloom.ProgramError, match="expected `off` or `auto`: the `Session` has no compiler"):
                airloom.run(PRICED, DATA)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_children_that_are_forked_while_bodies_are_compiled_compute_too() -> None:
    ended = threading.Event()
    right: list[bool] = []

    def compile_all_the_time() -> None:
        number = 1
        while not ended.is_set():
            number += 1
            right.append(quotients(number) == [{"q": row // number} for row in range(100)])

    thread = threading.Thread(target=compile_all_the_time)
    thread.start()
    try:
        for number in range(5):
            time.sleep(0.02)
            child = os.fork()
            if child == 0:
                status = 2
                try:
                    divisor = -3 - number
                    status = 0 if quotients(divisor) == [{"q": row // divisor} for row in range(100)] else 1
                finally:
                    os._exit(status)
            deadline = time.monotonic() + 60
            waited, status = 0, -1
            while not waited and time.monotonic() < deadline:
                waited, status = os.waitpid(child, os.WNOHANG)
                time.sleep(0.01)
            if not waited:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            assert waited and os.waitstatus_to_exitcode(status) == 0
    finally:
        ended.set()
        thread.join()
    assert right and all(right)


@pytest.mark.skipif(not COMPILES, reason="this build has no compiler")
def test_explain_tells_which_rows_were_added_up_by_native_code() -> None:
    total = ir.function(t=T)(lambda t: ir.group(t, lambda r: {}, lambda g: {"s": ir.sum(g.b)}))
    for native, folds in [("always", True), ("off", False)]:
        with airloom.options(native=native, oracle=False):
            text = airloom.explain(total, DATA, analyze=True)
            group = next(node for part in json.loads(airloom.explain(total, DATA, analyze=True, format="json"))["parts"] for node in below(part) if node["op"] == "group")
        assert (f"{ROWS:,} rows reduced by native code" in text) == folds
        assert group.get("folded_rows") == (ROWS if folds else None)


@pytest.mark.skipif(not COMPILES, reason="this build has no compiler")
def test_explain_tells_which_parts_of_native_code_are_interpreted() -> None:
    rows = pa.table({"name": ["a", "b", "", "ä"] * 10, "x": np.arange(40.0)})
    decided = ir.parse("""
        func @decided(t: rel{name: str, x: f64}) {
          return rel.group(t) |r| {} |g| {
            chosen = arr.map(g.name, g.x) |n, x| select(eq(n, "a"), mul(x, 2.0), add(x, 1.0))
            return {s: arr.sum{reassoc: true}(chosen), m: arr.max(g.x)}
          }
        }
    """)["decided"]
    with airloom.options(native="verify", oracle=False):
        assert airloom.run(decided, rows).to_pylist() == [{"s": sum(x * 2.0 if x % 4 == 0 else x + 1.0 for x in range(40)), "m": 39.0}]
    with airloom.options(native="auto", oracle=False):
        text = airloom.explain(decided, rows)
        group = next(node for part in json.loads(airloom.explain(decided, rows, format="json"))["parts"] for node in below(part) if node["op"] == "group")
    assert "native code: `group` (but what is interpreted: `eq` of `str` has no kernel)" in text
    assert (group["native"], group["interpreted"]) == (True, "`eq` of `str` has no kernel")


@pytest.mark.skipif(not COMPILES, reason="this build has no compiler")
def test_perf_is_told_where_compiled_code_is(tmp_path: Path) -> None:
    program = "import airloom, test_native as t\nwith airloom.options(native='always'):\n    airloom.run(t.PRICED, t.DATA)"
    environment = {**os.environ, "AIRLOOM_PERF_MAP": str(tmp_path), "AIRLOOM_CODE_CACHE": "", "PYTHONPATH": str(Path(__file__).parent)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    (named,) = tmp_path.iterdir()
    lines = [line.split(" ", 2) for line in named.read_text().splitlines()]
    assert named.name.startswith("perf-") and len(lines) > 1
    assert all(int(start, 16) > 4096 and 16 < int(size, 16) < 1 << 20 and name.startswith("airloom: body of ") for start, size, name in lines)
    missing = subprocess.run([sys.executable, "-c", "import airloom"], env={**environment, "AIRLOOM_PERF_MAP": str(tmp_path / "missing")}, capture_output=True, text=True)
    assert missing.returncode == 1 and "FileNotFoundError: cannot write names for `perf` to `" in missing.stderr


@pytest.mark.skipif(not COMPILES, reason="this build has no compiler")
def test_explain_tells_what_is_native_code_and_why_not() -> None:
    extremes = ir.function(t=T)(lambda t: ir.group(ir.filter(t, lambda r: r.b * 3 > 5), lambda r: {"k": r.b // 1000}, lambda g: {"s": ir.sum(g.b), "m": ir.max(g.b), "n": ir.min(g.b)}))
    distinct = ir.function(t=T)(lambda t: ir.group(t, lambda r: {}, lambda g: {"n": ir.nunique(g.b)}))
    with airloom.options(native="auto", oracle=False):
        assert "native code: `group`" in airloom.explain(extremes, DATA, analyze=True)
        assert "interpreted: `group` (`arr.nunique` is not folded)\n" in airloom.explain(distinct, DATA, analyze=True)
        group = json.loads(airloom.explain(distinct, DATA, analyze=True, format="json"))["parts"][0]
    assert (group["native"], group["interpreted"]) == (False, "`arr.nunique` is not folded")
    with airloom.options(native="off", oracle=False):
        text = airloom.explain(extremes, DATA, analyze=True)
    assert "native code" not in text and "interpreted" not in text


def below(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A node and all that it reads."""
    yield node
    for read in node["inputs"]:
        yield from below(read)

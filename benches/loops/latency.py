"""How long compiled functions and arrays take before there is much to do: the first answer, code, calls, arrays of ten elements, imports.

    python benches/loops/latency.py [--repeats 9] [--only first,code,disk,call,tiny,import]

Each figure of a function's first call is from a process of its own, the best of several, by the time of the processor. Beside it stands what it is meant to stay below; what is above is marked.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

sys.path += [str(Path(__file__).parent), str(Path(__file__).resolve().parents[2] / "tests" / "differential" / "jit")]

import array_programs  # noqa: E402
import programs  # noqa: E402


def remainder(x, y):  # type: ignore[no-untyped-def]
    while x >= y:
        x -= y
    return x


#: Functions, and what they are given.
FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "clipped_sum": (programs.clipped_sum, lambda: (numpy.arange(10.0), 2.0, 7.0)),
    "jacobi": (programs.jacobi, lambda: (numpy.arange(10.0), numpy.zeros(10), 2)),
    "jacobi_grid_numpy": (programs.jacobi_grid_numpy, lambda: (numpy.arange(30.0).reshape(5, 6), numpy.zeros((5, 6)), 2)),
    "gauss": (array_programs.gauss, lambda: (numpy.eye(6) * 4 + 1, numpy.arange(6.0))),
}

#: Expressions of `a` and `b`, for which a loop is made.
EXPRESSIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "(a * 2 + b).sum()": lambda np, a, b: (a * 2 + b).sum(),
    "(a * b + where(…)).sum()": lambda np, a, b: (a * b + np.where(a > b, a - b, 2 * b)).sum(),
}

#: Operations of arrays of ten elements.
TINY = (
    "a + b", "a * 2.0", "2.0 - a", "a < b", "a ** 2", "-a", "a += 1", "a += b", "a[3]", "a[1:-1]", "a[3] = 1.0", "a[a > 3]", "len(a)", "a.shape",
    "a.sum()", "a.max()", "a.mean()", "a.copy()", "a.reshape(2, 5)", "a.astype(int)",
    "np.sqrt(a)", "np.exp(a)", "np.maximum(a, b)", "np.where(c, a, b)", "np.sum(a)", "np.dot(a, b)", "np.sort(a)", "np.concatenate([a, b])", "np.zeros(10)", "np.array([1.0, 2.0])",
)  # fmt: skip


# What a fresh process does: each gives seconds.


def waited(name: str) -> float:
    """As `first`, by the clock."""
    return first(name, time.perf_counter)


def first(name: str, clock: Callable[[], float] = time.thread_time) -> float:
    """The first answer of a function that was just written: Python may give it, while code is made."""
    import airloom

    jit = airloom.jit
    function, arguments = FUNCTIONS[name]
    given = arguments()
    started = clock()
    jit(function)(*given)
    return clock() - started


def code(name: str) -> float:
    """The first answer of code."""
    import airloom

    jit = airloom.jit
    function, arguments = FUNCTIONS[name]
    given = arguments()
    started = time.process_time()
    jitted = jit(function)
    jitted.in_background = False
    jitted(*given)
    taken = time.process_time() - started
    assert all(part.compiled for part in jitted.parts if part.whole), name
    return taken


def expression(name: str) -> float:
    """How much longer an expression takes for the first time, when its loop is made."""
    import airloom
    import airloom.numpy as np

    raw = numpy.random.default_rng(0).random((2, 2_200_000))
    a, b = np.asarray(raw[0], copy=True), np.asarray(raw[1], copy=True)
    times = []
    with airloom.options(native="always", threads=1):
        for _ in range(4):
            started = time.process_time()
            float(EXPRESSIONS[name](np, a, b))
            times.append(time.process_time() - started)
    return times[0] - min(times[1:])


def imported(name: str) -> float:
    """How much longer an import takes than that of NumPy."""
    started = time.process_time()
    __import__(name)
    return time.process_time() - started


def fresh(what: str, name: str, repeats: int, folder: str = "") -> float:
    """The least that is told by processes of their own."""
    command = [sys.executable, __file__, "--inside", what, name]
    environment = {**os.environ, "AIRLOOM_CODE_CACHE": folder}
    return min(float(json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)) for _ in range(repeats))


def call() -> float:
    """What a call of a compiled function takes."""
    import airloom

    jitted = airloom.jit(remainder)
    jitted.in_background = False
    jitted(1.0, 2.0)
    assert jitted.parts[0].compiled
    return each("f(1.0, 2.0)", {"f": jitted})


def each(statement: str, names: dict[str, Any]) -> float:
    """How long something short takes."""
    setup = "; ".join(f"{name} = given_{name}" for name in names)
    timer = timeit.Timer(statement, setup, time.process_time, {f"given_{name}": value for name, value in names.items()})
    count = max(10, int(0.004 / max(min(timer.repeat(3, 20)) / 20, 1e-8)))
    return min(timer.repeat(25, count)) / count


def tiny(statement: str) -> tuple[float, float]:
    """What an operation of ten elements takes, and with NumPy."""
    import airloom.numpy as np

    x, y = numpy.arange(10.0), numpy.full(10, 4.5)
    a, b = np.asarray(x, copy=True) + 0.0, np.asarray(y, copy=True) + 0.0
    return each(statement, {"np": np, "a": a, "b": b, "c": a > b}), each(statement, {"np": numpy, "a": x, "b": y, "c": x > y})


def told(what: str, found: float, most: float, unit: str) -> None:
    print(f"{what:58} {found:9.2f} {unit:5} {most:7.2f}{'  above' if found > most else ''}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=9, help="processes for each figure")
    parser.add_argument("--only", default="first,code,disk,call,tiny,import")
    parser.add_argument("--inside", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.inside:
        what, name = asked.inside
        print(json.dumps({"first": first, "waited": waited, "code": code, "expression": expression, "import": imported}[what](name)))
        return
    only = asked.only.split(",")
    print(f"{'':58} {'found':>9} {'':5} {'most':>7}")
    if "first" in only:
        for name in FUNCTIONS:
            told(f"first answer of `{name}`", 1e3 * fresh("first", name, asked.repeats), 5, "ms")
            told(f"first answer of `{name}`, by the clock", 1e3 * fresh("waited", name, asked.repeats), 5, "ms")
    if "code" in only:
        for name in FUNCTIONS:
            told(f"first answer of the code of `{name}`", 1e3 * fresh("code", name, asked.repeats), 150, "ms")
        for name in EXPRESSIONS:
            told(f"the loop of {name}", 1e3 * fresh("expression", name, asked.repeats), 30, "ms")
    if "disk" in only:
        with tempfile.TemporaryDirectory() as folder:
            for name in FUNCTIONS:
                fresh("code", name, 1, folder)
                told(f"first answer of the code of `{name}`, which is on disk", 1e3 * fresh("code", name, asked.repeats, folder), 2, "ms")
    if "call" in only:
        told("a call with two floats", 1e6 * call(), 2, "µs")
    if "tiny" in only:
        for name in TINY:
            ours, theirs = tiny(name)
            told(f"`{name}` of ten elements, beside {1e6 * theirs:.2f} µs of NumPy's", ours / theirs, 2, "times")
    if "import" in only:
        # NumPy is there already.
        told("import of `airloom.numpy`, beyond that of NumPy", 1e3 * fresh("import", "airloom.numpy", asked.repeats), 150, "ms")


if __name__ == "__main__":
    main()

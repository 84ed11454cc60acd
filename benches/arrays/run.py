"""Expressions over arrays: airloom.numpy beside NumPy, numexpr, Numba, JAX and loops in C, with the same number of threads, in one process.

    python benches/arrays/run.py [--sizes 1e4,1e6,1e7] [--dtypes f8,f4,i8] [--threads 2] [--repeats 7] [--programs where-sum,variance]

For each program the best of several runs, in turns, so that what else the machine does falls on all alike. Answers are compared before anything is measured: airloom's
with NumPy's to the bit; another's is marked by an asterisk where it is off by more than a ten thousandth. Peers are left out where they are not installed. Times are those of the clock, or of the processor with `--processor`, for machines that others use too.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
import peers


@dataclass(frozen=True)
class Program:
    """One expression, as users write it, and in numexpr's words where it has them."""

    arrays: Callable[[Any, Any, Any], Any]
    text: str | None
    dtypes: tuple[str, ...] = ("f8", "f4", "i8")


def variance(np: Any, a: Any, b: Any) -> Any:
    return a.var()


PROGRAMS: dict[str, Program] = {
    "where-sum": Program(lambda np, a, b: (a * b + np.where(a > b, a - b, 2 * b)).sum(), "sum(a * b + where(a > b, a - b, 2 * b))"),
    "polynomial": Program(lambda np, a, b: ((a * 3 + b) * a - 2 * b) * a + b, "((a * 3 + b) * a - 2 * b) * a + b"),
    "count": Program(lambda np, a, b: ((a > b) & (a * 2 < b * 3)).sum(), None),
    "distance": Program(lambda np, a, b: np.sqrt(a * a + b * b), "sqrt(a * a + b * b)", ("f8", "f4")),
    "variance": Program(variance, None, ("f8", "f4")),
    "softplus": Program(lambda np, a, b: np.log1p(np.exp(a)) * b, "log1p(exp(a)) * b", ("f8", "f4")),
    "black-scholes": Program(lambda np, a, b: black_scholes(np, a, b), None, ("f8", "f4")),
    "means of rows": Program(lambda np, a, b: centred(np, a), None, ("f8", "f4")),
    "stencil": Program(lambda np, a, b: stencil(np, a, b), None, ("f8", "f4")),
    "in place": Program(lambda np, a, b: updated(np, a, b), None),
}


def black_scholes(np: Any, price: Any, strike: Any) -> Any:
    """What an option is worth that may be used in a year."""

    def cumulative(d: Any) -> Any:
        k = 1.0 / (1.0 + 0.2316419 * np.abs(d))
        tail = 0.3989422804014327 * np.exp(-0.5 * d * d) * (k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))))
        return np.where(d > 0, 1.0 - tail, tail)

    first = (np.log((price + 1) / (strike + 1)) + 0.12) / 0.2
    return price * cumulative(first) - strike * 0.9 * cumulative(first - 0.2)


def centred(np: Any, a: Any) -> Any:
    """The elements of each row of a hundred, from their mean and by their spread."""
    rows = a.reshape(-1, 100)
    distances = rows - rows.mean(axis=1, keepdims=True)
    return distances / np.sqrt((distances * distances).sum(axis=1, keepdims=True) + 1)


def stencil(np: Any, a: Any, b: Any) -> Any:
    """A step along slopes of slopes."""
    slopes = (a[1:] - a[:-1]) * 0.5
    return b[1:-1] + (slopes[1:] - slopes[:-1]) * 0.1


def updated(np: Any, a: Any, b: Any) -> Any:
    made = a * 2
    made += b
    made *= a
    return made


def best(calls: dict[str, Callable[[], Any]], repeats: int, clock: Callable[[], float]) -> dict[str, float]:
    """The shortest time of each call, in milliseconds; they take turns."""
    found = dict.fromkeys(calls, math.inf)
    for _ in range(repeats):
        for name, call in calls.items():
            started = clock()
            call()
            found[name] = min(found[name], 1000 * (clock() - started))
    return found


def checked(expected: Any, found: Any) -> None:
    assert numpy.array_equal(expected, found) and numpy.asarray(found).dtype == numpy.asarray(expected).dtype, "the answers differ"


def row(name: str, program: Program, word: str, size: int, repeats: int, modules: dict[str, Any], loops: dict[str, Any], clock: Callable[[], float]) -> tuple[dict[str, float], dict[str, Any]]:
    """The times of one program, and how airloom computed it."""
    import json

    import airloom.numpy as np

    draw = numpy.random.default_rng(0)
    left, right = ((draw.random(size) * 50).astype(word) for _ in range(2))
    # Copies, which nobody else holds.
    ours = np.array(left), np.array(right)

    def looked() -> Any:
        made = program.arrays(np, *ours)
        return numpy.asarray(made) if isinstance(made, np.ndarray) else made

    calls: dict[str, Callable[[], Any]] = {"airloom": looked, "numpy": lambda: program.arrays(numpy, left, right)}
    expected = calls["numpy"]()
    checked(expected, looked())
    for peer, call in others(name, program, word, modules, loops).items():
        calls[peer] = lambda call=call: call(left, right)  # type: ignore[misc]
    plan = json.loads(np.explain(lambda: program.arrays(np, *ours), format="json"))
    plan["off"] = [peer for peer in calls if peer not in ("airloom", "numpy") and not numpy.allclose(expected, calls[peer](), rtol=1e-4)]
    # Bodies are compiled in the background: what is measured is what a second call has.
    for _ in range(3):
        looked()
        time.sleep(0.05)
    return best(calls, repeats, clock), plan


def others(name: str, program: Program, word: str, modules: dict[str, Any], loops: dict[str, Any]) -> dict[str, Callable[[Any, Any], Any]]:
    """A program for each peer that has words for it."""
    found: dict[str, Callable[[Any, Any], Any]] = {}
    numexpr, numba, jax = (modules[peer] for peer in ("numexpr", "numba", "jax"))
    if numexpr is not None and program.text is not None:
        found["numexpr"] = lambda a, b: numexpr.evaluate(program.text, {"a": a, "b": b})
    if numba is not None:
        found["Numba arrays"] = peers.numba_arrays(numba, name, program.arrays)
        found["Numba loops"] = peers.numba_loops(numba, name)
    if jax is not None:
        found["JAX"] = peers.jax_arrays(jax, program.arrays)
    if (name, word) in loops:
        found["C"] = loops[name, word]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1e4,1e6,1e7", help="how many elements (default: %(default)s)")
    parser.add_argument("--dtypes", default="f8,f4,i8", help="of the arrays (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="of every engine (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=7, help="runs of each (default: %(default)s)")
    parser.add_argument("--programs", default=",".join(PROGRAMS), help="which ones (default: all)")
    parser.add_argument("--processor", action="store_true", help="measure processor time, of all threads together")
    asked = parser.parse_args()
    os.environ["NUMEXPR_NUM_THREADS"] = os.environ["NUMEXPR_MAX_THREADS"] = str(asked.threads)
    os.environ["AIRLOOM_THREADS"] = str(asked.threads)
    os.environ["NUMBA_NUM_THREADS"] = str(asked.threads)
    os.environ["XLA_FLAGS"] = f"--xla_cpu_multi_thread_eigen={'true' if asked.threads > 1 else 'false'} intra_op_parallelism_threads={asked.threads}"
    if asked.processor:
        # Threads that wait by turning would be counted as if they computed.
        os.environ["OMP_WAIT_POLICY"], os.environ["GOMP_SPINCOUNT"], os.environ["NUMBA_THREADING_LAYER"] = "passive", "0", "workqueue"
    modules = {name: peers.installed(name) for name in ("numexpr", "numba", "jax")}
    versions = ", ".join([f"NumPy {numpy.__version__}", *(f"{name} {module.__version__ if module else 'is not installed'}" for name, module in modules.items())])
    clock = time.process_time if asked.processor else time.perf_counter
    loops = peers.in_c({name: program.dtypes for name, program in PROGRAMS.items()}, asked.threads)
    print(f"{asked.threads} threads, {versions}, {'loops in C by the compiler here' if loops else 'no C compiler'}, best of {asked.repeats}, milliseconds of the {'processor' if asked.processor else 'clock'}")
    print(f"memory: {peers.bandwidth(asked.threads) / 1e9:.1f} GB/s, two arrays read and one written")
    columns = ("airloom", "numpy", "numexpr", "Numba arrays", "Numba loops", "JAX", "C")
    print(f"{'program':<14}{'dtype':>6}{'elements':>10}{'loops':>7}{'arrays':>8}" + "".join(f"{name:>14}" for name in columns) + f"{'NumPy / airloom':>17}")
    for name in asked.programs.split(","):
        for word in asked.dtypes.split(","):
            for size in (int(float(text)) for text in asked.sizes.split(",")):
                program = PROGRAMS[name]
                if word not in program.dtypes:
                    continue
                times, plan = row(name, program, word, size, asked.repeats, modules, loops, clock)
                cells = [f"{times[peer]:.3f}{'*' if peer in plan['off'] else ''}" if peer in times else "-" for peer in columns]
                print(f"{name:<14}{word:>6}{size:>10}{plan['kernels']:>7}{plan['temporaries']:>8}" + "".join(f"{cell:>14}" for cell in cells) + f"{times['numpy'] / times['airloom']:>17.2f}", flush=True)


if __name__ == "__main__":
    main()

"""Expressions over arrays: airloom.numpy beside NumPy and numexpr, with the same number of threads, in one process.

    python benches/arrays/run.py [--sizes 1e4,1e6,1e7] [--dtypes f8,f4,i8] [--threads 2] [--repeats 7] [--programs where-sum,variance]

For each program the best of several runs, in turns, so that what else the machine does falls on all alike. Answers are compared before anything is measured: airloom's
with NumPy's to the bit; numexpr's, which adds floats one after the other, is marked by an asterisk where it is off by more than a ten thousandth. numexpr is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import importlib
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy


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


def best(calls: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """The shortest time of each call, in milliseconds; they take turns."""
    found = dict.fromkeys(calls, math.inf)
    for _ in range(repeats):
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            found[name] = min(found[name], 1000 * (time.perf_counter() - started))
    return found


def checked(expected: Any, found: Any) -> None:
    assert numpy.array_equal(expected, found) and numpy.asarray(found).dtype == numpy.asarray(expected).dtype, "the answers differ"


def row(name: str, program: Program, word: str, size: int, repeats: int, numexpr: Any) -> tuple[dict[str, float], dict[str, Any]]:
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
    if numexpr is not None and program.text is not None:
        calls["numexpr"] = lambda: numexpr.evaluate(program.text, {"a": left, "b": right})
    plan = json.loads(np.explain(lambda: program.arrays(np, *ours), format="json"))
    plan["off"] = "numexpr" in calls and not numpy.allclose(expected, calls["numexpr"](), rtol=1e-4)
    # Bodies are compiled in the background: what is measured is what a second call has.
    for _ in range(3):
        looked()
        time.sleep(0.05)
    return best(calls, repeats), plan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1e4,1e6,1e7", help="how many elements (default: %(default)s)")
    parser.add_argument("--dtypes", default="f8,f4,i8", help="of the arrays (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="of every engine (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=7, help="runs of each (default: %(default)s)")
    parser.add_argument("--programs", default=",".join(PROGRAMS), help="which ones (default: all)")
    asked = parser.parse_args()
    os.environ["NUMEXPR_NUM_THREADS"] = os.environ["NUMEXPR_MAX_THREADS"] = str(asked.threads)
    os.environ["AIRLOOM_THREADS"] = str(asked.threads)
    try:
        numexpr = importlib.import_module("numexpr")
    except ImportError:
        numexpr = None
    versions = f"NumPy {numpy.__version__}, numexpr {numexpr.__version__ if numexpr else 'is not installed'}"
    print(f"{asked.threads} threads, {versions}, best of {asked.repeats}, milliseconds")
    print(f"{'program':<12}{'dtype':>6}{'elements':>10}{'loops':>7}{'arrays':>8}{'airloom':>10}{'NumPy':>10}{'numexpr':>10}{'NumPy / airloom':>17}")
    for name in asked.programs.split(","):
        for word in asked.dtypes.split(","):
            for size in (int(float(text)) for text in asked.sizes.split(",")):
                program = PROGRAMS[name]
                if word not in program.dtypes:
                    continue
                times, plan = row(name, program, word, size, asked.repeats, numexpr)
                own, other = times["airloom"], times.get("numexpr")
                third = "-" if other is None else f"{other:.3f}{'*' if plan['off'] else ''}"
                print(f"{name:<12}{word:>6}{size:>10}{plan['kernels']:>7}{plan['temporaries']:>8}{own:>10.3f}{times['numpy']:>10.3f}{third:>10}{times['numpy'] / own:>17.2f}", flush=True)


if __name__ == "__main__":
    main()

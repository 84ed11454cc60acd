"""NumPy's functions of columns in memory, beside pandas.

    .venv/bin/python benches/pandas/numpy_functions.py [rows]

Each line is the best of five turns, in milliseconds, from the call to real data. Each turn takes the columns out of the frame, as programs do.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas

import airloom.pandas

TURNS = 5

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "where, two numbers": lambda d: np.where(d["a"] > 0.5, 1, 0),
    "where, columns": lambda d: np.where(d["a"] > 0.5, d["b"], d["c"]),
    "where, computed": lambda d: np.where(d["a"] * 2 > d["b"] + d["c"], d["a"] - d["b"], d["c"] * d["e"]),
    "where, put back": lambda d: d.assign(x=np.where(d["a"] * 2 > d["b"], d["a"] - d["b"], 0.0)),
    "where, text": lambda d: np.where(d["a"] > 0.5, "high", "low"),
    "select": lambda d: np.select([d["a"] > 0.8, d["b"] > 0.5], [d["c"] * 2, d["e"]], -1.0),
    "isin": lambda d: np.isin(d["i"] + 1, [3, 5, 700]),
    "digitize": lambda d: np.digitize(d["a"] * 2, [0.2, 0.8, 1.5]),
    "interp": lambda d: np.interp(d["a"] * 2, [0.0, 1.0, 2.0], [5.0, 1.0, 2.0]),
    "percentile": lambda d: np.percentile(d["a"] * 2, [10, 50, 90]),
    "clip": lambda d: np.clip(d["a"] * 2, 0.5, 1.5),
    "exp": lambda d: np.exp(d["a"]),
    "log, computed": lambda d: np.log(d["a"] * d["b"] + 1),
    "sin": lambda d: np.sin(d["a"]),
    "hypot": lambda d: np.hypot(d["a"] - d["b"], d["c"] - d["e"]),
    "sqrt of squares": lambda d: np.sqrt((d["a"] - d["b"]) ** 2 + (d["c"] - d["e"]) ** 2),
    "floor, computed": lambda d: np.floor(d["a"] * 100) / 100,
    "maximum": lambda d: np.maximum(d["a"] - d["b"], 0),
    "exp, filtered": lambda d: np.exp(d[d["a"] > 0.5]["b"]),
    "great circle": lambda d: _distance(d["a"], d["b"], d["c"], d["e"]),
    "log of a frame": lambda d: np.log(d[["a", "b", "c", "e"]]),
}


def _distance(latitude: Any, longitude: Any, other_latitude: Any, other_longitude: Any) -> Any:
    """The distance of points on a sphere."""
    first, second = np.radians(latitude), np.radians(other_latitude)
    across = np.sin((second - first) / 2) ** 2 + np.cos(first) * np.cos(second) * np.sin(np.radians(other_longitude - longitude) / 2) ** 2
    return 2 * 6371 * np.arcsin(np.sqrt(across))


def data(rows: int) -> dict[str, Any]:
    draw = np.random.default_rng(0)
    return {**{name: draw.random(rows) for name in "abce"}, "i": draw.integers(0, 1000, rows)}


def best(frame: Any, program: Callable[[Any], Any]) -> float:
    """The shortest time of several, in milliseconds."""
    times = []
    for _ in range(TURNS):
        started = time.perf_counter()
        made = program(frame)
        getattr(made, "_mgr", None)
        times.append(time.perf_counter() - started)
    return min(times) * 1000


def main() -> None:
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    columns = data(rows)
    ours, theirs = airloom.pandas.DataFrame(columns), pandas.DataFrame(columns)
    print(f"{'program':<20} {'ours':>9} {'pandas':>9}  ratio")
    ratios = []
    for name, program in PROGRAMS.items():
        found, expected = best(ours, program), best(theirs, program)
        ratios.append(found / expected)
        print(f"{name:<20} {found:>9.3f} {expected:>9.3f} {found / expected:>6.2f}")
    print(f"geometric mean of the ratios {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")


if __name__ == "__main__":
    main()

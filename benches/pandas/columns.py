"""Reductions of one column in memory, beside pandas: every dtype, several sizes.

    .venv/bin/python benches/pandas/columns.py [rows ...]

Each line is the best of several turns, in milliseconds. The column is taken out of its frame before each turn, as programs do.
"""

from __future__ import annotations

import math
import sys
import time
from typing import Any

import numpy as np
import pandas

import airloom.pandas

OPERATIONS = ("sum", "mean", "min", "max", "std", "count", "nunique")
TURNS = 7


def columns(rows: int) -> dict[str, Any]:
    """A column of each dtype."""
    draw = np.random.default_rng(0)
    return {
        "float64": draw.random(rows),
        "float32": draw.random(rows).astype("float32"),
        "int64": draw.integers(0, 1000, rows),
        "int32": draw.integers(0, 100, rows).astype("int32"),
        "bool": draw.random(rows) > 0.5,
    }


def best(frame: Any, column: str, operation: str) -> float:
    """The shortest time of several, in milliseconds."""
    times = []
    for _ in range(TURNS):
        series = frame[column]
        started = time.perf_counter()
        float(getattr(series, operation)())
        times.append(time.perf_counter() - started)
    return min(times) * 1000


def main() -> None:
    sizes = [int(argument) for argument in sys.argv[1:]] or [100_000, 3_000_000, 30_000_000]
    print(f"{'rows':>10} {'dtype':<8} {'operation':<9} {'ours':>9} {'pandas':>9}  ratio")
    for rows in sizes:
        data = columns(rows)
        ours, theirs = airloom.pandas.DataFrame(data), pandas.DataFrame(data)
        ratios = []
        for column in data:
            for operation in OPERATIONS:
                found, expected = best(ours, column, operation), best(theirs, column, operation)
                ratios.append(found / expected)
                print(f"{rows:>10} {column:<8} {operation:<9} {found:>9.3f} {expected:>9.3f} {found / expected:>6.2f}")
        print(f"{rows:>10} geometric mean of the ratios {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")


if __name__ == "__main__":
    main()

"""What a frame of a hundred rows costs: each operation beside pandas, and what importing costs.

    python benches/pandas/small.py [--rows 100] [--limit 2.0]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas

import airloom.pandas

OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    'df["a"]': lambda pd, df: df["a"],
    "df.a": lambda pd, df: df.a,
    'df[["a", "b"]]': lambda pd, df: df[["a", "b"]],
    'df[df["a"] > 50]': lambda pd, df: df[df["a"] > 50],
    'df["a"] + 1': lambda pd, df: df["a"] + 1,
    'df["a"] * df["b"]': lambda pd, df: df["a"] * df["b"],
    'df["s"] == "x"': lambda pd, df: df["s"] == "x",
    'df["a"].sum()': lambda pd, df: df["a"].sum(),
    "df.mean()": lambda pd, df: df[["a", "b"]].mean(),
    'df.loc[df["a"] > 50, "b"]': lambda pd, df: df.loc[df["a"] > 50, "b"],
    "df.iloc[3:10]": lambda pd, df: df.iloc[3:10],
    'df["a"].iloc[3]': lambda pd, df: df["a"].iloc[3],
    "df.head()": lambda pd, df: df.head(),
    "df.copy()": lambda pd, df: df.copy(),
    'df.groupby("k")["a"].sum()': lambda pd, df: df.groupby("k")["a"].sum(),
    'df.merge(df, on="a")': lambda pd, df: df.merge(df, on="a"),
    'df.sort_values("b")': lambda pd, df: df.sort_values("b"),
    "df.fillna(0)": lambda pd, df: df[["a", "b"]].fillna(0),
    'df["s"].str.upper()': lambda pd, df: df["s"].str.upper(),
    'df["t"].dt.year': lambda pd, df: df["t"].dt.year,
    "df.assign(c=1)": lambda pd, df: df.assign(c=1),
    "df.drop_duplicates()": lambda pd, df: df.drop_duplicates(),
    'df["a"].map(dict)': lambda pd, df: df["a"].map({1: 2, 3: 4}),
    'df["a"].apply(lambda)': lambda pd, df: df["a"].apply(lambda x: x + 1),
    "df.describe()": lambda pd, df: df.describe(),
    "pd.concat([df, df])": lambda pd, df: pd.concat([df, df]),
    'df["s"].value_counts()': lambda pd, df: df["s"].value_counts(),
    "df.reset_index()": lambda pd, df: df.reset_index(),
    'df.set_index("k")': lambda pd, df: df.set_index("k"),
    "len(df)": lambda pd, df: len(df),
    "df.shape": lambda pd, df: df.shape,
    "df.columns": lambda pd, df: df.columns,
}


def frame(pd: Any, rows: int) -> Any:
    """A frame of some rows."""
    numbers = np.arange(rows)
    columns = {"a": numbers, "b": numbers * 0.5, "k": numbers % 7, "s": np.where(numbers % 2 == 0, "x", "y"), "t": numbers.astype("M8[s]")}
    return pd.DataFrame(columns)


def once(work: Callable[[], Any], times: int) -> float:
    started = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - started) / times


def seconds(works: list[Callable[[], Any]]) -> list[float]:
    """The median of short runs of each, taken in turn so that noise is the same for all."""
    times = max(3, min(2000, int(0.01 / max(once(works[0], 3), 1e-7))))
    runs = [[once(work, times) for work in works] for _ in range(9)]
    return [statistics.median(run[at] for run in runs) for at in range(len(works))]


def import_seconds(module: str) -> float:
    """How long a fresh process takes to import a module, the best of some."""
    program = f"import time; s = time.perf_counter(); import {module}; print(time.perf_counter() - s)"
    # As installed packages are: compiled once, by the first of these processes.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", program]
    return min(float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout) for _ in range(5))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100, help="of the frame (default: %(default)s)")
    parser.add_argument("--limit", type=float, default=2.0, help="no operation may take this many times as long as in pandas (default: %(default)s)")
    arguments = parser.parse_args()
    theirs, ours = frame(pandas, arguments.rows), frame(airloom.pandas, arguments.rows)
    slow = []
    print(f"{'operation':<30}{'pandas':>12}{'airloom':>12}{'times':>8}")
    for name, operation in OPERATIONS.items():
        base, own = seconds([lambda: operation(pandas, theirs), lambda: operation(airloom.pandas, ours)])  # noqa: B023
        print(f"{name:<30}{base * 1e6:>10.1f}µs{own * 1e6:>10.1f}µs{own / base:>8.2f}")
        if own > arguments.limit * base:
            slow.append(name)
    base, own = import_seconds("pandas"), import_seconds("airloom.pandas")
    print(f"{'import':<30}{base * 1e3:>10.0f}ms{own * 1e3:>10.0f}ms")
    if slow or own - base > 0.3:
        raise SystemExit(f"too slow: {', '.join(slow) or 'the import'}")


if __name__ == "__main__":
    main()

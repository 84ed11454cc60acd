"""What reading a file of text costs: airloom beside pandas, and beside others where they are installed, each on the same threads.

    python benches/pandas/reading.py [--rows 5500000] [--threads 2] [--repeat 3]
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pyarrow
import pyarrow.csv

import airloom
import airloom.pandas

#: How the file is read.
WAYS: dict[str, dict[str, Any]] = {
    "all columns": {},
    "parse_dates": {"parse_dates": ["when"]},
    "three columns": {"usecols": ["id", "x", "city"]},
    "index_col": {"index_col": "id"},
    "dtype": {"dtype": {"city": "category", "count": "int8"}},
    "low_memory=False": {"low_memory": False},
}


def write(path: str, rows: int) -> None:
    """A file of numbers, text, timestamps and booleans, about 100 bytes for each row."""
    source = np.random.default_rng(1)
    words = np.array(["alpha", "beta", "gamma", "delta street", "epsilon", "zeta, or so", "eta", "theta"])
    with pyarrow.OSFile(path, "wb") as file:
        for start in range(0, rows, 500_000):
            count = min(500_000, rows - start)
            table = pyarrow.table(
                {
                    "id": np.arange(start, start + count),
                    "price": np.round(source.normal(100, 30, count), 2),
                    "x": source.normal(size=count),
                    "count": source.integers(0, 100, count),
                    "lat": np.round(source.uniform(-90, 90, count), 6),
                    "city": words[source.integers(0, 8, count)],
                    "name": np.char.add("user", source.integers(0, 10**6, count).astype(str)),
                    "when": (np.datetime64("2015-01-01T00:00:00") + source.integers(0, 10**8, count).astype("m8[s]")).astype(str),
                    "flag": source.random(count) < 0.5,
                    "maybe": pyarrow.array(source.integers(0, 1000, count), mask=source.random(count) < 0.1),
                }
            )
            pyarrow.csv.write_csv(table, file, pyarrow.csv.WriteOptions(include_header=start == 0, quoting_style="needed"))


def best(repeat: int, read: Callable[[], Any]) -> tuple[float, float]:
    """The least time, and the least time of processors, of several."""
    found = []
    for _ in range(repeat):
        gc.collect()
        wall, spent = time.perf_counter(), time.process_time()
        made = read()
        found.append((time.perf_counter() - wall, time.process_time() - spent))
        del made
    return min(wall for wall, _ in found), min(spent for _, spent in found)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rows", type=int, default=5_500_000)
    asked.add_argument("--threads", type=int, default=2)
    asked.add_argument("--repeat", type=int, default=3)
    options = asked.parse_args()
    pandas.set_option("mode.max_threads", options.threads)
    pyarrow.set_cpu_count(options.threads)
    airloom.options.threads = options.threads
    os.environ["POLARS_MAX_THREADS"] = str(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file.csv")
        write(path, options.rows)
        print(f"{options.rows} rows, {os.path.getsize(path) / 1e6:.0f} MB, {options.threads} threads: seconds (of processors)\n")
        for way, words in WAYS.items():
            ours = best(options.repeat, lambda words=words: airloom.pandas.read_csv(path, **words))
            theirs = best(options.repeat, lambda words=words: pandas.read_csv(path, **words))
            print(f"{way:18} airloom {ours[0]:.2f} ({ours[1]:.2f})  pandas {theirs[0]:.2f} ({theirs[1]:.2f})  {theirs[0] / ours[0]:.1f} times, {theirs[1] / ours[1]:.1f}", flush=True)
        others: dict[str, Callable[[], Any]] = {"pandas, pyarrow": lambda: pandas.read_csv(path, engine="pyarrow")}
        if importlib.util.find_spec("polars"):
            import polars

            others["Polars"] = lambda: polars.read_csv(path)
        if importlib.util.find_spec("duckdb"):
            import duckdb

            duckdb.execute(f"SET threads = {options.threads}")
            others["DuckDB to pandas"] = lambda: duckdb.read_csv(path).df()
        for name, read in others.items():
            wall, spent = best(options.repeat, read)
            print(f"{name:18} {wall:.2f} ({spent:.2f})", flush=True)


if __name__ == "__main__":
    main()

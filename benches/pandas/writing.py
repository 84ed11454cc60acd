"""Writing a frame of integers, floats, text and dates: airloom beside pandas, and beside others where they are installed.

    python benches/pandas/writing.py [--rows 2000000] [--threads 2]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas


def frame(rows: int) -> pandas.DataFrame:
    """A mix of what people write."""
    random = np.random.default_rng(1)
    words = np.array(["alpha", "beta", "gamma delta", "epsilon, zeta"])
    return pandas.DataFrame(
        {
            "id": np.arange(rows),
            "count": random.integers(0, 10**6, rows),
            "value": random.normal(size=rows),
            "price": np.round(random.uniform(0, 1000, rows), 2),
            "name": words[random.integers(0, 4, rows)],
            "time": np.datetime64("2020-01-01", "us") + random.integers(0, 10**14, rows).astype("m8[us]"),
            "day": np.datetime64("2020-01-01", "us") + random.integers(0, 3000, rows).astype("m8[D]"),
            "flag": random.random(rows) > 0.5,
        }
    )


def best(call: Callable[[], object], repeat: int) -> float:
    """The least seconds of some calls."""
    found = []
    for _ in range(repeat):
        started = time.perf_counter()
        call()
        found.append(time.perf_counter() - started)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    asked = parser.parse_args()
    os.environ["POLARS_MAX_THREADS"] = str(asked.threads)
    plain = frame(asked.rows)
    with tempfile.TemporaryDirectory() as folder:
        csv, parquet = f"{folder}/a.csv", f"{folder}/a.parquet"
        times: dict[str, dict[str, float]] = {"csv": {}, "parquet": {}}
        times["csv"]["pandas"] = best(lambda: plain.to_csv(csv, index=False), 1)
        expected = open(csv, "rb").read()
        times["parquet"]["pandas"] = best(lambda: plain.to_parquet(parquet), asked.repeat)
        _airloom(plain, csv, parquet, asked, times)
        if "airloom" in times["csv"]:
            assert open(csv, "rb").read() == expected, "not the same bytes"
        _others(plain, csv, parquet, asked, times)
    for kind, found in times.items():
        for name, seconds in found.items():
            print(f"{kind:8} {name:8} {seconds:7.3f} s   {found['pandas'] / seconds:5.1f} × pandas")


def _airloom(plain: pandas.DataFrame, csv: str, parquet: str, asked: Any, times: dict[str, dict[str, float]]) -> None:
    try:
        import airloom
        import airloom.pandas
    except ImportError:
        return
    ours = airloom.pandas.DataFrame(plain)
    with airloom.options(threads=asked.threads), airloom.strict():
        times["parquet"]["airloom"] = best(lambda: ours.to_parquet(parquet), asked.repeat)
        times["csv"]["airloom"] = best(lambda: ours.to_csv(csv, index=False), asked.repeat)


def _others(plain: pandas.DataFrame, csv: str, parquet: str, asked: Any, times: dict[str, dict[str, float]]) -> None:
    try:
        import duckdb
        import polars
    except ImportError:
        return
    frame = polars.from_pandas(plain)
    times["csv"]["polars"] = best(lambda: frame.write_csv(csv + ".polars"), asked.repeat)
    times["parquet"]["polars"] = best(lambda: frame.write_parquet(parquet + ".polars", compression="snappy"), asked.repeat)
    connection = duckdb.connect(config={"threads": asked.threads})
    connection.execute("create table t as select * from plain")
    times["csv"]["duckdb"] = best(lambda: connection.execute(f"copy t to '{csv}.duckdb' (header)"), asked.repeat)
    times["parquet"]["duckdb"] = best(lambda: connection.execute(f"copy t to '{parquet}.duckdb' (format parquet)"), asked.repeat)


if __name__ == "__main__":
    main()

"""The 22 TPC-H queries in Polars' words: airloom's engine beside Polars in memory and Polars streaming, with the same number of threads, in one process.

    python benches/polars/run.py [--scale 1] [--data memory,parquet] [--repeats 5] [--threads 2] [--clock wall] [--queries q01,q06]

For each query the best of several runs, in turns, so that what else the machine does falls on all alike; answers are compared before anything is measured.
Of airloom's time it tells besides how long Polars' optimiser and the translation took.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tpch"))


#: What a time is: that of the clock, or that of all threads of the process together, which a busy machine changes less.
CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "cpu": time.process_time}


def best(calls: dict[str, Callable[[], Any]], repeats: int, clock: Callable[[], float]) -> dict[str, float]:
    """The shortest time of each call, in milliseconds; they take turns."""
    found = dict.fromkeys(calls, math.inf)
    for _ in range(repeats):
        for name, call in calls.items():
            started = clock()
            call()
            found[name] = min(found[name], 1000 * (clock() - started))
    return found


def measured(query: Any, engine: Any, repeats: int, clock: Callable[[], float]) -> dict[str, float]:
    """How long each engine takes for a query, and how long it takes to translate it."""
    from airloom.polars import translate

    return best(
        {
            "airloom": lambda: query.collect(engine=engine),
            "in memory": lambda: query.collect(engine="in-memory"),
            "streaming": lambda: query.collect(engine="streaming"),
            "translation": lambda: translate(query),
            "optimiser": lambda: query._ldf.visit(),
        },
        repeats,
        clock,
    )


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def ahead(rows: list[dict[str, float]]) -> str:
    """How many times as fast as Polars' engines airloom is, in geometric mean."""
    speeds = {name: geometric_mean([row[name] / row["airloom"] for row in rows]) for name in ("in memory", "streaming")}
    return f"airloom is {speeds['in memory']:.2f} times as fast as Polars in memory and {speeds['streaming']:.2f} times as fast as Polars streaming, in geometric mean"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", default="1", help="of TPC-H (default: %(default)s)")
    parser.add_argument("--data", default="memory,parquet", help="where tables are (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="of every engine (default: %(default)s)")
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="what is measured (default: %(default)s)")
    parser.add_argument("--queries", default=None, help="such as q01,q06 (default: all)")
    asked = parser.parse_args()
    # Polars reads it when it is imported.
    os.environ["POLARS_MAX_THREADS"] = str(asked.threads)
    import polars as pl
    import polars_queries
    import programs
    from polars.testing import assert_frame_equal

    from airloom.polars import Engine

    engine = Engine(raise_on_fail=True, threads=asked.threads)
    chosen = asked.queries.split(",") if asked.queries else list(programs.QUERIES)
    folder = programs.data(asked.scale)
    everything: list[dict[str, float]] = []
    for place in asked.data.split(","):
        tables = {name: pl.scan_parquet(folder / f"{name}.parquet") for name in programs.TABLES}
        if place == "memory":
            tables = {name: lazy.collect().lazy() for name, lazy in tables.items()}
        queries = polars_queries.Queries(tables, programs.fraction(asked.scale))
        print(f"scale {asked.scale}, {place}, {asked.threads} threads, Polars {pl.__version__}, best of {asked.repeats}, milliseconds ({asked.clock})")
        print(f"{'query':<8}{'airloom':>10}{'in memory':>11}{'streaming':>11}{'translation':>13}{'of it Polars':>14}")
        rows = []
        for name in chosen:
            query = getattr(queries, name)()
            assert_frame_equal(query.collect(engine=engine), query.collect(), check_exact=False, rel_tol=1e-9)
            found = measured(query, engine, asked.repeats, CLOCKS[asked.clock])
            rows.append(found)
            print(f"{name:<8}{found['airloom']:>10.1f}{found['in memory']:>11.1f}{found['streaming']:>11.1f}{found['translation']:>13.2f}{found['optimiser']:>14.2f}", flush=True)
        means = {name: geometric_mean([row[name] for row in rows]) for name in rows[0]}
        everything += rows
        middle = sorted(row["translation"] - row["optimiser"] for row in rows)[len(rows) // 2]
        print(f"{'mean':<8}{means['airloom']:>10.1f}{means['in memory']:>11.1f}{means['streaming']:>11.1f}{means['translation']:>13.2f}{means['optimiser']:>14.2f}")
        print(f"{ahead(rows)}; median of translation without Polars' optimiser {middle:.2f} ms\n")
    print(f"over all {len(everything)}: {ahead(everything)}")


if __name__ == "__main__":
    main()

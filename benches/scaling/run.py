"""Measures how shapes of work use threads: elapsed and processor time on some numbers of threads, beside DuckDB and Polars.

    python benches/scaling/run.py --rows 1e7 --threads 1,2,64 --only join

Processor time is the work. On more threads than there are cores it still tells what more parts cost: work on 64 threads beside work on one. Each system and number of threads has a process of its own, one after
the other.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from shapes import SHAPES, Shape, tables

SYSTEMS = ("airloom", "duckdb", "polars")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e7, help="how many rows (default: %(default)g)")
    parser.add_argument("--threads", default="1,2,64", help="on how many threads (default: %(default)s); peers are measured on those that there are cores for")
    parser.add_argument("--repeat", type=int, default=3, help="the best of this many runs, after one that is not counted (default: %(default)s)")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="default: %(default)s")
    parser.add_argument("--only", default="", help="shapes whose names contain this")
    parser.add_argument("--worker", default=None, help=argparse.SUPPRESS)
    given = parser.parse_args()
    chosen = [shape for shape in SHAPES if given.only in shape.name]
    if not chosen:
        parser.error(f"no shape's name contains {given.only!r}: there are {', '.join(shape.name for shape in SHAPES)}")
    unknown = sorted(set(given.systems.split(",")) - set(SYSTEMS))
    if unknown:
        parser.error(f"unknown system {unknown[0]!r}: there are {', '.join(SYSTEMS)}")
    if given.worker is not None:
        worker(given.worker, int(given.rows), given.repeat, chosen)
        return
    threads = [int(count) for count in given.threads.split(",")]
    cores = len(os.sched_getaffinity(0))
    columns = [(system, count) for system in given.systems.split(",") for count in threads if system == "airloom" or count <= cores]
    found = {column: measured(*column, given) for column in columns}
    print(f"{int(given.rows):,} rows; elapsed and processor time in ms, best of {given.repeat}; peak memory of all in the last line\n")
    print("| shape | " + " | ".join(f"{system} {count}" for system, count in columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for shape in chosen:
        cells = [found[column]["shapes"][shape.name] for column in columns]
        print(f"| {shape.name} | " + " | ".join(f"{elapsed:.0f}, {work:.0f}" for elapsed, work in cells) + " |")
    print("| peak, MB | " + " | ".join(f"{found[column]['peak'] / 1e6:.0f}" for column in columns) + " |")


def measured(system: str, threads: int, given: argparse.Namespace) -> dict[str, Any]:
    """What a process of its own found."""
    count = str(threads)
    environment = {**os.environ, "AIRLOOM_THREADS": count, "POLARS_MAX_THREADS": count, "OMP_NUM_THREADS": count, "SCALING_THREADS": count}
    command = [sys.executable, __file__, "--worker", system, "--rows", str(given.rows), "--repeat", str(given.repeat), "--only", given.only]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"{system} on {threads} threads failed:\n{ran.stderr}")
    return json.loads(ran.stdout)


def worker(system: str, rows: int, repeat: int, chosen: list[Shape]) -> None:
    """Runs shapes on one system, and prints what it took as JSON."""
    ask = ready(system, rows)
    shapes = {}
    for shape in chosen:
        ask(shape)
        best = (float("inf"), float("inf"))
        for _ in range(repeat):
            elapsed, work = time.perf_counter(), time.process_time()
            ask(shape)
            best = (min(best[0], time.perf_counter() - elapsed), min(best[1], time.process_time() - work))
        shapes[shape.name] = [best[0] * 1e3, best[1] * 1e3]
    print(json.dumps({"shapes": shapes, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


def ready(system: str, rows: int) -> Any:
    """What asks a system a question, with the tables in its memory."""
    t, d = tables(rows)
    if system == "duckdb":
        import duckdb

        connection = duckdb.connect(config={"threads": os.environ["SCALING_THREADS"]})
        for name, table in (("t", t), ("d", d)):
            connection.register("given", table)
            connection.execute(f"create table {name} as select * from given")
            connection.unregister("given")
        return lambda shape: connection.execute(shape.sql).to_arrow_table()
    if system == "polars":
        import polars

        frames = (polars.from_arrow(t), polars.from_arrow(d))
        return lambda shape: shape.polars(polars, frames[0].lazy(), frames[1].lazy()).collect()
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
    import airloom.pandas as pandas

    def frame(table: Any) -> Any:
        made = pandas.DataFrame({name: table[name].to_pandas() for name in table.column_names})
        return made.astype({"maybe": "Int64"}) if "maybe" in table.column_names else made

    frames = (frame(t), frame(d))
    return lambda shape: getattr(shape.pandas(*frames), "_mgr", None)


if __name__ == "__main__":
    main()

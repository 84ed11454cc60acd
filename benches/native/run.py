"""Measures shapes that native code is made for: airloom with it and without it, beside DuckDB, Polars and, for an expression over arrays, NumPy and Numba.

    python benches/native/run.py --rows 1e7 --threads 1,2 --only extremes

Processor time is the work, and is what to read on a machine that does other things. Each system and number of threads has a process of its own, one after the other; `--check` compares the answers of all.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shapes import SHAPES, Shape, tables

REPOSITORY = Path(__file__).resolve().parents[2]
SYSTEMS = ("airloom", "interpreted", "duckdb", "polars", "numba")
EXPRESSION = "a * b + exp(a)"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e7, help="how many rows (default: %(default)g)")
    parser.add_argument("--threads", default="1,2", help="on how many threads (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=5, help="the best of this many runs, after two that are not counted (default: %(default)s)")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="default: %(default)s")
    parser.add_argument("--only", default="", help="shapes whose names contain this")
    parser.add_argument("--check", action="store_true", help="compare the answers")
    parser.add_argument("--worker", default=None, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker is not None:
        worker(given.worker, given)
        return
    unknown = sorted(set(given.systems.split(",")) - set(SYSTEMS))
    if unknown:
        parser.error(f"unknown system {unknown[0]!r}: there are {', '.join(SYSTEMS)}")
    columns = [(system, int(count)) for count in given.threads.split(",") for system in given.systems.split(",")]
    found = {column: measured(*column, given) for column in columns}
    names = list(dict.fromkeys(name for column in columns for name in found[column]))
    if not names:
        parser.error(f"no shape's name contains {given.only!r}: there are {', '.join(shape.name for shape in SHAPES)}")
    print(f"{int(given.rows):,} rows; processor time and elapsed time in ms, best of {given.repeat}\n")
    print("| shape | " + " | ".join(f"{system} {count}" for system, count in columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name in names:
        cells = [found[column].get(name) for column in columns]
        print(f"| {name} | " + " | ".join("" if cell is None else f"{cell['work']:.1f}, {cell['elapsed']:.1f}" for cell in cells) + " |", flush=True)
    if given.check:
        differ = [name for name in names if not agree([found[column][name]["answer"] for column in columns if name in found[column]])]
        print(f"\nanswers of {len(names)} shapes compared, {len(differ)} differ{': ' if differ else ''}{', '.join(differ)}")
        sys.exit(bool(differ))


def agree(answers: list[list[list[Any]]]) -> bool:
    """Whether all answers have the same rows; floats may be added in any order."""

    def same(one: Any, other: Any) -> bool:
        both = isinstance(one, float) and isinstance(other, float)
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9) if both else one == other

    first, *others = answers
    return all(len(first) == len(other) and all(same(a, b) for row, twin in zip(first, other, strict=True) for a, b in zip(row, twin, strict=True)) for other in others)


def measured(system: str, threads: int, given: argparse.Namespace) -> dict[str, Any]:
    """What a process of its own found."""
    count = str(threads)
    environment = {**os.environ, "AIRLOOM_THREADS": count, "POLARS_MAX_THREADS": count, "NUMBA_NUM_THREADS": count, "NATIVE_THREADS": count}
    command = [sys.executable, __file__, "--worker", system, "--rows", str(given.rows), "--repeat", str(given.repeat), "--only", given.only, *(["--check"] if given.check else [])]
    ran = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"{system} on {threads} threads failed")
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def worker(system: str, given: argparse.Namespace) -> None:
    """Runs shapes on one system, and prints what it took as JSON."""
    found = {}
    chosen = [shape for shape in SHAPES if given.only in shape.name]
    questions = {EXPRESSION: expression(system, int(given.rows))} if given.only in EXPRESSION else {}
    if system != "numba" and chosen:
        ask = ready(system, int(given.rows), chosen)
        questions |= {shape.name: lambda shape=shape: ask(shape) for shape in chosen}
    for name, question in questions.items():
        if question is None:
            continue
        question()
        time.sleep(0.2)
        answer = question()
        best = (float("inf"), float("inf"))
        for _ in range(given.repeat):
            elapsed, work = time.perf_counter(), time.process_time()
            question()
            best = (min(best[0], time.process_time() - work), min(best[1], time.perf_counter() - elapsed))
        found[name] = {"work": best[0] * 1e3, "elapsed": best[1] * 1e3, "answer": plain(answer) if given.check else None}
    print(json.dumps(found))


def plain(answer: Any) -> list[list[Any]]:
    """The rows of an answer, in an order of their own; of an array its sum."""
    if hasattr(answer, "dtype"):
        return [[float(answer.sum())]]
    table = answer.to_arrow() if hasattr(answer, "to_arrow") else answer.to_pyarrow() if hasattr(answer, "to_pyarrow") else answer
    rows = [[float(cell) if type(cell).__name__ == "Decimal" else cell if isinstance(cell, int | float | str | None) else str(cell) for cell in row.values()] for row in table.to_pylist()]
    return sorted(rows, key=str)


def expression(system: str, rows: int) -> Callable[[], Any] | None:
    """Asks for the expression over two arrays, where the system has arrays."""
    import numpy as np

    random = np.random.default_rng(5)
    a, b = random.random(rows), random.random(rows)
    if system in ("airloom", "interpreted"):
        library = ours(system).numpy
        left, right = library.array(a), library.array(b)
        return lambda: np.asarray(left * right + library.exp(left))
    if system == "duckdb":
        return None
    if system == "polars":
        import polars as pl

        frame = pl.DataFrame({"a": a, "b": b}).lazy()
        return lambda: frame.select(pl.col("a") * pl.col("b") + pl.col("a").exp()).collect().to_series().to_numpy()
    try:
        import numba
    except ImportError:
        print("Numba is not installed: it is left out", file=sys.stderr)
        return None
    compiled = numba.njit(parallel=True)(lambda a, b: a * b + np.exp(a))
    return lambda: compiled(a, b)


def ours(system: str) -> Any:
    """The package, with native code or without it."""
    sys.path.insert(0, str(REPOSITORY / "python"))
    import airloom
    import airloom.numpy

    if system == "interpreted":
        airloom.options.native = "off"
    return airloom


def ready(system: str, rows: int, chosen: list[Shape]) -> Callable[[Shape], Any]:
    """What asks a system a question, with the tables in its memory."""
    sys.path.insert(0, str(REPOSITORY / "benches" / "tpch"))
    import programs
    import pyarrow.parquet

    data = tables(rows) if any(not shape.tpch for shape in chosen) else {}
    if any(shape.tpch for shape in chosen):
        data["lineitem"] = pyarrow.parquet.read_table(programs.data("1") / "lineitem.parquet")
    threads = int(os.environ["NATIVE_THREADS"])
    if system == "duckdb":
        import duckdb

        connection = duckdb.connect(config={"threads": threads})
        for name, table in data.items():
            connection.register("given", table)
            connection.execute(f"create table {name} as select * from given")
            connection.unregister("given")
        return lambda shape: connection.sql(programs.sql(shape.sql, "1") if shape.tpch else shape.sql).to_arrow_table()
    if system == "polars":
        import polars
        import polars_queries

        frames = {name: polars.from_arrow(table).rechunk().lazy() for name, table in data.items()}
        queries = polars_queries.Queries({table: frames.get(table, polars.LazyFrame()) for table in programs.TABLES}, "0.0001")
        return lambda shape: (shape.polars(queries) if shape.tpch else shape.polars(polars, frames["t"], frames["d"])).collect()
    airloom = ours(system)
    session = airloom.Session(threads=threads, native="off" if system == "interpreted" else "auto")
    for name, table in data.items():
        session.register(name, table)
    made = {shape.name: airloom.ir.parse(programs.air(shape.air, "1"))[shape.air] if shape.tpch else airloom.ir.parse(shape.air)["f"] for shape in chosen}
    return lambda shape: session.run(made[shape.name])


if __name__ == "__main__":
    main()

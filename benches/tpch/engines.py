"""The engines, each in a process of its own: it loads the tables once, then runs queries as it is told, line by line.

    python engines.py ENGINE MODE SCALE THREADS FOLDER CLOCK

Commands come as lines of JSON on standard input, `{"query": "q01", "answer": true}`, and are answered by lines of JSON.
"""

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

import answers
import programs

# A query, ready to run from its text or its expressions to its result in the engine's own form; and what makes that a table of Arrow's.
Engine = tuple[Callable[[str], Any], Callable[[Any], pa.Table]]


def duckdb(mode: str, scale: str, threads: int, folder: Path) -> Engine:
    """Tables of an in-memory database, or views of the files."""
    import duckdb

    database = duckdb.connect(config={"threads": threads})
    database.execute("set parquet_metadata_cache = true")
    kind = "table" if mode == "memory" else "view"
    for table in programs.TABLES:
        database.execute(f"create {kind} {table} as from read_parquet('{folder / table}.parquet')")
    texts = {query: programs.sql(query, scale) for query in programs.QUERIES}
    return lambda query: database.sql(texts[query]).to_arrow_table(), lambda table: table


def polars(mode: str, scale: str, threads: int, folder: Path) -> Engine:
    """Data frames in one piece each, or lazy frames over the files."""
    import polars
    import polars_queries

    if polars.thread_pool_size() != threads:
        raise RuntimeError(f"Polars has {polars.thread_pool_size()} threads, expected {threads}")
    frames = {}
    for table in programs.TABLES:
        path = folder / f"{table}.parquet"
        frames[table] = polars.read_parquet(path).rechunk().lazy() if mode == "memory" else polars.scan_parquet(path)
    made = polars_queries.Queries(frames, programs.fraction(scale))
    return lambda query: getattr(made, query)().collect(), lambda frame: frame.to_arrow()


def datafusion(mode: str, scale: str, threads: int, folder: Path) -> Engine:
    """Record batches as DataFusion itself reads them, in as many partitions as there are threads; or the files, registered."""
    import datafusion

    # Without it `0.06 + 0.01` would be computed in floats, and the other engines compute it in decimals.
    config = datafusion.SessionConfig({"datafusion.sql_parser.parse_float_as_decimal": "true"}).with_target_partitions(threads)
    context = datafusion.SessionContext(config)
    for table in programs.TABLES:
        path = str(folder / f"{table}.parquet")
        if mode == "memory":
            context.register_record_batches(table, context.read_parquet(path).collect_partitioned())
        else:
            context.register_parquet(table, path)
    texts = {query: programs.sql(query, scale) for query in programs.QUERIES}

    def run(query: str) -> tuple[list[pa.RecordBatch], pa.Schema]:
        frame = context.sql(texts[query])
        return frame.collect(), frame.schema()

    return run, lambda result: pa.Table.from_batches(*result)


def airloom(mode: str, scale: str, threads: int, folder: Path) -> Engine:
    """Arrow tables, or the files. Programs are read from their text and optimised in every run, as the SQL of the others is."""
    import airloom
    from airloom import ir

    session = airloom.Session(threads=threads)
    for table in programs.TABLES:
        path = folder / f"{table}.parquet"
        session.register(table, pyarrow.parquet.read_table(path) if mode == "memory" else airloom.scan_parquet(path))
    texts = {query: programs.air(query, scale) for query in programs.QUERIES}
    return lambda query: session.run(ir.parse(texts[query])[query]), lambda table: table.to_pyarrow()


ENGINES = {"airloom": airloom, "duckdb": duckdb, "polars": polars, "datafusion": datafusion}


def environment(threads: int) -> dict[str, str]:
    """The variables that give an engine its threads, where it has no setting of its own."""
    count = str(threads)
    return {**os.environ, "POLARS_MAX_THREADS": count, "TOKIO_WORKER_THREADS": count, "RAYON_NUM_THREADS": count, "AIRLOOM_THREADS": count}


def bind(threads: int) -> None:
    """Binds this process to as many processors as it has threads: a setting that an engine overlooks gains it nothing."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def peak_bytes() -> int | None:
    """The most memory this process has had, where the system says so."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")), None)


#: What is measured: elapsed time, or the time of all processors together, for machines that others use too.
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def serve(engine: str, mode: str, scale: str, threads: int, folder: Path, clock: Callable[[], float]) -> None:
    """Loads the tables, then answers commands until there are none."""
    # What an engine prints must not stand among the answers.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def reply(message: dict[str, Any]) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    bind(threads)
    started = time.perf_counter()
    run, to_arrow = ENGINES[engine](mode, scale, threads, folder)
    reply({"loaded": time.perf_counter() - started, "version": version(engine)})
    for line in sys.stdin:
        command = json.loads(line)
        if command.get("end"):
            reply({"peak_bytes": peak_bytes()})
            return
        try:
            started = clock()
            result = run(command["query"])
            message: dict[str, Any] = {"ms": (clock() - started) * 1e3}
            if command.get("answer"):
                message["answer"] = answers.encode(to_arrow(result))
            del result
        except Exception as error:
            traceback.print_exc()
            message = {"error": f"{type(error).__name__}: {error}"}
        reply(message)


def version(engine: str) -> str:
    """The version of an engine's package."""
    import importlib.metadata

    return importlib.metadata.version(engine)


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), Path(sys.argv[5]), CLOCKS[sys.argv[6]])

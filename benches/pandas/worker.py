"""One system on one suite, in a process of its own: it runs the queries it is told, and says by lines of JSON what they took.

    python worker.py '{"system": "pandas", "suite": "tpch", "mode": "memory", ...}'
"""

import contextlib
import gc
import importlib.metadata
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "tpch"))

import differences  # noqa: E402
import dtypes  # noqa: E402
import engines  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet  # noqa: E402
import suites  # noqa: E402

# A run of pandas that takes longer is long enough to be counted alone.
LONG_MS = 1000.0


class Tables(Mapping[str, Any]):
    """The tables of a folder. Those in memory are read once, when they are first asked for; files are read whenever they are asked for."""

    def __init__(self, pd: Any, force: Callable[[Any], Any], mode: str, suite: str, folder: Path) -> None:
        self.pd = pd
        self.force = force
        self.mode = mode
        self.folder = folder
        self.suite = suite
        self.kept: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name in self.kept:
            return self.kept[name]
        frame = suites.read(self.pd, self.suite, self.folder, name)
        if self.mode == "memory":
            self.force(frame)
            self.kept[name] = frame
        return frame

    def __iter__(self) -> Iterator[str]:
        return iter(suites.tables(self.suite, self.folder))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Frames:
    """pandas, or what stands in for it: the same text of a query for each."""

    def __init__(self, task: dict[str, Any]) -> None:
        self.around: Callable[[], Any] = contextlib.nullcontext
        if task["system"] == "airloom":
            import airloom
            import airloom.pandas as pd

            # The manager of blocks is there once the data is.
            self.force = lambda frame: frame._mgr
            self.to_pandas = lambda frame: frame
            if task["strict"]:
                self.around = airloom.strict
        elif task["system"] == "fireducks":
            import fireducks.pandas as pd

            self.force = lambda frame: frame._evaluate()
            self.to_pandas = lambda frame: frame.to_pandas()
        else:
            import pandas as pd

            self.force = lambda frame: frame
            self.to_pandas = lambda frame: frame
        self.pd = pd
        self.tables = Tables(pd, self.force, task["mode"], task["suite"], Path(task["folder"]))
        self.queries = suites.queries(task["suite"], task["scale"])

    def run(self, query: str) -> dict[str, Any]:
        """The results of a query by name, as real data."""
        with self.around():
            result = self.queries[query](self.pd, self.tables)
            results = result if isinstance(result, dict) else {"": result}
            for frame in results.values():
                self.force(frame)
        return results

    def to_arrow(self, results: dict[str, Any]) -> dict[str, pa.Table]:
        return {name: differences.frame_to_arrow(self.to_pandas(frame)) for name, frame in results.items()}


class Engine:
    """An engine with queries of its own, as the benchmark beside this one runs it."""

    def __init__(self, task: dict[str, Any]) -> None:
        if task["suite"] == "dtypes":
            self._run, self._to_arrow = {"duckdb": _duckdb, "polars": _polars}[task["system"]](task["threads"], Path(task["folder"]))
        else:
            self._run, self._to_arrow = engines.ENGINES[task["system"]](task["mode"], task["scale"], task["threads"], Path(task["folder"]))

    def run(self, query: str) -> dict[str, Any]:
        return {"": self._run(query)}

    def to_arrow(self, results: dict[str, Any]) -> dict[str, pa.Table]:
        return {name: self._to_arrow(result) for name, result in results.items()}


def _duckdb(threads: int, folder: Path) -> engines.Engine:
    """The questions about dtypes, over tables of a database in memory."""
    import duckdb

    database = duckdb.connect(config={"threads": threads})
    for path in folder.glob("*.parquet"):
        database.execute(f"create table {path.stem} as from read_parquet('{path}')")
    return lambda query: database.sql(dtypes.SQL[query]).to_arrow_table(), lambda table: table


def _polars(threads: int, folder: Path) -> engines.Engine:
    """The questions about dtypes, over frames of Polars'."""
    import polars

    if polars.thread_pool_size() != threads:
        raise RuntimeError(f"Polars has {polars.thread_pool_size()} threads, expected {threads}")
    frames = {path.stem: polars.read_parquet(path).rechunk().lazy() for path in folder.glob("*.parquet")}
    made = dtypes.polars_queries(**frames)
    return lambda query: made[query]().collect(), lambda frame: frame.to_arrow()


def timed(run: Callable[[str], Any], query: str) -> tuple[float, Any]:
    """The milliseconds of one run, and its result."""
    gc.collect()
    started = time.perf_counter()
    result = run(query)
    return (time.perf_counter() - started) * 1e3, result


def measure(system: Frames | Engine, query: str, task: dict[str, Any]) -> dict[str, Any]:
    """One run that is not counted, whose answer is written where that is asked, and then those that are."""
    first, results = timed(system.run, query)
    if task["answers"]:
        for name, table in system.to_arrow(results).items():
            pyarrow.parquet.write_table(table, Path(task["answers"]) / f"{query}.{name or 'answer'}.parquet", compression="lz4")
    del results
    once = task["system"] == "pandas" and first > LONG_MS
    runs = [timed(system.run, query)[0] for _ in range(min(task["repeat"], 1) if once else task["repeat"])]
    return {"query": query, "first": first, "runs": runs, "peak_bytes": engines.peak_bytes()}


def version(package: str) -> str:
    """The version of a system's package."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "from its sources"


def serve(task: dict[str, Any]) -> None:
    """Does the task, and says so line by line."""
    # What a system prints must not stand among the answers.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def reply(message: dict[str, Any]) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    engines.bind(task["threads"])
    system = Frames(task) if task["system"] in ("airloom", "pandas", "fireducks") else Engine(task)
    reply({"version": version(task["system"])})
    for query in task["queries"]:
        reply({"begin": query})
        try:
            reply(measure(system, query, task))
        except Exception as error:
            traceback.print_exc()
            reply({"query": query, "error": f"{type(error).__name__}: {error}"})
    reply({"end": True, "peak_bytes": engines.peak_bytes()})


if __name__ == "__main__":
    serve(json.loads(sys.argv[1]))

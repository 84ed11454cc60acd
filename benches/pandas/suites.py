"""The suites: which queries there are, which data they read, and in what an answer may differ from that of pandas."""

import hashlib
import inspect
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import db_benchmark
import dtypes
import hires
import stock
import taxi
import tpch
import tpch_data
import tpch_joined
import weblog

# A query reads the tables it names, and returns a frame, a series, or several by name.
Query = Callable[[Any, Mapping[str, Any]], Any]
NAMES = ["tpch", "tpch-joined", "tpch-arrow", "tpch-nullable", "groupby", "join", "taxi", "hires", "dtypes", "stock", "weblog"]
# Two texts of the same questions, and the first of them over tables that are read with other dtypes.
TPCH = {"tpch": tpch, "tpch-joined": tpch_joined, "tpch-arrow": tpch, "tpch-nullable": tpch}
# Whose dtypes the tables of a suite have, where these are not those that pandas reads files with.
BACKENDS = {"tpch-arrow": "pyarrow", "tpch-nullable": "numpy_nullable"}
# Those that DuckDB and Polars answer too, in their own words.
SPOKEN = [*TPCH, "dtypes"]
# Those of data in memory alone: files do not have their dtypes.
RESIDENT = ["dtypes", "stock"]
# What makes the data of the suites that have one module, and by what the rows of their answers are told apart.
WRITTEN: dict[str, tuple[Callable[..., None], dict[str, list[str]]]] = {
    "taxi": (taxi.write, {}),
    "hires": (hires.write, {}),
    "dtypes": (dtypes.write, dtypes.KEYS),
    "stock": (stock.write, stock.KEYS),
    "weblog": (weblog.write, {}),
}
# How many values the keys of few values have in the questions of groups.
GROUPS = 100


@dataclass(frozen=True)
class Suite:
    """Queries over the files of a folder. Where `keys` names columns for a query, it asks for no order: these tell the rows of its answer apart."""

    name: str
    size: str
    folder: Path
    queries: dict[str, Query]
    keys: dict[str, list[str]]


def suite(name: str, scale: str, rows: int) -> Suite:
    """A suite with its data, which is made where it is missing."""
    if name in TPCH:
        return Suite(name, scale, tpch_data.folder(scale), queries(name, scale), {})
    if name == "groupby":
        return _groupby(scale, rows)
    if name == "join":
        return _join(scale, rows)
    write, keys = WRITTEN[name]
    return Suite(name, str(rows), cached(f"{name}-{rows}", partial(write, rows=rows)), queries(name, scale), keys)


def queries(name: str, scale: str) -> dict[str, Query]:
    """The queries of a suite, whether there is data or not."""
    if name in TPCH:
        found: dict[str, Query] = {query: getattr(TPCH[name], query) for query in tpch.QUERIES}
        return found | {"q11": partial(tpch.q11, fraction=float(tpch_data.programs.fraction(scale)))}
    if name == "groupby":
        return {query: partial(_on_groups, getattr(db_benchmark, query)) for query in db_benchmark.GROUPS}
    if name == "join":
        return {query: partial(_on_joins, getattr(db_benchmark, query)) for query in db_benchmark.JOINS}
    if name == "dtypes":
        return {query: getattr(dtypes, query) for query in dtypes.QUERIES}
    if name == "stock":
        return {query: getattr(stock, query) for query in stock.QUERIES}
    if name == "weblog":
        return {query: partial(_on_log, question) for query, question in weblog.QUESTIONS.items()}
    if name == "hires":
        return {"hires": lambda pd, t: hires.hires(pd, t["hires"], t["weather"])}
    return {"taxi": lambda pd, t: taxi.taxi(pd, t["trips"], t["weather"])}


def cached(name: str, write: partial[None]) -> Path:
    """A folder of the cache, filled where it is missing. Its name ends with a digest of what fills it, so that other data is in another folder."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    name = f"{name}-{hashlib.sha256(inspect.getsource(write.func).encode()).hexdigest()[:8]}"
    folder = cache / "airloom" / "data" / name
    if folder.exists():
        return folder
    # Beside its place first: what is interrupted leaves nothing that looks whole.
    made = folder.with_name(f"{name}.{os.getpid()}")
    made.mkdir(parents=True)
    print(f"making {folder}", file=sys.stderr, flush=True)
    try:
        write(made)
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder


def _groupby(scale: str, rows: int) -> Suite:
    folder = cached(f"db-groups-{rows}-{GROUPS}", partial(db_benchmark.write_groups, rows=rows, groups=GROUPS))
    few, many = ["id1", "id2"], ["id3"]
    keys = {
        "g01": ["id1"], "g02": few, "g03": many, "g04": ["id4"], "g05": ["id6"], "g06": ["id4", "id5"], "g07": many,
        "g08": ["id6", "v3"], "g09": ["id2", "id4"], "g10": ["id6", "id4", "id5", "id1", "id2", "id3"],
    }
    return Suite("groupby", str(rows), folder, queries("groupby", scale), keys)


def _join(scale: str, rows: int) -> Suite:
    folder = cached(f"db-joins-{rows}", partial(db_benchmark.write_joins, rows=rows))
    # No key of the large table is in it twice, and no join makes two rows of one.
    return Suite("join", str(rows), folder, queries("join", scale), {query: ["id3"] for query in db_benchmark.JOINS})


def tables(suite: str, folder: Path) -> list[str]:
    """The tables that the queries of a suite name."""
    named = {"dtypes": dtypes.TABLES, "stock": stock.TABLES}
    return named[suite] if suite in named else sorted(path.stem for path in folder.glob("*.parquet"))


def read(pd: Any, suite: str, folder: Path, table: str) -> Any:
    """A table of a suite, with the dtypes that this suite is about."""
    if suite == "dtypes":
        return dtypes.load(pd, folder, table)
    if suite == "stock":
        return stock.load(pd, folder, table)
    backend = BACKENDS.get(suite)
    return pd.read_parquet(folder / f"{table}.parquet", **({} if backend is None else {"dtype_backend": backend}))


def _on_groups(question: Callable[..., Any], pd: Any, t: Mapping[str, Any]) -> Any:
    return question(pd, t["x"])


def _on_joins(question: Callable[..., Any], pd: Any, t: Mapping[str, Any]) -> Any:
    # Only the table that the question is about is asked for: the others would be read from their files within its time.
    joined = db_benchmark.JOINS[question.__name__]
    return question(pd, t["x"], **{name: t[name] if name == joined else None for name in ("small", "medium", "big")})


def _on_log(question: weblog.Question, pd: Any, t: Mapping[str, Any]) -> Any:
    return weblog.ask(question, pd, t["log"])

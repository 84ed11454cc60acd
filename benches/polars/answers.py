"""Answers of the 22 queries of TPC-H and the 99 of TPC-DS at larger scales: airloom's engine, with nothing left to Polars, beside Polars.

    python benches/polars/answers.py [--scales 0.1,1] [--suites tpch,tpcds] [--data memory,parquet] [--queries q01,q06]

Columns, dtypes, rows and their order are compared, floats as closely as Polars compares them itself. It tells how many queries are translated whole, how long that takes, and which
answers differ, and fails where one does. Tables of TPC-DS are copies of small ones, with as many rows as the specification has: `tests/tpcds/scaled.py`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
from polars.testing import assert_frame_equal

from airloom.polars import Engine, translate

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benches" / "tpch"), str(ROOT / "tests")]

Queries = dict[str, Callable[[], pl.LazyFrame]]


def tpch(scale: str, place: str, _folder: Path) -> Queries:
    """The queries of TPC-H over tables in memory or in files."""
    import polars_queries
    import programs

    files = programs.data(scale)
    tables = {name: pl.scan_parquet(files / f"{name}.parquet") for name in programs.TABLES}
    if place == "memory":
        tables = {name: lazy.collect().lazy() for name, lazy in tables.items()}
    queries = polars_queries.Queries(tables, programs.fraction(scale))
    return {name: getattr(queries, name) for name in programs.QUERIES}


def tpcds(scale: str, place: str, folder: Path) -> Queries:
    """The queries of TPC-DS over tables in memory or in files."""
    from tpcds.queries import QUERIES
    from tpcds.scaled import scaled
    from tpcds.shapes import Tables

    frames = scaled(float(scale))
    if place == "memory":
        tables = Tables({name: frame.lazy() for name, frame in frames.items()})
    else:
        for name, frame in frames.items():
            frame.write_parquet(folder / f"{name}.parquet")
        tables = Tables({name: pl.scan_parquet(folder / f"{name}.parquet") for name in frames})
    return {name: lambda query=query: query(tables) for name, query in sorted(QUERIES.items())}


SUITES = {"tpch": tpch, "tpcds": tpcds}


def compared(query: pl.LazyFrame, engine: Engine) -> tuple[str, int]:
    """What is wrong with the answer to a query, if anything, and how many rows it has."""
    try:
        found = query.collect(engine=engine)
        expected = query.collect()
        assert_frame_equal(found, expected, check_exact=False, rel_tol=1e-9)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}", 0
    return "", expected.height


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scales", default="0.1,1", help="of both suites (default: %(default)s)")
    parser.add_argument("--suites", default="tpch,tpcds", help="which queries (default: %(default)s)")
    parser.add_argument("--data", default="memory,parquet", help="where tables are (default: %(default)s)")
    parser.add_argument("--queries", default=None, help="such as q01,q06 (default: all)")
    asked = parser.parse_args()
    engine = Engine(raise_on_fail=True)
    wrong = 0
    for suite in asked.suites.split(","):
        for scale in asked.scales.split(","):
            for place in asked.data.split(","):
                with tempfile.TemporaryDirectory() as folder:
                    queries = SUITES[suite](scale, place, Path(folder))
                    chosen = asked.queries.split(",") if asked.queries else list(queries)
                    translated, equal, rows = 0, 0, 0
                    times = []
                    for name in chosen:
                        query = queries[name]()
                        begun = time.process_time()
                        translation = translate(query)
                        times.append(time.process_time() - begun)
                        translated += translation.function is not None
                        told, height = compared(query, engine)
                        equal += not told
                        rows += height
                        if told:
                            print(f"{suite} {name} at scale {scale}, {place}: {told}", flush=True)
                    wrong += len(chosen) - equal
                    middle = 1e3 * sorted(times)[len(times) // 2]
                    print(f"{suite} at scale {scale}, {place}: {translated} of {len(chosen)} translated whole (median {middle:.2f} ms with Polars' optimiser), {equal} answers equal, {rows} rows", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""Four TPC-H queries as pandas users write them, run by airloom and by pandas, from Parquet files and from memory; and one of them explained.

    python examples/demo.py [--scale 0.1] [--repeat 3]
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
from pandas.testing import assert_frame_equal

import airloom
import airloom.pandas
from airloom import ir

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benches" / "pandas"))

import tpch  # noqa: E402
import tpch_data  # noqa: E402

QUERIES = ("q01", "q03", "q06", "q18")


class Tables(dict[str, Any]):
    """The tables of a folder, each read when a query first asks for it."""

    def __init__(self, module: Any, folder: Path) -> None:
        super().__init__()
        self.module, self.folder = module, folder

    def __missing__(self, name: str) -> Any:
        self[name] = self.module.read_parquet(self.folder / f"{name}.parquet")
        return self[name]


def best(repeat: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """The shortest of some runs after a first one, in milliseconds, and the result as pandas has it."""
    result = pandas.DataFrame(work())
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        result = pandas.DataFrame(work())
        times.append((time.perf_counter() - started) * 1e3)
    return min(times), result


def main() -> None:
    """Runs it all."""
    parser = argparse.ArgumentParser(description="TPC-H queries written in pandas, run by airloom and by pandas.")
    parser.add_argument("--scale", default="0.1", help="of the data (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="how many runs are counted (default: %(default)s)")
    arguments = parser.parse_args()
    folder = tpch_data.folder(arguments.scale)

    ours, theirs = Tables(airloom.pandas, folder), Tables(pandas, folder)
    rows = sum(len(theirs[name]) for name in tpch_data.TABLES)
    print(f"TPC-H at scale {arguments.scale}: {rows:,} rows in eight tables")
    for name in tpch_data.TABLES:
        # In memory already, as pandas' are: a frame that was read is otherwise read again by each query, as far as that needs it.
        ours[name] = airloom.pandas.DataFrame(theirs[name])

    rows_of_times = []
    airloom.report(clear=True)
    with airloom.strict():
        for name in QUERIES:
            query = getattr(tpch, name)
            from_files, found = best(arguments.repeat, lambda: query(airloom.pandas, Tables(airloom.pandas, folder)))
            from_memory, also = best(arguments.repeat, lambda: query(airloom.pandas, ours))
            pandas_files, expected = best(arguments.repeat, lambda: query(pandas, Tables(pandas, folder)))
            pandas_memory, _ = best(arguments.repeat, lambda: query(pandas, theirs))
            # Sums add up in another order; everything else is equal to the bit.
            assert_frame_equal(found, expected, rtol=1e-12)
            assert_frame_equal(also, expected, rtol=1e-12)
            print(f"\n== {name}: {query.__doc__}\n\n{found}")
            rows_of_times.append((name, from_files, pandas_files, from_memory, pandas_memory))

    print(f"\n== what ran where: {str(airloom.report()).splitlines()[0]}")
    print("\n== q03 as a program of the engine, with decimals: what each node of its physical plan made, and what that took\n")
    stored = airloom.Session({name: airloom.scan_parquet(tpch_data.programs.data(arguments.scale) / f"{name}.parquet") for name in tpch_data.TABLES})
    print(stored.explain(ir.parse(tpch_data.programs.air("q03", arguments.scale))["q03"], analyze=True))

    print(f"\n== times in milliseconds, best of {arguments.repeat}, beside pandas {pandas.__version__}\n")
    print(f"{'':5} {'Parquet':>10} {'pandas':>10} {'faster':>8}   {'memory':>10} {'pandas':>10} {'faster':>8}")
    for name, a, b, c, d in rows_of_times:
        print(f"{name:5} {a:10.1f} {b:10.1f} {b / a:7.1f}x   {c:10.1f} {d:10.1f} {d / c:7.1f}x")
    print("\nall answers agree")


if __name__ == "__main__":
    main()

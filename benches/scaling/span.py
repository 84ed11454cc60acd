"""Measures what threads would wait for if each had a core: the work of a plan, its span, and what most of the span is.

    python benches/scaling/span.py --rows 1e7 --threads 1,64          # the shapes
    python benches/scaling/span.py --tpch 10 --threads 1,64           # the queries of TPC-H, from Parquet files
    python benches/scaling/span.py --check --threads 1,2              # beside the elapsed time, on threads that have a core each

Work is the processor time of all tasks, span that of the longest chain of tasks that wait for one another; both are counted by the engine (`explain(analyze=True)`), so that a machine of few cores can tell of many.
A plan passes where its span on the last number of threads is at most 5 ms or 1/128 of its work, whichever is more, and its work there at most 1.2 times its work on the first.
With `--check`, elapsed times are held against both: a plan takes at least its span and its share of the work on each thread, whichever is more, and at most their sum (Graham's bound). Within 15 % of that it passes; the machine must be quiet.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent

#: What a span may be: this many milliseconds, or this share of the work.
SHORT, SHARE = 5.0, 128
#: How much more work many threads may do than one.
MORE = 1.2
#: How far an elapsed time may be from what work and span say.
NEAR = 0.15


class Measured(NamedTuple):
    """What a plan took, in milliseconds, and the nodes that have most of its span."""

    work: float
    span: float
    longest: str
    elapsed: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e7, help="how many rows the shapes have (default: %(default)g)")
    parser.add_argument("--tpch", default=None, metavar="SCALE", help="the queries of TPC-H at this scale, in place of the shapes")
    parser.add_argument("--threads", default="1,64", help="on how many threads (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=2, help="the shortest span of this many runs, after one that is not counted (default: %(default)s)")
    parser.add_argument("--only", default="", help="plans whose names contain this")
    parser.add_argument("--check", action="store_true", help="hold elapsed times against work and span")
    given = parser.parse_args()
    threads = [int(count) for count in given.threads.split(",")]
    sys.path.insert(0, str(HERE.parents[1] / "python"))
    plans = list(of_tpch(given.tpch, threads) if given.tpch else of_shapes(int(given.rows), threads))
    chosen = [(name, explain) for name, explain in plans if given.only in name]
    if not chosen:
        parser.error(f"no plan's name contains {given.only!r}: there are {', '.join(name for name, _ in plans)}")
    if given.check:
        return check(chosen, threads, given.repeat)
    print("| plan | " + " | ".join(f"work on {count} | span on {count}" for count in threads) + " | most of the span | |")
    print("|---" * (2 * len(threads) + 3) + "|")
    passed = 0
    for name, explain in chosen:
        found = [best(lambda count=count: explain(count), given.repeat) for count in threads]
        first, last = found[0], found[-1]
        short = last.span <= max(SHORT, first.work / SHARE)
        even = last.work <= max(first.work * MORE, first.work + SHORT)
        passed += short and even
        verdict = " and ".join(["span"] * (not short) + ["work"] * (not even)) or "passes"
        print(f"| {name} | " + " | ".join(f"{each.work:.1f} | {each.span:.1f}" for each in found) + f" | {last.longest} | {verdict} |", flush=True)
    print(f"\n{passed} of {len(chosen)} pass")


def check(chosen: list[tuple[str, Callable[[int], str]]], threads: list[int], repeat: int) -> None:
    """Tells how near elapsed times are to what work and span say."""
    print("| plan | threads | least | elapsed | most | |")
    print("|---" * 6 + "|")
    passed = 0
    for name, explain in chosen:
        for count in threads:
            found = best(lambda count=count: explain(count), repeat)
            least, most = max(found.work / count, found.span), found.work / count + found.span
            near = least * (1 - NEAR) <= found.elapsed <= most * (1 + NEAR)
            passed += near
            print(f"| {name} | {count} | {least:.1f} | {found.elapsed:.1f} | {most:.1f} | {'passes' if near else 'is off'} |", flush=True)
    print(f"\n{passed} of {len(chosen) * len(threads)} pass")


def best(explain: Callable[[], str], repeat: int) -> Measured:
    """The run of the shortest span."""
    explain()

    def once() -> Measured:
        begun = time.perf_counter()
        plan = json.loads(explain())
        return measured(plan, (time.perf_counter() - begun) * 1e3)

    return min((once() for _ in range(repeat)), key=lambda each: each.span)


def measured(plan: dict[str, Any], elapsed: float) -> Measured:
    """What a plan that was run says of itself."""
    nodes = [node for part in plan["parts"] for node in below(part)]
    longest = sorted(nodes, key=lambda node: node.get("span_ns", 0), reverse=True)[:2]
    shown = ", ".join(f"{node['op']} {node.get('span_ns', 0) / 1e6:.1f}" for node in longest)
    return Measured(sum(node.get("time_ns", 0) for node in nodes) / 1e6, plan["span_ns"] / 1e6, shown, elapsed)


def below(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for read in node["inputs"]:
        yield from below(read)


def of_shapes(rows: int, threads: list[int]) -> Iterator[tuple[str, Callable[[int], str]]]:
    """The shapes, over frames in memory."""
    from shapes import SHAPES, tables

    import airloom
    import airloom.pandas as pandas

    def frame(table: Any) -> Any:
        made = pandas.DataFrame({name: table[name].to_pandas() for name in table.column_names})
        return made.astype({"maybe": "Int64"}) if "maybe" in table.column_names else made

    t, d = (frame(table) for table in tables(rows))

    def explained(rows_of: Callable[[Any, Any], Any], count: int) -> str:
        airloom.options.threads = count
        return airloom.explain(rows_of(t, d), analyze=True, format="json")

    for shape in SHAPES:
        yield shape.name, lambda count, shape=shape: explained(shape.rows or shape.pandas, count)


def of_tpch(scale: str, threads: list[int]) -> Iterator[tuple[str, Callable[[int], str]]]:
    """The queries of TPC-H, over Parquet files."""
    sys.path.insert(0, str(HERE.parent / "tpch"))
    import programs

    import airloom
    from airloom import ir

    folder = programs.data(scale)
    sessions = {count: airloom.Session(threads=count) for count in threads}
    for session in sessions.values():
        for table in programs.TABLES:
            session.register(table, airloom.scan_parquet(folder / f"{table}.parquet"))
    for query in programs.QUERIES:
        function = ir.parse(programs.air(query, scale))[query]
        yield query, lambda count, function=function: sessions[count].explain(function, analyze=True, format="json")


if __name__ == "__main__":
    main()

"""Runs the 22 TPC-H queries on airloom and beside it on DuckDB, Polars and DataFusion: in one run, on equal threads, their answers compared.

    python benches/tpch/run.py --scale 1 --threads 2 --modes memory,parquet --repeat 3 [--clock cpu]
"""

import argparse
import json
import math
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import answers
import engines
import programs

HERE = Path(__file__).resolve().parent
REFERENCE = "duckdb"
MODES = ["memory", "parquet"]


class Worker:
    """An engine in a process of its own, with the tables loaded."""

    def __init__(self, engine: str, mode: str, scale: str, threads: int, folder: Path, clock: str) -> None:
        self.engine = engine
        command = [sys.executable, str(HERE / "engines.py"), engine, mode, scale, str(threads), str(folder), clock]
        self.process = subprocess.Popen(
            command, env=engines.environment(threads), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        hello = self._read()
        self.loaded = float(hello["loaded"])
        self.version = str(hello["version"])

    def run(self, query: str, *, answer: bool) -> dict[str, Any]:
        """Runs a query once: its milliseconds, or an error; and its answer, where that is asked."""
        return self._ask({"query": query, "answer": answer})

    def end(self) -> int | None:
        """Ends the process, and says how much memory it had at most."""
        peak = self._ask({"end": True}).get("peak_bytes")
        self.process.wait(60)
        return peak

    def _ask(self, command: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return self._read()

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.engine} ended with code {self.process.wait()}, before it had answered")
        return dict(json.loads(line))


def measure(mode: str, arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """The times of all queries on all engines in one mode, with what went wrong."""
    # One after the other: loading takes all processors.
    workers = [Worker(engine, mode, arguments.scale, arguments.threads, folder, arguments.clock) for engine in arguments.engines]
    report: dict[str, Any] = {"times": {}, "first": {}, "runs": {}, "wrong": []}
    for query in arguments.queries:
        # The first run is not counted: it finds files and statistics for the first time. Its answer is the one compared.
        first = {worker.engine: worker.run(query, answer=True) for worker in workers}
        report["wrong"] += wrong(query, first)
        able = [worker for worker in workers if "error" not in first[worker.engine]]
        runs: dict[str, list[float]] = {worker.engine: [] for worker in able}
        # Turn by turn, so that what else the machine does hits all alike.
        for _ in range(arguments.repeat):
            for worker in able:
                runs[worker.engine].append(worker.run(query, answer=False).get("ms", math.inf))
        report["first"][query] = {engine: found.get("ms") for engine, found in first.items()}
        report["runs"][query] = runs
        report["times"][query] = {engine: min(times) for engine, times in runs.items()}
        told = "  ".join(f"{engine} {ms:.1f}" for engine, ms in report["times"][query].items())
        print(f"{mode} {query}: {told}", file=sys.stderr, flush=True)
    report["loaded"] = {worker.engine: worker.loaded for worker in workers}
    report["versions"] = {worker.engine: worker.version for worker in workers}
    report["peak_bytes"] = {worker.engine: worker.end() for worker in workers}
    report["means"] = {engine: mean([t[engine] for t in report["times"].values() if engine in t]) for engine in arguments.engines}
    report["speedups"] = {peer: speedup(report["times"], peer) for peer in arguments.engines if peer != "airloom"}
    return report


def wrong(query: str, first: dict[str, dict[str, Any]]) -> list[str]:
    """What failed, and what differs from the answer of the reference."""
    found = []
    expected = first.get(REFERENCE, {}).get("answer")
    for engine, result in first.items():
        if "error" in result:
            found.append(f"{query} on {engine} failed: {result['error'].splitlines()[0]}")
        elif expected is not None and (told := answers.difference(expected, result["answer"])):
            found.append(f"{query} on {engine} differs: {told}")
    return found


def mean(numbers: list[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, numbers)) / len(numbers)) if numbers else math.nan


def speedup(times: dict[str, dict[str, float]], peer: str) -> float:
    """How many times as fast as a peer airloom is, in geometric mean over the queries that both can do."""
    return mean([t[peer] / t["airloom"] for t in times.values() if peer in t and "airloom" in t])


def show(mode: str, report: dict[str, Any], arguments: argparse.Namespace) -> str:
    """The table of one mode."""
    peers = [engine for engine in arguments.engines if engine != "airloom"]
    head = ["query", *(f"{engine} ms" for engine in arguments.engines), *(f"x {peer}" for peer in peers)]
    rows = [head]
    for query, times in report["times"].items():
        own = times.get("airloom")
        cells = [f"{times[e]:.1f}" if e in times else "failed" for e in arguments.engines]
        rows.append([query, *cells, *(f"{times[p] / own:.2f}" if own and p in times else "-" for p in peers)])
    rows.append(["mean", *(f"{report['means'][e]:.1f}" for e in arguments.engines), *(f"{report['speedups'][p]:.2f}" for p in peers)])
    seconds = {e: report["loaded"][e] for e in arguments.engines}
    rows.append(["load s", *(f"{seconds[e]:.1f}" for e in arguments.engines), *("" for _ in peers)])
    firsts = {e: sum(t[e] or 0 for t in report["first"].values()) / 1e3 for e in arguments.engines}
    rows.append(["first s", *(f"{firsts[e]:.1f}" for e in arguments.engines), *("" for _ in peers)])
    peaks = report["peak_bytes"]
    rows.append(["peak GB", *(f"{peaks[e] / 1e9:.1f}" if peaks[e] else "-" for e in arguments.engines), *("" for _ in peers)])
    widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
    lines = ["  ".join(cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in enumerate(zip(row, widths))) for row in rows]
    rule = "-" * len(lines[0])
    body = [lines[0], rule, *lines[1:-4], rule, *lines[-4:]]
    return f"from {'memory' if mode == 'memory' else 'Parquet files'}\n\n" + "\n".join(body)


def machine(arguments: argparse.Namespace, versions: dict[str, str]) -> str:
    """What the numbers depend on."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    return "\n".join([
        f"TPC-H at scale {arguments.scale}, {arguments.threads} threads each; best of {arguments.repeat} runs after one that is not counted, {'elapsed' if arguments.clock == 'wall' else 'processor'} time",
        f"processor: {model}, {os.cpu_count()} of them; {platform.system()} {platform.release()}; load at the start: {load}",
        "versions: " + ", ".join(f"{engine} {version}" for engine, version in versions.items()) + f", Python {platform.python_version()}",
    ])


def read_arguments() -> argparse.Namespace:
    """The command line, checked."""
    parser = argparse.ArgumentParser(description="The TPC-H queries on airloom and on its peers, in one run, on equal threads.")
    parser.add_argument("--scale", default="1", help="of the data: 1 is about a gigabyte of text (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())
    parser.add_argument("--modes", default=",".join(MODES), help="where the data is (default: %(default)s)")
    parser.add_argument("--queries", default=",".join(programs.QUERIES), help="such as q01,q06 (default: all)")
    parser.add_argument("--peers", default="duckdb,polars,datafusion", help="whom to run beside (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="how many runs are counted (default: %(default)s)")
    parser.add_argument("--clock", choices=engines.CLOCKS, default="wall", help="elapsed time, or that of all processors together (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="a file to write all numbers to")
    parser.add_argument("--at-least", action="append", default=[], metavar="PEER=TIMES", help="fail where the geometric mean of speedups over a peer is below this")
    arguments = parser.parse_args()
    arguments.modes = arguments.modes.split(",")
    arguments.queries = arguments.queries.split(",")
    arguments.engines = ["airloom", *filter(None, arguments.peers.split(","))]
    for found, known in ((arguments.modes, MODES), (arguments.queries, programs.QUERIES), (arguments.engines, list(engines.ENGINES))):
        for name in found:
            if name not in known:
                parser.error(f"there is no `{name}`; there are: {', '.join(known)}")
    if arguments.threads < 1 or arguments.repeat < 1:
        parser.error("threads and runs are counted from one")
    arguments.bounds = {}
    for bound in arguments.at_least:
        peer, _, times = bound.partition("=")
        try:
            arguments.bounds[peer] = float(times)
        except ValueError:
            parser.error(f"`{bound}` is no bound; hint: `datafusion=1.3`")
        if peer not in arguments.engines[1:]:
            parser.error(f"`{peer}` is not among the peers")
    return arguments


def main() -> int:
    """Measures, prints, and says by its code whether all is well."""
    arguments = read_arguments()
    load = os.getloadavg()
    folder = programs.data(arguments.scale)
    reports = {}
    facts = ""
    for mode in arguments.modes:
        reports[mode] = measure(mode, arguments, folder)
        if not facts:
            facts = machine(arguments, reports[mode]["versions"])
            print(facts)
            print("`x PEER`: how many times as fast as the peer airloom is; means are geometric")
        print(f"\n{show(mode, reports[mode], arguments)}", flush=True)
    failures = [f"{mode}: {told}" for mode, report in reports.items() for told in report["wrong"]]
    for mode, report in reports.items():
        for peer, bound in arguments.bounds.items():
            if not report["speedups"][peer] >= bound:
                failures.append(f"{mode}: {report['speedups'][peer]:.2f} times as fast as {peer}, expected {bound} at least")
    if arguments.json:
        arguments.json.write_text(json.dumps({"facts": facts, "load": load, "threads": arguments.threads, "modes": reports}, indent=1))
    print()
    for failure in failures:
        print(failure)
    if not failures:
        print(f"all answers agree with those of {REFERENCE}" if REFERENCE in arguments.engines else "answers were not compared")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs programs of pandas users on airloom, and the same text on pandas and FireDucks beside it: in one run, on equal threads, their answers compared.

    python benches/pandas/run.py --suite tpch,tpch-joined,groupby,join,taxi,hires,dtypes,stock,weblog --modes memory,parquet --threads 2
"""

import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tpch"))

import differences  # noqa: E402
import engines  # noqa: E402
import pyarrow  # noqa: E402
import report  # noqa: E402
import suites  # noqa: E402

REFERENCE = "pandas"
SYSTEMS = ["airloom", "pandas", "fireducks", "duckdb", "polars"]
# Those that have some of the questions in their own words, and no others.
ENGINES = ["duckdb", "polars"]
MODES = ["memory", "parquet"]
# Where a peer is known to differ from pandas, and why: it is told, and is no failure of the run.
KNOWN = {
    ("fireducks", "hires"): "its median in a large group is an estimate",
    ("fireducks", "taxi"): "its median in a large group is an estimate, and it does not round 0.19999999999999998 to 0.2",
}
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "airloom"


def worker(task: dict[str, Any], limit: float) -> Iterator[dict[str, Any]]:
    """What a process says that does a task; it is ended where it says nothing for `limit` seconds, and what it was at has then failed."""
    python = str(CACHE / "fireducks-venv" / "bin" / "python") if task["system"] == "fireducks" else sys.executable
    count = str(task["threads"])
    # FireDucks and pyarrow take their threads from OpenMP's variable.
    environment = engines.environment(task["threads"]) | {"OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count}
    process = subprocess.Popen(
        [python, "-W", "ignore", str(HERE / "worker.py"), json.dumps(task)], env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    assert process.stdout is not None
    query = None
    while True:
        watch = threading.Timer(limit, process.kill)
        watch.start()
        line = process.stdout.readline()
        watch.cancel()
        if not line:
            yield {"query": query, "error": f"the process ended with code {process.wait()}", "dead": True}
            return
        message = json.loads(line)
        query = message.get("begin", query)
        yield message
        if message.get("end"):
            process.wait(60)
            return


def measure(system: str, suite: suites.Suite, mode: str, queries: list[str], repeat: int, answers: Path | None, arguments: argparse.Namespace) -> report.Found:
    """What one system takes for a suite in one mode; a process that dies is followed by another, for the queries that are left."""
    found: report.Found = {"ms": {}, "runs": {}, "first": {}, "peaks": {}, "errors": {}, "peak_bytes": None, "version": "?"}
    left = list(queries)
    while left:
        task = {
            "system": system, "suite": suite.name, "mode": mode, "scale": arguments.scale, "folder": str(suite.folder), "threads": arguments.threads,
            "queries": left, "repeat": repeat, "answers": str(answers) if answers else None, "strict": arguments.strict,
        }
        for message in worker(task, arguments.limit):
            found["version"] = message.get("version", found["version"])
            if message.get("end"):
                found["peak_bytes"] = max(message["peak_bytes"] or 0, found["peak_bytes"] or 0)
                return found
            if message.get("dead") and message["query"] is None:
                found["errors"] |= {query: message["error"] for query in left}
                return found
            if "query" not in message:
                continue
            query = message["query"]
            left = left[left.index(query) + 1:]
            if "error" in message:
                found["errors"][query] = message["error"]
                print(f"{suite.name} {mode} {query} {system}: failed", file=sys.stderr, flush=True)
                continue
            found["first"][query], found["runs"][query] = message["first"], message["runs"]
            found["ms"][query] = min(message["runs"], default=message["first"])
            found["peaks"][query] = message["peak_bytes"]
            print(f"{suite.name} {mode} {query} {system}: {found['ms'][query]:.1f} ms", file=sys.stderr, flush=True)
    return found


def reference(suite: suites.Suite, arguments: argparse.Namespace) -> Path:
    """The folder with the answers of pandas: made once for each text of the queries, since they take longer than all that is compared with them."""
    own = {
        "tpch": ["tpch", "tpch_data"],
        "tpch-joined": ["tpch", "tpch_joined", "tpch_data"],
        "tpch-arrow": ["tpch", "tpch_data"],
        "tpch-nullable": ["tpch", "tpch_data"],
        "groupby": ["db_benchmark"],
        "join": ["db_benchmark"],
        "taxi": ["taxi"],
        "hires": ["hires"],
        "dtypes": ["dtypes"],
        "stock": ["stock"],
        "weblog": ["weblog"],
    }[suite.name]
    texts = [(HERE / f"{name}.py").read_bytes() for name in [*own, "suites", "differences"]]
    digest = hashlib.sha256(b"".join(texts)).hexdigest()[:12]
    folder = CACHE / "answers" / f"{suite.name}-{suite.size}-{digest}"
    missing = [query for query in arguments.queries[suite.name] if not list(folder.glob(f"{query}.*.parquet"))]
    if missing:
        for old in CACHE.glob(f"answers/{suite.name}-{suite.size}-*"):
            if old != folder:
                shutil.rmtree(old)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"asking pandas for the answers of {suite.name}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            found = measure(REFERENCE, suite, "memory", missing, 0, Path(made), arguments)
            if found["errors"]:
                raise SystemExit(f"pandas has no answer: {found['errors']}")
            for path in Path(made).iterdir():
                path.rename(folder / path.name)
    return folder


def wrong(system: str, suite: suites.Suite, queries: list[str], expected: Path, answers: Path) -> tuple[list[str], list[str]]:
    """Where the answers of a system differ from those of pandas: where it is not known why, and where it is. airloom promises the order of rows too."""
    told, known = [], []
    for query in queries:
        # Ties of the one sort key of g08 have no order: pandas' default sort is not stable.
        keys = [] if system == "airloom" and query != "g08" else suite.keys.get(query, [])
        for path in sorted(expected.glob(f"{query}.*.parquet")):
            part = path.name.split(".")[1]
            if not (answers / path.name).exists():
                found: str | None = "missing"
            else:
                found = differences.difference(path, answers / path.name, keys)
            if not found:
                continue
            place = f"{query}{'' if part == 'answer' else f' `{part}`'} on {system} differs: {found}"
            if reason := KNOWN.get((system, query)):
                known.append(f"{place}; as is known: {reason}")
            else:
                told.append(place)
    return told, known


def run(suite: suites.Suite, mode: str, arguments: argparse.Namespace) -> tuple[dict[str, report.Found], list[str], list[str]]:
    """All systems on a suite in one mode, what went wrong, and what is known to differ."""
    # No answer is compared where only memory is looked at.
    expected = Path() if arguments.memory else reference(suite, arguments)
    queries = arguments.queries[suite.name]
    systems = [system for system in arguments.systems if system not in ENGINES or suite.name in suites.SPOKEN]
    results: dict[str, report.Found] = {}
    failures, notes = [], []
    for system in systems:
        if arguments.memory:
            results[system] = alone(system, suite, mode, queries, arguments)
        else:
            with tempfile.TemporaryDirectory(dir=expected.parent) as answers:
                results[system] = measure(system, suite, mode, queries, arguments.repeat, Path(answers), arguments)
                told, known = wrong(system, suite, list(results[system]["ms"]), expected, Path(answers))
            # Or what the answers took would be missing to the system that is next.
            pyarrow.default_memory_pool().release_unused()
            failures += told
            notes += known
        failures += [f"{query} on {system} failed: {(error.splitlines() or [''])[0]}" for query, error in results[system]["errors"].items()]
    place = f"{suite.name}, {mode}"
    return results, [f"{place}: {told}" for told in failures], [f"{place}: {told}" for told in notes]


def alone(system: str, suite: suites.Suite, mode: str, queries: list[str], arguments: argparse.Namespace) -> report.Found:
    """Each query once, in a process that runs nothing else."""
    found = [measure(system, suite, mode, [query], 0, None, arguments) for query in queries]
    joined: report.Found = {key: {name: value for one in found for name, value in one[key].items()} for key in ("ms", "runs", "first", "peaks", "errors")}
    return joined | {"peak_bytes": max((one["peak_bytes"] or 0 for one in found), default=None), "version": found[0]["version"]}


def machine(arguments: argparse.Namespace) -> str:
    """What the numbers depend on."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    return (
        f"{arguments.threads} threads each; best of {arguments.repeat} runs after one that is not counted\n"
        f"processor: {model}, {os.cpu_count()} of them; {platform.system()} {platform.release()}; load at the start: {load}\n"
        "`x SYSTEM`: how many times as long as the first it takes; means are geometric"
    )


def read_arguments() -> argparse.Namespace:
    """The command line, checked."""
    parser = argparse.ArgumentParser(description="Programs of pandas users on airloom, pandas, FireDucks, DuckDB and Polars, on equal threads.")
    parser.add_argument("--suite", default=",".join(suites.NAMES), help="(default: %(default)s)")
    parser.add_argument("--modes", default=",".join(MODES), help="where the data is (default: %(default)s)")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="the first is the one that others are compared with (default: %(default)s)")
    parser.add_argument("--queries", help="such as q01,g03 (default: all)")
    parser.add_argument("--scale", default="1", help="of TPC-H's data (default: %(default)s)")
    parser.add_argument("--rows", type=float, default=1e7, help="of the other suites (default: %(default)g)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())
    parser.add_argument("--repeat", type=int, default=3, help="how many runs are counted (default: %(default)s)")
    parser.add_argument("--limit", type=float, default=600, help="seconds after which a query has failed (default: %(default)g)")
    parser.add_argument("--memory", action="store_true", help="measure the memory of each query in a process of its own, and no times")
    parser.add_argument("--strict", action="store_true", help="what airloom hands to pandas is an error")
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    parser.add_argument("--json", type=Path, help="a file to write all numbers to")
    arguments = parser.parse_args()
    for name, known in (("suite", suites.NAMES), ("modes", MODES), ("systems", SYSTEMS)):
        setattr(arguments, name, getattr(arguments, name).split(","))
        for found in getattr(arguments, name):
            if found not in known:
                parser.error(f"there is no `{found}`; there are: {', '.join(known)}")
    if arguments.threads < 1 or arguments.repeat < 1:
        parser.error("threads and runs are counted from one")
    wanted = arguments.queries.split(",") if arguments.queries else None
    whole = {name: list(suites.queries(name, arguments.scale)) for name in arguments.suite}
    for query in wanted or []:
        if not any(query in names for names in whole.values()):
            parser.error(f"there is no `{query}`; there are: {', '.join(query for names in whole.values() for query in names)}")
    arguments.queries = {name: [query for query in names if wanted is None or query in wanted] for name, names in whole.items()}
    arguments.rows = int(arguments.rows)
    if "fireducks" in arguments.systems and not (CACHE / "fireducks-venv" / "bin" / "python").exists():
        parser.error("there is no environment for FireDucks; hint: `make bench-pandas`, or leave it out of `--systems`")
    return arguments


def main() -> int:
    """Measures, prints, and says by its code whether all is well."""
    arguments = read_arguments()
    facts = machine(arguments)
    print(facts)
    numbers: dict[str, Any] = {"facts": facts, "threads": arguments.threads, "scale": arguments.scale, "rows": arguments.rows, "suites": {}}
    failures: list[str] = []
    notes: list[str] = []
    for name in arguments.suite:
        if not arguments.queries[name]:
            continue
        suite = suites.suite(name, arguments.scale, arguments.rows)
        for mode in arguments.modes:
            if mode != "memory" and name in suites.RESIDENT:
                continue
            results, told, known = run(suite, mode, arguments)
            failures += told
            notes += known
            numbers["suites"].setdefault(name, {})[mode] = results
            size = f"scale {suite.size}" if name in suites.TPCH else f"{int(suite.size):,} rows"
            title = f"{name}, {size}, from {'memory' if mode == 'memory' else 'Parquet files'}"
            print("\n" + (report.memory if arguments.memory else report.times)(title, arguments.queries[name], results, markdown=arguments.markdown), flush=True)
            if arguments.json:
                arguments.json.write_text(json.dumps(numbers | {"failures": failures, "known": notes}, indent=1))
    versions = {system: found["version"] for modes in numbers["suites"].values() for results in modes.values() for system, found in results.items()}
    print("\nversions: " + ", ".join(f"{system} {version}" for system, version in versions.items()) + f", Python {platform.python_version()}")
    for line in notes + failures:
        print(line)
    if not failures and not arguments.memory:
        print(f"all {'other ' if notes else ''}answers agree with those of {REFERENCE}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""Measures work on data several times as large as the memory it may take, beside DuckDB under the same limit: elapsed time, processor time, and how much the peak of memory is above what the process took before.

    python benches/scaling/out_of_core.py --budget 256MB --times 4,10 --only sort

Each question reads Parquet files and writes one. Each system answers each question in a process of its own; the rows of both answers are then compared by sums over all columns, and those of sorts by their order.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

SYSTEMS = ("airloom", "duckdb")
#: What a row of the table takes in memory: four numbers, and a text of some twenty bytes with its view.
ROW = 4 * 8 + 16 + 20


class Question(NamedTuple):
    """A question in the words of pandas and of SQL. Tables are `t`, with the columns key, each, v, w and text, and `u`, with half as many rows, and the columns each and z, in the order of each."""

    name: str
    pandas: Callable[[Any, Any, Any], Any]
    sql: str
    #: The columns that the rows of an answer are in the order of.
    order: str = ""


QUESTIONS = (
    Question("filter, assign, write", lambda pd, t, u: t[t["w"] > 100].assign(x=t["v"] * 2.0), "select *, v * 2 as x from t where w > 100"),
    Question("sort by floats", lambda pd, t, u: t.sort_values("v"), "select * from t order by v", "v"),
    Question("sort by text", lambda pd, t, u: t.sort_values(["text", "each"]), "select * from t order by text, each", "text, each"),
    Question(
        "group by many keys", lambda pd, t, u: t.groupby("key", as_index=False, sort=False).agg(w=("w", "sum"), v=("v", "max")),
        "select key, sum(w)::bigint as w, max(v) as v from t group by key",
    ),
    Question(
        "group by text", lambda pd, t, u: t.groupby("text", as_index=False, sort=False).agg(w=("w", "sum")),
        "select text, sum(w)::bigint as w from t group by text",
    ),
    Question("distinct rows", lambda pd, t, u: t[["key", "w"]].drop_duplicates(), "select distinct key, w from t"),
    Question("join", lambda pd, t, u: t.merge(u, on="each"), "select t.*, z from t join u using (each)"),
    Question(
        "window", lambda pd, t, u: t[["key", "each"]].assign(s=t.groupby("key")["w"].transform("sum"), r=t.groupby("key")["each"].rank(method="first")),
        "select key, each, sum(w) over (partition by key)::bigint as s, (row_number() over (partition by key order by each))::double as r from t",
    ),
    Question(
        "as-of join", lambda pd, t, u: pd.merge_asof(t[["each", "w"]].sort_values("each"), u.rename(columns={"each": "at"}), left_on="each", right_on="at"),
        "select t.each, t.w, u.each as at, z from t asof left join u on t.each >= u.each",
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", default="256MB", help="what rows may take in memory (default: %(default)s)")
    parser.add_argument("--times", default="4,10", help="how many times that the table takes (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="on how many threads (default: %(default)s)")
    parser.add_argument("--only", default="", help="questions whose names contain this")
    parser.add_argument("--folder", type=Path, default=None, help="where tables and answers are kept (default: a folder that is removed)")
    parser.add_argument("--worker", default=None, help=argparse.SUPPRESS)
    given = parser.parse_args()
    chosen = [question for question in QUESTIONS if given.only in question.name]
    if not chosen:
        parser.error(f"no question's name contains {given.only!r}: there are {', '.join(question.name for question in QUESTIONS)}")
    if given.worker is not None:
        asked = next(question for question in chosen if question.name == given.only)
        print(json.dumps(worker(given.worker, given.folder, asked, given.budget, given.threads)))
        return
    budget = of_text(given.budget)
    folder = given.folder or Path(tempfile.mkdtemp(prefix="airloom-out-of-core-"))
    try:
        for times in (float(part) for part in given.times.split(",")):
            rows = int(times * budget / ROW)
            print(f"\n{rows:,} rows, {times:g} times the budget of {budget / 1e6:.0f} MB, {given.threads} threads: seconds elapsed and of processor time, and the peak as a part of the budget\n")
            print("| question | " + " | ".join(SYSTEMS) + " | airloom / duckdb | |\n|---|---|---|---|---|")
            write_tables(folder, rows)
            for question in chosen:
                found = [measured(system, folder, question, given) for system in SYSTEMS]
                ratio = f"{found[0]['elapsed'] / found[1]['elapsed']:.2f}" if all("elapsed" in each for each in found) else ""
                cells = [f"{each['elapsed']:.1f}, {each['work']:.1f}, {each['peak'] / budget:.2f}" if "elapsed" in each else each["error"] for each in found]
                print(f"| {question.name} | " + " | ".join(cells) + f" | {ratio} | {compared(folder, question, found)} |", flush=True)
    finally:
        if given.folder is None:
            shutil.rmtree(folder)


def of_text(budget: str) -> int:
    """The bytes of `256MB` or `1.5GiB`."""
    units = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
    match = re.fullmatch(r"([0-9.]+)\s*([a-z]*)", budget.lower())
    if match is None or match[2] not in units:
        sys.exit(f"--budget is {budget!r}, expected a size such as 256MB")
    return int(float(match[1]) * units[match[2]])


def write_tables(folder: Path, rows: int) -> None:
    """The tables, made and written a piece at a time."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(7)
    each = random.permutation(rows)

    def of_t(start: int, stop: int) -> dict[str, Any]:
        count = stop - start
        text = pa.array(np.char.add("customer number ", random.integers(0, rows // 2, count).astype(str)))
        return {"key": random.integers(0, rows // 2, count), "each": each[start:stop], "v": random.normal(size=count), "w": random.integers(0, 1000, count), "text": text}

    def of_u(start: int, stop: int) -> dict[str, Any]:
        return {"each": np.arange(start, stop) * 2, "z": random.integers(0, 1000, stop - start)}

    write_table(folder / "t.parquet", rows, of_t)
    write_table(folder / "u.parquet", rows // 2, of_u)


def write_table(path: Path, rows: int, columns: Callable[[int, int], dict[str, Any]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    step = 1 << 20
    with pq.ParquetWriter(path, pa.table(columns(0, 0)).schema) as writer:
        for start in range(0, rows, step):
            writer.write_table(pa.table(columns(start, min(start + step, rows))), row_group_size=step // 4)


def measured(system: str, folder: Path, question: Question, given: argparse.Namespace) -> dict[str, Any]:
    """What a process of its own found."""
    command = [
        sys.executable, __file__, "--worker", system, "--only", question.name, "--folder", str(folder), "--budget", given.budget, "--threads", str(given.threads),
    ]
    ran = subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": str(given.threads)}, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        lines = ran.stderr.strip().splitlines() or [f"ended with {ran.returncode}"]
        return {"error": next((line for line in reversed(lines) if "Error" in line), lines[-1])[:120]}
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def worker(system: str, folder: Path, question: Question, budget: str, threads: int) -> dict[str, Any]:
    """Answers one question on one system."""
    ask = of_duckdb(folder, question, budget, threads) if system == "duckdb" else of_airloom(folder, question, budget, threads)
    before, begun, worked = peak(), time.perf_counter(), time.process_time()
    fallbacks = ask(folder / f"{system}.parquet")
    return {"elapsed": time.perf_counter() - begun, "work": time.process_time() - worked, "peak": peak() - before, "fallbacks": fallbacks}


def peak() -> int:
    """The most that this process has taken. The kernel's other count begins with what the parent of a process took."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def of_duckdb(folder: Path, question: Question, budget: str, threads: int) -> Callable[[Path], list[str]]:
    import duckdb

    connection = duckdb.connect(config={"threads": str(threads), "memory_limit": budget, "temp_directory": str(folder / "duckdb-spill")})
    for name in ("t", "u"):
        connection.execute(f"create temp view {name} as select * from read_parquet('{folder / name}.parquet')")

    def ask(to: Path) -> list[str]:
        connection.execute(f"copy ({question.sql}) to '{to}' (format parquet)")
        return []

    return ask


def of_airloom(folder: Path, question: Question, budget: str, threads: int) -> Callable[[Path], list[str]]:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
    import airloom
    import airloom.pandas as pandas

    airloom.options.memory_limit = budget
    airloom.options.threads = threads
    airloom.options.spill_directory = str(folder)

    def ask(to: Path) -> list[str]:
        t, u = pandas.read_parquet(folder / "t.parquet"), pandas.read_parquet(folder / "u.parquet")
        question.pandas(pandas, t, u).to_parquet(to)
        return [f"{entry.operation}: {entry.reason}" for entry in airloom.report() if entry.where == "pandas"]

    return ask


def compared(folder: Path, question: Question, found: list[dict[str, Any]]) -> str:
    """Whether both answers have the same rows, and are in order."""
    if any("error" in each for each in found):
        return "failed"
    import duckdb
    import pyarrow.parquet as pq

    # On several threads rows are not seen in the order of their file.
    alone = duckdb.connect(config={"threads": "1"})
    names = [f'"{name}"' for name in pq.read_schema(folder / "duckdb.parquet").names]
    sums = "count(*), " + ", ".join(f"sum(hash({name})::hugeint)" for name in names) + f", sum(hash({', '.join(names)})::hugeint)"
    answers = []
    for system in SYSTEMS:
        answer = alone.sql(f"select {sums} from read_parquet('{folder / system}.parquet')").fetchall()[0]
        answers.append(answer)
    if answers[0] != answers[1]:
        return f"rows differ: {answers[0]} and {answers[1]}"
    if question.order:
        keys = ", ".join(f"lag({key}) over () as before_{at}, {key}" for at, key in enumerate(question.order.split(", ")))
        pairs = question.order.split(", ")
        later = f"before_0 is not null and ({', '.join(f'before_{at}' for at in range(len(pairs)))}) > ({', '.join(pairs)})"
        wrong = alone.sql(f"select count(*) from (select {keys} from read_parquet('{folder / 'airloom'}.parquet')) where {later}").fetchall()[0]
        if wrong[0]:
            return f"{wrong[0]} rows out of order"
    fallbacks = found[0]["fallbacks"]
    return "same rows" + (f"; {len(fallbacks)} by pandas: {fallbacks[0][:80]}" if fallbacks else "")


if __name__ == "__main__":
    main()

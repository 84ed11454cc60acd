"""What Polars writes, or hands out in batches, of queries that the engine computes."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import airloom
from airloom.polars import Engine

c = pl.col
FRAME = pl.DataFrame({"k": [1, 1, 2], "a": [1, 2, 3], "s": ["x", None, "z"]})
TOTALS = FRAME.lazy().group_by("k", maintain_order=True).agg(c.a.sum())
#: Polars hashes by a function of its own.
HASHES = FRAME.lazy().filter(c.a > 1).select("k", h=c.a.hash())
#: More rows than are handed over at once.
MANY = 300_000
ENGINE = Engine(raise_on_fail=True)
FORMS = ["parquet", "ipc", "csv", "ndjson"]


@pytest.fixture(autouse=True)
def engine() -> Iterator[None]:
    """The oracle makes all rows before it gives the first, and is slow with as many as these."""
    with airloom.options(oracle=False):
        yield


def entries(where: str) -> list[tuple[str, str]]:
    """What ran somewhere, and why."""
    return [(entry.operation, entry.reason) for entry in airloom.report() if entry.where == where]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A file of many rows, of which the last has text that is no number."""
    path = tmp_path / "rows.parquet"
    n = pl.int_range(MANY, eager=True)
    pl.DataFrame({"n": n, "t": n.cast(pl.String).scatter(MANY - 1, "x")}).write_parquet(path)
    return path


def test_batches() -> None:
    assert_frame_equal(pl.concat(FRAME.lazy().filter(c.a > 1).collect_batches(engine=ENGINE)), FRAME.filter(c.a > 1))
    with pytest.raises(airloom.RefusedError, match="`lazy` batches"):
        FRAME.lazy().collect_batches(engine=ENGINE, lazy=True)
    assert_frame_equal(pl.concat(HASHES.collect_batches(engine=Engine())), HASHES.collect())
    seen: list[pl.DataFrame] = []
    TOTALS.sink_batches(lambda batch: seen.append(batch), engine=ENGINE)
    assert_frame_equal(pl.concat(seen), TOTALS.collect())


def test_batches_are_as_long_as_was_asked_for(rows: Path) -> None:
    query = pl.scan_parquet(rows).filter(c.n % 2 == 0).select("n", both=pl.struct("n", "t"), wide=c.n.cast(pl.Int128))
    batches = list(query.collect_batches(engine=ENGINE, chunk_size=70_000))
    assert_frame_equal(pl.concat(batches), query.collect())
    assert min(batch.height for batch in batches[:-1]) >= 70_000
    assert next(query.collect_batches(engine=ENGINE)).height < MANY // 2, "the first is there before the last is made"


def test_batches_of_a_query_that_the_data_stop_are_polars(rows: Path) -> None:
    query = pl.scan_parquet(rows).select(c.t.cast(pl.Int64))
    with pytest.raises(pl.exceptions.InvalidOperationError):
        list(query.collect_batches(engine=Engine()))
    assert entries("polars") == [("run", "the engine stopped at text that is no number")]
    seen: list[int] = []
    with pytest.raises(pl.exceptions.InvalidOperationError):
        query.sink_batches(lambda batch: seen.append(batch.height), engine=Engine())
    with pytest.raises(airloom.RaisedError):
        query.collect_batches(engine=ENGINE)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("query", [TOTALS, HASHES, TOTALS.filter(c.k > 9)])
def test_files_are_written(form: str, query: pl.LazyFrame, tmp_path: Path) -> None:
    path = tmp_path / "out"
    getattr(query, f"sink_{form}")(path, engine=Engine())
    if form == "ndjson" and query.collect().is_empty():
        assert path.read_bytes() == b""
        return
    # Text does not tell an unsigned integer from another.
    assert_frame_equal(getattr(pl, f"scan_{form}")(path).collect(), query.collect(), check_dtypes=form in ("parquet", "ipc"))
    assert (entries("native") == [("collect", "")]) == (query is not HASHES)
    assert all(entry.line.rpartition(":")[0] == __file__ for entry in airloom.report())


@pytest.mark.parametrize("form", FORMS)
def test_open_files_are_written(form: str) -> None:
    file = io.BytesIO()
    getattr(TOTALS, f"sink_{form}")(file, engine=ENGINE)
    file.seek(0)
    assert_frame_equal(getattr(pl, f"read_{form}")(file), TOTALS.collect(), check_dtypes=form in ("parquet", "ipc"))


def test_partitions_are_written(tmp_path: Path) -> None:
    TOTALS.sink_parquet(pl.PartitionBy(tmp_path / "out", key="k"), mkdir=True, engine=ENGINE)
    assert_frame_equal(pl.read_parquet(tmp_path / "out").sort("k"), TOTALS.collect())


def test_polars_writes_anew_where_the_engine_stops(rows: Path, tmp_path: Path) -> None:
    # Polars reads `+5` as a number, which the engine leaves to it when it meets it.
    given, path = tmp_path / "given.parquet", tmp_path / "out.parquet"
    pl.scan_parquet(rows).with_columns(t=pl.when(c.n == MANY - 1).then(pl.lit("+5")).otherwise(c.t)).sink_parquet(given)
    query = pl.scan_parquet(given).select(c.t.cast(pl.Int64))
    query.sink_parquet(path, engine=Engine())
    assert_frame_equal(pl.read_parquet(path), query.collect())
    assert entries("native") == []
    assert [reason for _, reason in entries("polars")] == ["the engine stopped at text that is no number"]
    with pytest.raises(airloom.RaisedError):
        query.sink_parquet(path, engine=ENGINE)
    with open(path, "wb") as file:
        query.sink_parquet(file, engine=Engine())
    assert_frame_equal(pl.read_parquet(path), query.collect())


def test_a_file_is_written_over_when_it_was_read(rows: Path, tmp_path: Path) -> None:
    expected = pl.scan_parquet(rows).filter(c.n % 5 == 0).collect()
    link = tmp_path / "link.parquet"
    link.symlink_to(rows)
    pl.scan_parquet(rows).filter(c.n % 5 == 0).sink_parquet(link, engine=ENGINE)
    assert_frame_equal(pl.read_parquet(rows), expected)
    with open(rows, "r+b") as file:
        pl.scan_parquet(rows).filter(c.n % 2 == 0).sink_parquet(file, engine=ENGINE)
        file.truncate()
    assert_frame_equal(pl.read_parquet(rows), expected.filter(c.n % 2 == 0))


@pytest.mark.parametrize("name", ["hard link", "folder", "pattern", "address"])
def test_a_file_is_written_over_that_was_read_by_another_name(name: str, rows: Path, tmp_path: Path) -> None:
    expected = pl.scan_parquet(rows).filter(c.n % 5 == 0).collect()
    scanned, target = {
        "hard link": (rows, tmp_path / "linked"),
        "folder": (tmp_path, rows),
        "pattern": (tmp_path / "*.parquet", rows),
        "address": (rows, f"file://{rows}"),
    }[name]
    if name == "hard link":
        (tmp_path / "linked").hardlink_to(rows)
    pl.scan_parquet(scanned).filter(c.n % 5 == 0).sink_parquet(target, engine=ENGINE)
    assert_frame_equal(pl.read_parquet(rows), expected)


AWKWARD = pl.DataFrame({
    "i": [None, 2**63 - 1, -(2**63), 0], "x": [float("nan"), -0.0, None, float("inf")], "s": ["", None, "é\u0301🙂", "a\nb"], "n": pl.Series([None] * 4, dtype=pl.Int8),
    "b": [True, None, False, True], "l": [[1, None], [], None, [3]], "d": pl.Series(["1.20", None, "-0.01", "0.00"]).cast(pl.Decimal(12, 2)), "c": pl.Series(["u", "v", None, "u"], dtype=pl.Categorical),
})  # fmt: skip


@pytest.mark.parametrize("height", [0, 1, 4])
def test_awkward_rows(height: int, tmp_path: Path) -> None:
    frame = pl.concat([AWKWARD, AWKWARD]).head(2 * height if height == 4 else height)
    query = frame.lazy().with_row_index("at").filter(c.at >= 0)
    query.sink_parquet(tmp_path / "out.parquet", engine=ENGINE)
    assert_frame_equal(pl.read_parquet(tmp_path / "out.parquet"), query.collect())
    query.sink_ipc(tmp_path / "out.arrow", engine=ENGINE)
    assert_frame_equal(pl.read_ipc(tmp_path / "out.arrow"), query.collect())
    batches = list(query.collect_batches(engine=ENGINE))
    assert_frame_equal(pl.concat([query.collect().clear(), *batches]), query.collect())


def test_what_polars_cannot_write_is_its_own_error(rows: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        pl.scan_parquet(rows).sink_parquet(tmp_path / "no" / "folder" / "out.parquet", engine=ENGINE)
    assert entries("polars") == []


PROGRAM = """
import re, sys
import polars as pl
from airloom.polars import Engine

folder, form, limit = sys.argv[1], sys.argv[2], int(sys.argv[3])
engine = Engine(raise_on_fail=True, memory_limit=limit, spill_directory=folder)

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) * 1024

def query(name):
    rows = pl.scan_parquet(f"{folder}/{name}.parquet")
    kept = rows.filter(pl.col("n") % 10 != 0).with_columns(y=pl.col("x") * 2 + 1)
    return kept.sort("x") if form == "sorted" else kept

def write(name):
    if form == "batches":
        height = 0
        for batch in query(name).collect_batches(engine=engine):
            height += batch.height
        return height
    query(name).sink_parquet(f"{folder}/out.parquet", engine=engine, row_group_size=100_000)

# What is loaded once, and a thread for each core, are no part of it.
write("few")
before = peak()
print("rows", write("many"))
print("peak", peak() - before)
"""

#: The limit, and how many times as much the rows take that are written.
LIMIT, TIMES = 64 << 20, 6


@pytest.mark.parametrize("form", ["written", "sorted", "batches"])
def test_rows_of_several_times_the_memory_are_written(form: str, tmp_path: Path) -> None:
    rows = TIMES * LIMIT // 24
    for name, count in (("few", 200_000), ("many", rows)):
        n = pl.int_range(count, eager=True)
        pl.DataFrame({"n": n, "x": (n * 7919 % count).cast(pl.Float64)}).write_parquet(tmp_path / f"{name}.parquet", row_group_size=100_000)
    # The oracle holds all rows.
    environment = {**os.environ, "AIRLOOM_ORACLE": "0"}
    ran = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path), form, str(LIMIT)], capture_output=True, text=True, check=True, env=environment)
    told: dict[str, Any] = dict(re.findall(r"(\w+) (\w+)", ran.stdout))
    found = pl.scan_parquet(tmp_path / "out.parquet")
    kept = rows - -(-rows // 10)
    if form == "batches":
        assert told["rows"] == str(kept)
    else:
        assert found.select(pl.len()).collect().item() == kept
    if form == "sorted":
        assert found.select(c.x.is_sorted() & (c.y == c.x * 2 + 1).all()).collect().item()
    # Besides the engine's rows there are those that Polars holds on their way into the file, and how many depends on how fast it writes: what counts is that the result is not held.
    assert int(told["peak"]) < 2.5 * LIMIT, f"{int(told['peak']) >> 20} MiB for rows of {TIMES * LIMIT >> 20} MiB"

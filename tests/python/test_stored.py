"""Tables in files and databases, as sources of programs."""

import errno
import json
import resource
import signal
import sqlite3
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import airloom
from airloom import ir

ROWS = pa.table({"k": pa.array([1, 2, None], pa.int32()), "n": pa.array([10, 20, 30], pa.int16()), "s": ["a", "b", "c"]})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with three rows."""
    made = tmp_path / "rows.parquet"
    pa.parquet.write_table(ROWS, made)
    return made


def source(**fields: ir.Type) -> ir.Function:
    """A program that gives the rows of the source `t`."""
    return ir.function(lambda: ir.source("t", ir.rel(fields)))


def test_a_file_is_a_source(path: Path) -> None:
    stored = airloom.scan_parquet(path)
    assert stored.columns == ["k", "n", "s"] and stored.num_rows == 3
    assert stored.type == ir.rel({"k": ir.optional(ir.i32), "n": ir.optional(ir.i16), "s": ir.optional(ir.str_)})
    assert "3 rows" in repr(stored) and "rows.parquet" in repr(stored)
    read = ir.function(lambda: ir.filter(ir.source("t", stored.type), lambda r: r.n > 10))
    expected = [{"k": 2, "n": 20, "s": "b"}, {"k": None, "n": 30, "s": "c"}]
    assert airloom.Session({"t": stored}).run(read).to_pylist() == expected
    assert airloom.run(read, sources={"t": stored}).to_pylist() == expected


def test_several_files_are_one_table(tmp_path: Path) -> None:
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path in paths:
        pa.parquet.write_table(ROWS, path)
    for given in (paths, [str(path) for path in paths], tmp_path):
        assert airloom.scan_parquet(given).num_rows == 6


@pytest.mark.parametrize("oracle", [False, True])
def test_narrow_numbers_are_widened(path: Path, oracle: bool) -> None:
    read = source(k=ir.optional(ir.i64), n=ir.i64)
    expected = {"k": [1, 2, None], "n": [10, 20, 30]}
    with airloom.options(oracle=oracle):
        for given in (airloom.scan_parquet(path), ROWS):
            assert airloom.run(read, sources={"t": given}).to_pydict() == expected


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"x": ir.i64}, "source `t`: there is no column `x`; there are: `k`, `n`, `s`"),
        ({"n": ir.i8}, "source `t`: column `n`: it is Arrow's `Int16`, but its type is `i8`"),
        ({"s": ir.i64}, "source `t`: column `s`: it is Arrow's `Utf8View`, but its type is `i64`"),
        ({"k": ir.i32}, "source `t`: column `k`: it may hold nulls, but its type is `i32`; hint: `ir.optional`"),
    ],
)
def test_what_does_not_fit_is_told(path: Path, fields: dict[str, ir.Type], told: str) -> None:
    with pytest.raises(airloom.ProgramError) as error:
        airloom.run(source(**fields), sources={"t": airloom.scan_parquet(path)})
    assert told in str(error.value)


def test_no_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(airloom.MissingFileError, match="none.parquet") as caught:
        airloom.scan_parquet(tmp_path / "none.parquet")
    assert isinstance(caught.value, FileNotFoundError) and caught.value.errno == errno.ENOENT
    with pytest.raises(FileNotFoundError, match="none.db"):
        airloom.read_sql(tmp_path / "none.db", "t")
    (tmp_path / "text.parquet").write_text("no such thing")
    with pytest.raises(airloom.WorldError, match="text.parquet"):
        airloom.scan_parquet(tmp_path / "text.parquet")


def test_a_file_that_went_away_is_told(path: Path) -> None:
    stored = airloom.scan_parquet(path)
    path.unlink()
    with pytest.raises(airloom.MissingFileError, match="rows.parquet") as caught:
        airloom.run(source(s=ir.optional(ir.str_)), sources={"t": stored})
    assert isinstance(caught.value, OSError) and not isinstance(caught.value, airloom.RaisedError)


def test_a_disk_that_fails_while_rows_are_spilled_is_told(tmp_path: Path) -> None:
    rows = airloom.Table.of_columns({"k": airloom.Column.of_numpy(np.random.default_rng(0).permutation(6_000_000))}, 6_000_000)
    keys = ir.function(lambda: ir.rows(ir.group(ir.source("t", rows.type), lambda r: {"k": r.k * 7}, lambda c: {"n": ir.count(c.k)})))
    with airloom.options(memory_limit="128MiB", spill_directory=tmp_path, oracle=False):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        # A file that grows beyond the limit is too large, as one on a full disk is.
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
            with pytest.raises(airloom.FileError) as caught:
                airloom.run(keys, sources={"t": rows})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, handler)
        assert isinstance(caught.value, OSError) and caught.value.errno == errno.EFBIG
        assert airloom.run(keys, sources={"t": rows}) == 6_000_000


def test_tables_of_a_database_are_read(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    database = sqlite3.connect(path)
    database.executescript("CREATE TABLE t(k INTEGER, s TEXT); INSERT INTO t VALUES(1, 'a'), (2, 'b'), (3, NULL), (2, 'c')")
    database.close()
    table = airloom.read_sql(path, "t")
    assert (table.columns, table.num_rows) == (["k", "s"], 4)
    query = airloom.read_sql(f"sqlite://{path}", "SELECT k * 2 AS twice FROM t")
    assert query.columns == ["twice"]
    f = ir.function(lambda: ir.rel_sort(ir.filter(ir.source("t", ir.type_of(table)), lambda r: r.k > 1), lambda r: {"s": r.s}, ["desc.last"]))
    assert airloom.run(f, sources={"t": table}).to_pydict() == {"k": [2, 2, 3], "s": ["c", "b", None]}
    plan = json.loads(airloom.explain(f, sources={"t": table}, analyze=True, format="json"))
    assert [node["op"] for node in plan["parts"]] == ["scan"] and plan["parts"][0]["detail"].startswith("sqlite: SELECT ")
    with pytest.raises(airloom.ProgramError, match="has no table `u`"):
        airloom.read_sql(path, "u")
    with pytest.raises(airloom.WorldError, match="the PostgreSQL database was lost"):
        airloom.read_sql(f"postgres://nobody@%2F{tmp_path.name}/none", "t")
    path.unlink()
    with pytest.raises(airloom.WorldError, match="is gone since its table was opened"):
        airloom.run(f, sources={"t": table})


def test_a_database_that_is_none_is_told(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    path.write_bytes(b"this is no database at all, but long enough to be taken for one" * 20)
    with pytest.raises(airloom.WorldError, match="it is not a SQLite database"):
        airloom.read_sql(path, "t")

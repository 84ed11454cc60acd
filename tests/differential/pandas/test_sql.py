"""Rows of databases: every query reads as pandas reads it."""

from __future__ import annotations

import datetime
import decimal
import math
import sqlite3
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES

import airloom
import airloom.pandas
from airloom import _report as report
from airloom.pandas.dispatch import choice
from airloom.pandas.files import sql_reader
from airloom.pandas.interface.checking import same


@pytest.fixture(params=[1, 2, 1 << 14])
def rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many rows are fetched at a time."""
    monkeypatch.setattr(sql_reader, "ROWS", request.param)
    return int(request.param)


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(":memory:")
    made.execute("create table t (n integer, f real, s text, b blob, x, d text)")
    values: list[tuple[Any, ...]] = [
        (1, 1.5, "a", b"x", 1, "2020-01-01"),
        (-(2**63), -0.0, "", b"", "text", "2020-02-29 12:00:00"),
        (2**63 - 1, math.inf, "größe \U0001f600", None, None, None),
        (None, None, None, b"\0", 2.5, "nothing"),
        (2**53 + 1, 1e300, "a\0b", b"x", 2**53 + 1, ""),
    ]
    made.executemany("insert into t values (?, ?, ?, ?, ?, ?)", values)
    made.commit()
    yield made
    made.close()


QUERIES: dict[str, str] = {
    "all": "select * from t",
    "whole": "select n from t where n is not null",
    "whole-and-missing": "select n from t",
    "floats": "select f, f * 2 as g from t",
    "whole-and-floats": "select x from t where typeof(x) in ('integer', 'real')",
    "floats-first": "select x from t where typeof(x) in ('integer', 'real') order by typeof(x) desc",
    "numbers-and-text": "select x from t where x is not null",
    "text-and-numbers": "select x from t where x is not null order by typeof(x) desc",
    "missing-first": "select n, f, s, x from t order by n is not null",
    "missing-last": "select n, f, s, x from t order by n is null, n",
    "text": "select s, d from t",
    "bytes": "select b from t where b is not null",
    "nothing": "select null as a, null as b from t",
    "empty": "select * from t where 0",
    "one": "select n, s from t limit 1",
    "twice": "select n, n, s as n from t",
    "unnamed": "select 1, 'x', count(*) from t",
    "long": "with recursive c(i) as (select 1 union all select i + 1 from c where i < 1000) select i, i / 3.0 as f, 'v' || i as s from c",
    "late-text": "with recursive c(i) as (select 1 union all select i + 1 from c where i < 50) select case when i < 50 then i else 'x' end as v from c",
    "late-float": "with recursive c(i) as (select 1 union all select i + 1 from c where i < 50) select case when i < 50 then i else 0.5 end as v from c",
    "late-value": "with recursive c(i) as (select 1 union all select i + 1 from c where i < 50) select case when i < 50 then null else 'x' end as v from c",
}


@pytest.mark.parametrize("query", QUERIES)
def test_queries(query: str, connection: sqlite3.Connection, rows: int) -> None:
    text = QUERIES[query]
    check(lambda pd: pd.read_sql(text, connection))
    check(lambda pd: pd.read_sql_query(text, connection))
    check(lambda pd: pd.read_sql(text, connection, coerce_float=False))


ARGUMENTS: dict[str, Any] = {
    "parameters": lambda pd, c: pd.read_sql("select * from t where n > ?", c, params=(0,)),
    "named-parameters": lambda pd, c: pd.read_sql_query("select * from t where n > :least", c, params={"least": 0}),
    "index": lambda pd, c: pd.read_sql("select * from t", c, index_col="s"),
    "two-indexes": lambda pd, c: pd.read_sql("select * from t", c, "s f".split()),
    "dates": lambda pd, c: pd.read_sql("select * from t", c, parse_dates=["d"]),
    "dates-of-numbers": lambda pd, c: pd.read_sql("select 1 as n, 1.5 as f", c, parse_dates=["n", "f"]),
    "dates-by-format": lambda pd, c: pd.read_sql("select * from t", c, parse_dates={"d": "%Y-%m-%d"}),
    "dates-by-words": lambda pd, c: pd.read_sql("select * from t", c, parse_dates={"d": {"errors": "coerce", "dayfirst": True}}),
    "dates-by-unit": lambda pd, c: pd.read_sql("select 1 as n", c, parse_dates={"n": "D"}),
    "dtype": lambda pd, c: pd.read_sql("select n, s from t where n is not null", c, dtype={"n": "float64", "s": "string"}),
    "one-dtype": lambda pd, c: pd.read_sql("select f from t", c, dtype="float32"),
    "columns": lambda pd, c: pd.read_sql("select * from t", c, columns=["n"]),
    "words": lambda pd, c: pd.read_sql(con=c, sql="select n from t"),
    "computed": lambda pd, c: pd.read_sql("select * from t", c).groupby("s")["f"].sum(),
}


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_arguments(arguments: str, connection: sqlite3.Connection) -> None:
    check(lambda pd: ARGUMENTS[arguments](pd, connection))


WRONG: dict[str, Any] = {
    "no-table": lambda pd, c: pd.read_sql("select * from nothing", c),
    "no-query": lambda pd, c: pd.read_sql("t", c),
    "no-text": lambda pd, c: pd.read_sql(5, c),
    "two-queries": lambda pd, c: pd.read_sql("select 1; select 2", c),
    "no-rows": lambda pd, c: pd.read_sql("create table if not exists u (a)", c),
    "no-parameter": lambda pd, c: pd.read_sql("select ?", c),
    "no-label": lambda pd, c: pd.read_sql("select n from t", c, index_col="m"),
    "no-dtype": lambda pd, c: pd.read_sql("select s from t", c, dtype="int64"),
    "no-date": lambda pd, c: pd.read_sql("select d from t", c, parse_dates={"d": {"errors": "raise"}}),
    "more-words": lambda pd, c: pd.read_sql("select n from t", c, nothing=1),
    "backend": lambda pd, c: pd.read_sql("select n from t", c, dtype_backend="x"),
    "overflow": lambda pd, c: pd.read_sql("select sum(n) from (select 9223372036854775807 as n union all select 1)", c),
    "no-connection": lambda pd, c: pd.read_sql("select 1", None),
    "table": lambda pd, c: pd.read_sql_table("t", c),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong(wrong: str, connection: sqlite3.Connection) -> None:
    check(lambda pd: WRONG[wrong](pd, connection), native=False)


def test_what_pandas_reads(connection: sqlite3.Connection) -> None:
    check(lambda pd: list(pd.read_sql("select * from t", connection, chunksize=2)), native=False)
    check(lambda pd: pd.read_sql("select n, f, s from t", connection, dtype_backend="numpy_nullable"), native=False)
    check(lambda pd: pd.read_sql("select n, f, s from t", connection, dtype_backend="pyarrow"), native=False)
    connection.row_factory = sqlite3.Row
    check(lambda pd: pd.read_sql("select n, f, s from t", connection), native=False)


def test_values_of_other_kinds() -> None:
    """What the connection makes of values is what stands in the frame."""
    sqlite3.register_converter("day", lambda text: datetime.date.fromisoformat(text.decode()))
    sqlite3.register_converter("exact", lambda text: decimal.Decimal(text.decode()))
    sqlite3.register_converter("truth", lambda text: text == b"1")
    sqlite3.register_converter("huge", lambda text: int(text) * 10**20)
    sqlite3.register_converter("none", lambda text: float("nan"))
    made = sqlite3.connect(":memory:", detect_types=sqlite3.PARSE_DECLTYPES)
    made.execute("create table t (d day, e exact, b truth, h huge, m none)")
    made.executemany("insert into t values (?, ?, ?, ?, ?)", [("2020-01-01", "1.5", 1, 1, 1), ("2020-01-02", "2", 0, -1, 2), (None, None, None, None, None)])
    for query in ("select * from t", "select * from t where d is not null"):
        check(lambda pd, query=query: pd.read_sql(query, made))
        check(lambda pd, query=query: pd.read_sql(query, made, coerce_float=False))
    made.text_factory = bytes
    check(lambda pd: pd.read_sql("select 'x' as s", made))
    made.text_factory = lambda text: text.decode("latin-1")
    check(lambda pd: pd.read_sql("select 'x' as s, cast(x'e4' as text) as t", made))
    made.text_factory = lambda text: "\ud800"
    check(lambda pd: pd.read_sql("select 'x' as s", made), native=False)
    made.close()


def test_a_query_is_sent_once(connection: sqlite3.Connection) -> None:
    """Also one that does something, and one whose rows end with an error."""
    pd = airloom.pandas
    if sqlite3.sqlite_version_info >= (3, 35):
        found = pd.read_sql("insert into t (n, s) values (7, 'new') returning n, s", connection)
        same(found, pandas.DataFrame({"n": [7], "s": ["new"]}), 0.0)
        assert connection.execute("select count(*) from t where s = 'new'").fetchone() == (1,)
    calls = []

    def fail(value: Any) -> Any:
        calls.append(value)
        if len(calls) == 3:
            raise ValueError("enough")
        return value

    connection.create_function("fail", 1, fail)
    with pytest.raises(Exception, match="user-defined function raised exception"):
        pd.read_sql("select fail(n) from t", connection)
    assert len(calls) == 3
    with airloom.check():
        same(pd.read_sql("select s from t", connection), pandas.read_sql("select s from t", connection), 0.0)


def test_connections_that_are_no_use(connection: sqlite3.Connection) -> None:
    closed = sqlite3.connect(":memory:")
    closed.close()
    check(lambda pd: pd.read_sql("select 1", closed))
    elsewhere: list[Any] = []
    thread = threading.Thread(target=lambda: elsewhere.append(sqlite3.connect(":memory:")))
    thread.start()
    thread.join()
    with pytest.raises(sqlite3.ProgrammingError, match="SQLite objects created in a thread"):
        airloom.pandas.read_sql("select 1", elsewhere[0])


def test_warnings(connection: sqlite3.Connection) -> None:
    told = []
    for pd in (pandas, airloom.pandas):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            pd.read_sql("select 20200101 as n from t", connection, parse_dates={"n": "%Y%m%d"})
        told.append([(str(warning.message), warning.category, warning.filename) for warning in found])
    assert told[0] and told[0] == told[1]


def test_few_rows_stay(connection: sqlite3.Connection) -> None:
    choice.settings.threshold = 100
    report.LOG.clear()
    found = airloom.pandas.read_sql("select * from t", connection)
    assert type(found) is airloom.pandas.DataFrame and not report.LOG.entries
    same(found, pandas.read_sql("select * from t", connection), 0.0)


@pytest.mark.parametrize("frame", FRAMES)
def test_writing(frame: str) -> None:
    def program(pd: Any, df: Any) -> Any:
        made = sqlite3.connect(":memory:")
        count = df[["k", "f", "s"]].assign(z=lambda d: d["k"] * 2).to_sql("t", made, index=False)
        more = df["k"].to_sql("u", made)
        return count, more, made.execute("select * from t").fetchall(), made.execute("select * from u").fetchall()

    check(program, FRAMES[frame]().reset_index(drop=True), native=False)


def test_what_was_written_reads_back(rows: int) -> None:
    made = sqlite3.connect(":memory:")
    frame = pandas.DataFrame({"n": np.arange(100), "f": np.arange(100) / 7, "s": [f"v{at}" for at in range(100)]})
    airloom.pandas.DataFrame(frame).to_sql("t", made, index=False)
    same(airloom.pandas.read_sql("select * from t", made), frame, 0.0)

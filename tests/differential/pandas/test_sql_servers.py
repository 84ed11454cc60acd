"""Rows of databases by SQLAlchemy, of SQLite and of a PostgreSQL server: every query reads as pandas reads it, by the connection of the program."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest
import sqlalchemy
from compare import check

import airloom
import airloom.pandas
from airloom.pandas.files import sql_reader

TABLE = """
create table t (n integer, big bigint, f double precision, s text, c char(4), b boolean, d date, m timestamp, z timestamp with time zone, x numeric(12, 3), narrow real);
insert into t values
    (1, 9007199254740993, 1.5, 'a', 'ab', true, '2020-02-29', '2020-02-29 12:30:15.123456', '2020-02-29 12:30:15+02', 12.345, 0.1),
    (2, -9223372036854775808, 0.1, '', '', false, '1969-12-31', '1999-12-31', '1999-12-31 00:00+00', -0.001, -1.5),
    (null, null, null, null, null, null, null, null, null, null, null),
    (4, 4, 'NaN', 'größe', 'x', true, '2020-01-01', '2020-01-01', '2020-06-01 00:00+00', 99999999.999, 3.4e38);
"""
QUERIES: dict[str, str] = {
    "all": "select * from t",
    "integers": "select n, big from t where n is not null order by n desc",
    "missing": "select n, f, b, s from t",
    "floats": "select f, narrow, f * 2 as g from t where n is not null",
    "dates": "select d, m from t",
    "zones": "select z from t where z is not null",
    "numerics": "select x from t",
    "padded": "select c from t",
    "twice": "select n, n from t",
    "none": "select * from t where false",
    "one": "select 1 as one",
    "many": "select i as k, i * 0.5::double precision as v, 'w' || i % 7 as w, i % 3 = 0 as t from generate_series(1, 20000) as i",
    "lists": "select array[1, 2] as l, '{\"a\": 1}'::json as j, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid as u",
    "wrong": "select nothing from t",
    "percent": "select 'a' like 'a%%' as p",
}


def _programs() -> Path | None:
    """The folder of the server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server on a socket in a folder of its own."""
    programs = _programs()
    if programs is None:
        # `make test` installs one where it may (`tests/postgres.sh`): as root, where there is apt-get. Elsewhere the end of the run says what was skipped.
        pytest.skip("there is no PostgreSQL server, and `tests/postgres.sh` could not install one")
    # The server does not run as root.
    user: dict[str, Any] = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.getuid() == 0 else {}
    with tempfile.TemporaryDirectory(prefix="airloom-pg-") as folder:
        if user:
            shutil.chown(folder, "nobody", "nogroup")
        data = f"{folder}/data"
        quiet: dict[str, Any] = {"check": True, "stdout": subprocess.DEVNULL, "cwd": folder, **user}
        subprocess.run([programs / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync"], **quiet)
        settings = f"-k {folder} -c listen_addresses= -c fsync=off -c timezone=Asia/Tokyo"
        subprocess.run([programs / "pg_ctl", "-D", data, "-w", "-o", settings, "-l", f"{folder}/log", "start"], **quiet)
        try:
            yield f"postgresql+psycopg2://tester@/postgres?host={folder}"
        finally:
            subprocess.run([programs / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop"], **quiet)


@pytest.fixture
def engine(server: str) -> Iterator[Any]:
    made = sqlalchemy.create_engine(server)
    with made.begin() as connection:
        connection.exec_driver_sql("drop table if exists t")
        connection.exec_driver_sql(TABLE.replace("%", "%%"))
    yield made
    made.dispose()


@pytest.fixture(params=[1, 1 << 14], autouse=True)
def rows(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many rows are fetched at a time."""
    monkeypatch.setattr(sql_reader, "ROWS", request.param)


@pytest.mark.parametrize("name", QUERIES)
def test_queries(name: str, engine: Any) -> None:
    query = QUERIES[name]
    check(lambda pd: pd.read_sql(query, engine))
    check(lambda pd: pd.read_sql_query(query, engine.url.render_as_string(hide_password=False)))
    worded = sqlalchemy.text(query.replace("%%", "%").replace("::", "\\:\\:").replace('"a":', '"a"\\:'))

    def by_connection(pd: Any) -> Any:
        with engine.connect() as connection:
            return pd.read_sql_query(query, connection, coerce_float=False)

    check(by_connection)
    check(lambda pd: pd.read_sql(worded, engine))


def test_arguments(engine: Any) -> None:
    check(lambda pd: pd.read_sql("select n, d, m, s from t", engine, index_col="n", parse_dates=["d"]))
    check(lambda pd: pd.read_sql("select n, big from t where n is not null", engine, dtype={"n": "float32"}))
    check(lambda pd: pd.read_sql("select n, s from t where n > %(least)s", engine, params={"least": 1}))
    check(lambda pd: pd.read_sql("select n, s from t", engine, index_col="nothing"))
    check(lambda pd: list(pd.read_sql("select n, s from t", engine, chunksize=2)), native=False)
    check(lambda pd: pd.read_sql("select n, s from t", engine, dtype_backend="numpy_nullable"), native=False)
    check(lambda pd: pd.read_sql("t", engine), native=False)
    check(lambda pd: pd.read_sql_table("t", engine), native=False)


def test_the_transaction_of_the_program_is_seen(engine: Any) -> None:
    with engine.connect() as connection:
        connection.exec_driver_sql("set time zone 'America/New_York'")
        connection.exec_driver_sql("delete from t where n = 1")
        check(lambda pd: pd.read_sql("select n, z::timestamp as local, z from t", connection))
        connection.rollback()
    check(lambda pd: pd.read_sql("select n, z::timestamp as local from t", engine))


def test_a_query_is_sent_once(engine: Any) -> None:
    with engine.begin() as connection:
        connection.exec_driver_sql("create sequence if not exists counted")
        connection.exec_driver_sql("alter sequence counted restart")
    for at in range(1, 4):
        with engine.begin() as connection:
            assert airloom.pandas.read_sql("select nextval('counted') as n", connection)["n"].tolist() == [at]


def test_sqlite_by_sqlalchemy(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'x.db'}"
    pandas.DataFrame({"a": [1, 2, None], "s": ["x", None, "y"], "t": pandas.date_range("2020", periods=3)}).to_sql("t", address, index=False)
    check(lambda pd: pd.read_sql("select * from t", address))
    check(lambda pd: pd.read_sql("select a from t where s = ?", address, params=("x",)))
    check(lambda pd: pd.read_sql(sqlalchemy.text("select * from t where a > :least"), address, params={"least": 1}))
    check(lambda pd: pd.read_sql("t", address), native=False)
    check(lambda pd: pd.read_sql("select * from nothing", address))
    with airloom.strict():
        assert len(airloom.pandas.read_sql("select * from t", address)) == 3

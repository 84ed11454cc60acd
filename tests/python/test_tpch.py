"""The 22 TPC-H programs give DuckDB's answers, from Parquet files and from memory, at a scale where every operator has work to do."""

import os
import sys
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet
import pytest

import airloom
from airloom import ir

BENCH = Path(__file__).resolve().parents[2] / "benches" / "tpch"
sys.path.insert(0, str(BENCH))

import answers  # noqa: E402
import programs  # noqa: E402

SCALE = "0.1"


@pytest.fixture(scope="module")
def folder() -> Path:
    """The data, made where it is missing."""
    return programs.data(SCALE)


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, Any]:
    """DuckDB's answers."""
    database = duckdb.connect()
    for table in programs.TABLES:
        database.execute(f"create view {table} as from read_parquet('{folder / table}.parquet')")
    return {query: answers.encode(database.sql(programs.sql(query, SCALE)).to_arrow_table()) for query in programs.QUERIES}


@pytest.fixture(scope="module", params=["memory", "parquet"])
def session(request: pytest.FixtureRequest, folder: Path) -> airloom.Session:
    """The eight tables, in memory or in their files; on more threads than one, whatever the machine has."""
    made = airloom.Session(threads=max(2, os.cpu_count() or 1))
    for table in programs.TABLES:
        path = folder / f"{table}.parquet"
        made.register(table, pyarrow.parquet.read_table(path) if request.param == "memory" else airloom.scan_parquet(path))
    return made


@pytest.mark.parametrize("query", programs.QUERIES)
def test_answers_are_those_of_the_reference(query: str, session: airloom.Session, expected: dict[str, Any]) -> None:
    program = ir.parse(programs.air(query, SCALE))[query]
    assert answers.difference(expected[query], answers.encode(session.run(program).to_pyarrow())) is None


def test_a_wrong_answer_is_told() -> None:
    def one(value: Any) -> dict[str, Any]:
        return {"columns": ["a"], "rows": [[value]]}

    cents, halves = {"decimal": "1.50"}, {"decimal": "1.5"}
    assert answers.difference(one(cents), one(halves)) is None
    assert answers.difference(one(cents), one({"decimal": "1.51"})) == "row 0, `a`: 1.51, expected 1.50"
    assert answers.difference(one({"float": "1.0"}), one({"float": "1.00000001"})) is not None
    assert answers.difference(one({"float": "0.0499851"}), one({"decimal": "0.049985"})) is None
    assert answers.difference(one({"float": "0.0499851"}), one({"decimal": "0.049987"})) is not None
    assert answers.difference(one("x"), one("y")) is not None
    assert answers.difference(one(None), one(None)) is None
    assert answers.difference(one(None), one({"float": "0.0"})) is not None
    assert answers.difference(one(1), {"columns": ["b"], "rows": [[1]]}) is not None
    assert answers.difference(one(1), {"columns": ["a"], "rows": []}) == "0 rows, expected 1"

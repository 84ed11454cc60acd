"""Whole programs of pandas users give what pandas gives, to the type and the label, and nothing of them is handed to pandas."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import airloom
import airloom.pandas
import pandas
import pyarrow as pa
import pyarrow.parquet
import pytest

BENCHES = Path(__file__).resolve().parents[3] / "benches"
sys.path[:0] = [str(BENCHES / "pandas"), str(BENCHES / "tpch")]

import differences  # noqa: E402
import db_benchmark  # noqa: E402
import suites  # noqa: E402
import tpch_data  # noqa: E402

SCALE = "0.01"
QUERIES = [(name, query) for name in suites.NAMES for query in suites.queries(name, SCALE)]
# Rows that tie are in any order after `sort_values` by one column; their labels tell which they are.
TIES = {"g08"}


@pytest.fixture(scope="module")
def pd() -> Any:
    """The module under test."""
    return airloom.pandas


@pytest.fixture(scope="module")
def strict() -> Callable[[], AbstractContextManager[Any]]:
    """Makes a context in which what is handed to pandas is an error."""
    return airloom.strict


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The data of each suite, made where it is missing."""
    made = {name: tmp_path_factory.mktemp(name) for name in ("groupby", "join", *suites.WRITTEN)}
    # Ten values to a key, so that groups of two keys have a hundred rows.
    db_benchmark.write_groups(made["groupby"], rows=10_000, groups=10)
    db_benchmark.write_joins(made["join"], rows=10_000)
    for name, (write, _) in suites.WRITTEN.items():
        write(made[name], rows=20_000)
    return made | {name: tpch_data.folder(SCALE) for name in suites.TPCH}


@pytest.mark.parametrize(("name", "query"), QUERIES, ids=["-".join(pair) for pair in QUERIES])
def test_answers_are_those_of_pandas(name: str, query: str, pd: Any, strict: Callable[[], AbstractContextManager[Any]], folders: dict[str, Path]) -> None:
    run = suites.queries(name, SCALE)[query]
    tables = suites.tables(name, folders[name])
    expected = run(pandas, {table: suites.read(pandas, name, folders[name], table) for table in tables})
    with strict():
        found = run(pd, {table: suites.read(pd, name, folders[name], table) for table in tables})
        # Once the manager of blocks is there, so is the data.
        for frame in found.values() if isinstance(found, dict) else [found]:
            frame._mgr
    if not isinstance(expected, dict):
        expected, found = {query: expected}, {query: found}
    assert list(found) == list(expected)
    for part, wanted in expected.items():
        same(wanted, found[part], sort=query in TIES)


@pytest.mark.parametrize("name", suites.NAMES)
def test_programs_leave_their_tables_as_they_were(name: str, pd: Any, folders: dict[str, Path]) -> None:
    tables = {table: suites.read(pd, name, folders[name], table) for table in suites.tables(name, folders[name])}
    for run in suites.queries(name, SCALE).values():
        run(pd, tables)
    for table, frame in tables.items():
        same(suites.read(pandas, name, folders[name], table), frame, sort=False)


def test_the_benchmark_tells_a_wrong_answer(tmp_path: Path) -> None:
    def told(expected: dict[str, Any], found: dict[str, Any], *keys: str) -> str | None:
        for name, columns in (("expected", expected), ("found", found)):
            pyarrow.parquet.write_table(pa.table(columns), tmp_path / name)
        return differences.difference(tmp_path / "expected", tmp_path / "found", list(keys))

    assert told({"a": [1, 2]}, {"a": [1, 2]}) is None
    assert told({"a": [1, 2]}, {"a": [1, 3]}) == "row 1, `a`: 3, expected 2, and so in 1 of 2 rows"
    assert told({"a": [1, 2]}, {"a": [2, 1]}) is not None
    assert told({"a": [1, 2]}, {"a": [2, 1]}, "a") is None
    assert told({"a": [1]}, {"b": [1]}) == "columns ['b'], expected ['a']"
    assert told({"a": [1]}, {"a": [1, 1]}) == "2 rows, expected 1"
    assert told({"a": [1.0, None]}, {"a": [1.0 + 1e-12, float("nan")]}) is None
    assert told({"a": [1.0]}, {"a": [1.0 + 1e-6]}) is not None
    assert told({"a": [1.0]}, {"a": [None]}) is not None
    assert told({"a": ["x", None]}, {"a": pa.array(["x", None]).dictionary_encode()}) is None
    assert told({"a": ["x"]}, {"a": pa.array([None], pa.string())}) is not None
    assert told({"a": ["1"]}, {"a": [1]}) is not None


def same(expected: Any, found: Any, *, sort: bool) -> None:
    """Fails where two frames or series differ in anything but the last digits of floats."""
    assert isinstance(found, type(expected))
    # Classes that derive from those of pandas are not told apart from them here: that is the point of them.
    found = (pandas.DataFrame if found.ndim == 2 else pandas.Series)(found)
    if sort:
        expected, found = expected.sort_index(), found.sort_index()
    options: dict[str, Any] = {"check_dtype": True, "check_index_type": "exact", "check_exact": False, "rtol": 1e-12, "atol": 0.0}
    if expected.ndim == 2:
        pandas.testing.assert_frame_equal(found, expected, check_column_type="exact", **options)
    else:
        pandas.testing.assert_series_equal(found, expected, **options)

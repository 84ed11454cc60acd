"""The 99 queries of TPC-DS as lazy queries: nothing of them is left to Polars, and the answers are Polars'."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest
from compare import same

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tpcds.queries import QUERIES  # noqa: E402
from tpcds.shapes import Tables  # noqa: E402
from tpcds.tables import tables  # noqa: E402


@pytest.fixture(scope="module", params=["memory", "parquet"])
def given(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The tables in memory, or in files."""
    if request.param == "memory":
        return Tables({name: frame.lazy() for name, frame in tables().items()})
    folder = tmp_path_factory.mktemp("tpcds")
    for name, frame in tables().items():
        frame.write_parquet(folder / f"{name}.parquet", row_group_size=1000)
    return Tables({name: pl.scan_parquet(folder / f"{name}.parquet") for name in tables()})


def test_there_are_as_many_as_in_the_specification() -> None:
    assert sorted(QUERIES) == [f"q{number:02d}" for number in range(1, 100)]
    assert len(tables()) == 24


@pytest.mark.parametrize("query", sorted(QUERIES))
def test_answers_are_those_of_polars(query: str, given: Tables) -> None:
    same(QUERIES[query](given), close=True)


@pytest.mark.parametrize("query", sorted(QUERIES))
def test_queries_find_something(query: str) -> None:
    lazy = Tables({name: frame.lazy() for name, frame in tables().items()})
    assert QUERIES[query](lazy).collect().height > 0

"""The 22 TPC-H queries in Polars' own words: nothing of them is left to Polars, and the answers are Polars'."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest
from compare import same

BENCH = Path(__file__).resolve().parents[3] / "benches" / "tpch"
sys.path.insert(0, str(BENCH))

import polars_queries  # noqa: E402
import programs  # noqa: E402

SCALE = "0.01"


@pytest.fixture(scope="module", params=["memory", "parquet"])
def queries(request: pytest.FixtureRequest) -> polars_queries.Queries:
    """The queries over the eight tables, in memory or in their files; the data is made where it is missing."""
    folder = programs.data(SCALE)
    tables = {name: pl.scan_parquet(folder / f"{name}.parquet") for name in programs.TABLES}
    if request.param == "memory":
        tables = {name: lazy.collect().lazy() for name, lazy in tables.items()}
    return polars_queries.Queries(tables, programs.fraction(SCALE))


@pytest.mark.parametrize("query", programs.QUERIES)
def test_answers_are_those_of_polars(query: str, queries: polars_queries.Queries) -> None:
    same(getattr(queries, query)(), close=True)


def test_a_decimal_of_more_digits(queries: polars_queries.Queries) -> None:
    # With the fraction of another scale Polars joins by the integers of decimals.
    wider = polars_queries.Queries({name: getattr(queries, name) for name in programs.TABLES}, programs.fraction("10"))
    same(wider.q11(), close=True)

"""An engine for all queries of a process, and for what frames do by queries of their own."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import airloom
import airloom.polars
from airloom.polars import installing

c = pl.col


@pytest.fixture
def installed() -> Iterator[None]:
    installing.install()
    airloom.report(clear=True)
    yield
    installing.uninstall()


def native() -> int:
    return sum(entry.where == "native" for entry in airloom.report(clear=True))


@pytest.mark.usefixtures("installed")
def test_operations_of_frames_run_on_the_engine() -> None:
    frame = pl.DataFrame({"k": [1, 2, 3, 4] * 5000, "x": range(20_000), "wide": pl.Series(range(20_000), dtype=pl.Int128)})
    assert_frame_equal(frame.filter(c.x > 19_997).select("k", "x"), pl.DataFrame({"k": [3, 4], "x": [19_998, 19_999]}))
    assert frame.group_by("k").agg(c.x.sum()).sort("k")["x"].to_list() == [49_990_000, 49_995_000, 50_000_000, 50_005_000]
    assert native() >= 2
    # What is carried over for the engine is Polars' to do, and no query of the engine's again.
    assert frame.filter(c.k == 1)["wide"].to_list()[:2] == [0, 4]
    assert native() == 1


@pytest.mark.usefixtures("installed")
def test_small_frames_are_polars_own() -> None:
    frame = pl.DataFrame({"k": [1, 2, 3]})
    assert frame.filter(c.k > 1)["k"].to_list() == [2, 3]
    assert native() == 0
    assert frame.lazy().filter(c.k > 1).collect()["k"].to_list() == [2, 3]
    assert native() == 1


@pytest.mark.usefixtures("installed")
def test_what_is_refused_is_done_by_polars() -> None:
    frame = pl.DataFrame({"k": range(20_000)})
    assert frame.select(c.k.hash()).height == 20_000
    assert [entry.operation for entry in airloom.report() if entry.where == "polars"] == ["Select"]


def test_queries_are_polars_again() -> None:
    before = pl.LazyFrame._collect_eager
    airloom.install(polars=True)
    assert pl.LazyFrame._collect_eager is not before
    airloom.uninstall()
    assert pl.LazyFrame._collect_eager is before
    airloom.report(clear=True)
    pl.LazyFrame({"k": [1]}).collect()
    assert native() == 0

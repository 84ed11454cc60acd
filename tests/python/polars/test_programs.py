"""Queries of Polars over rows that other front ends, or functions of Python, make: one graph, and no branch of it waits for another library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas
import polars as pl
import pytest
from polars.io.plugins import register_io_source
from polars.testing import assert_frame_equal

import airloom
import airloom.pandas as pd
import airloom.polars
from airloom import ir
from airloom.pandas.dispatch.choice import settings
from airloom.pandas.internals import state
from airloom.pandas.plan.lower import lower
from airloom.polars import Engine

STRICT = Engine(raise_on_fail=True)


@pytest.fixture(autouse=True)
def all_by_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """What pandas' own loops would do at once, for so few rows, is planned too."""
    monkeypatch.setattr(settings, "threshold", 0)


def of_pandas(frame: Any) -> pl.LazyFrame:
    """The rows of a frame of ours for pandas, which is not computed yet."""
    assert state.is_lazy(frame)
    plan = state.plan_of(frame)
    lowered = lower([(plan.rows, {column: item.expression for column, item in zip(frame.columns, plan.columns, strict=True)})])
    return airloom.polars.scan_program(lowered.function, sources=lowered.sources)


def sales() -> Any:
    frame = pd.DataFrame({"item": [1, 2, 1, 3] * 10_000, "price": [1.5, 2.0, float("nan"), 4.0] * 10_000})
    some = frame[frame["item"] < 3]
    return some.assign(double=some["price"] * 2)


def test_a_frame_of_pandas_and_a_frame_of_polars_are_one_graph() -> None:
    names = pl.LazyFrame({"item": [1, 2, 3], "name": ["a", "b", "c"]})
    query = of_pandas(sales()).join(names, on="item").group_by("name").agg(pl.col("double").fill_nan(0).sum(), n=pl.len()).sort("name")
    translation = airloom.polars.translate(query)
    assert translation.function is not None, translation.refusals
    # One function with both sources: what pandas filters and multiplies, and what Polars joins and groups.
    text = translation.text()
    assert text.count("func @") == 1 and text.count("= source ") == 2
    assert "join" in text and "group" in text and "lt(" in text.replace(" ", "")
    found = query.collect(engine=STRICT)
    assert found.to_dict(as_series=False) == {"name": ["a", "b"], "double": [30000.0, 40000.0], "n": [20000, 10000]}
    assert_frame_equal(found, query.collect())


def test_programs_are_read_by_engines_of_polars_too() -> None:
    lazy = of_pandas(sales())
    for query in (lazy, lazy.filter(pl.col("item") == 2).head(3), lazy.select("double").tail(2), lazy.select(pl.len())):
        assert_frame_equal(query.collect(engine=STRICT), query.collect())
    expected = pandas.DataFrame({"item": [1, 2, 1] * 10_000, "price": [1.5, 2.0, float("nan")] * 10_000})
    assert lazy.select("item").collect(engine=STRICT)["item"].to_list() == expected["item"].to_list()


def test_two_programs_with_sources_of_one_name_are_one_graph() -> None:
    query = of_pandas(sales()).join(of_pandas(sales()).filter(pl.col("item") == 2), on="item", how="semi")
    translation = airloom.polars.translate(query)
    assert translation.function is not None and len(translation.sources) == 2
    found = query.collect(engine=STRICT)
    assert found.height == 10_000 and found["item"].unique().to_list() == [2]
    assert_frame_equal(found, query.collect())


def test_only_relations_are_scanned() -> None:
    with ir.Graph():
        number = airloom._native.make_function(lambda: ir.const(1), "number", [], None)
    with pytest.raises(airloom.ProgramError, match="a function of no arguments that makes a relation"):
        airloom.polars.scan_program(number, sources={})


def test_rows_of_a_generator_are_read_by_the_engine() -> None:
    def rows(with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None) -> Iterator[pl.DataFrame]:
        for start in (0, 3):
            frame = pl.DataFrame({"a": range(start, start + 3), "b": ["x", None, "z"]})
            frame = frame if with_columns is None else frame.select(with_columns)
            frame = frame if predicate is None else frame.filter(predicate)
            yield frame if n_rows is None else frame.head(n_rows // 2)

    lazy = register_io_source(rows, schema={"a": pl.Int64(), "b": pl.String()})
    filtered = lazy.filter(pl.col("a") > 1)
    assert_frame_equal(filtered.collect(engine=Engine()), filtered.collect())
    for query in (lazy, lazy.select("b").head(4), lazy.group_by("b", maintain_order=True).agg(pl.col("a").sum())):
        assert_frame_equal(query.collect(engine=STRICT), query.collect())


def test_other_branches_of_a_query_with_a_function_of_python_are_native() -> None:
    left = pl.LazyFrame({"k": [1, 2, 1, 3], "x": [1.0, 2.0, 3.0, 4.0]}).filter(pl.col("x") > 1).group_by("k").agg(pl.col("x").sum())
    right = pl.LazyFrame({"k": [1, 2, 3], "y": [1, 2, 3]}).with_columns(y=pl.col("y").map_batches(lambda column: column * 10, return_dtype=pl.Int64))
    query = left.join(right, on="k").sort("k")
    before = airloom.report()
    with airloom.options():
        found = query.collect(engine=Engine())
    assert found.to_dict(as_series=False) == {"k": [1, 2, 3], "x": [3.0, 2.0, 4.0], "y": [10, 20, 30]}
    translation = airloom.polars.translate(query)
    assert {one.node for one in translation.refusals} == {"HStack"}
    assert translation.plan is not None
    from airloom.polars.subtrees import supported

    (part,) = supported(translation.plan, translation.refused)
    assert part.name == "GroupBy"
    assert airloom.report() != before

"""What tests of users ask: `airloom.testing`, and how a query is explained."""

from __future__ import annotations

import json

import polars as pl
import pytest

import airloom
from airloom.polars import Engine, Refusal, Translation, translate
from airloom.testing import assert_engine_result_equal, assert_translation_refused

c = pl.col
LAZY = pl.LazyFrame({"k": [1, 1, 2], "x": [1.0, 2.5, None], "s": ["a", "b", None]})
TOTALS = LAZY.group_by("k", maintain_order=True).agg(c.x.sum())


class WrongEngine(Engine):
    """An engine that gives a frame of its own."""

    def __init__(self, frame: pl.DataFrame) -> None:
        super().__init__()
        self.frame = frame

    def collect(self, lf: pl.LazyFrame, **given: object) -> pl.DataFrame:  # type: ignore[override]
        return self.frame


def test_equal_results() -> None:
    assert_engine_result_equal(TOTALS)
    assert_engine_result_equal(LAZY.group_by("k").agg(c.x.sum()), check_row_order=False)
    assert_engine_result_equal(TOTALS, engine=Engine(threads=2), check_exact=True, optimizations=pl.QueryOptFlags.none())


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.DataFrame({"k": [1, 2], "x": [3.5, 1.0]}), "another frame than Polars"),
        (pl.DataFrame({"k": [2, 1], "x": [0.0, 3.5]}), "another frame than Polars"),
        (pl.DataFrame({"k": [1, 2], "x": [3, 0]}), "the engine gives the schema"),
        (pl.DataFrame({"x": [3.5, 0.0], "k": [1, 2]}), "the engine gives the schema"),
    ],
)
def test_other_results(frame: pl.DataFrame, message: str) -> None:
    with pytest.raises(airloom.DifferenceError, match=message):
        assert_engine_result_equal(TOTALS, engine=WrongEngine(frame))


def test_refused_queries_are_no_equal_results() -> None:
    with pytest.raises(airloom.RefusedError, match=r"function\.hash"):
        assert_engine_result_equal(LAZY.select(c.k.hash()))
    assert_engine_result_equal(LAZY.select(c.k.hash()), engine=Engine())


def test_errors_must_be_alike() -> None:
    assert_engine_result_equal(LAZY.select(c.s.cast(pl.Int64)))
    assert_engine_result_equal(LAZY.select(c.nothing))


def test_refusals() -> None:
    assert_translation_refused(LAZY.select(c.k.hash()), "`function.hash` is not translated")
    with pytest.raises(airloom.DifferenceError, match="the query is translated"):
        assert_translation_refused(TOTALS, "anything")
    with pytest.raises(airloom.DifferenceError, match="Select: the expression `function.hash` is not translated"):
        assert_translation_refused(LAZY.select(c.k.hash()), "another reason")


def test_a_query_is_explained() -> None:
    translation = translate(TOTALS)
    assert "group" in translation.explain()
    assert "rows" in translation.explain(analyze=True)
    told = json.loads(translation.explain(format="json"))
    assert told["schema"] == {"k": "Int64", "x": "Float64"} and told["refusals"] == [] and told["plan"]


def test_a_refused_query_is_explained_by_its_reasons() -> None:
    translation = translate(LAZY.select(c.k.hash()))
    assert translation.explain() == "Select: the expression `function.hash` is not translated"
    told = json.loads(translation.explain(format="json"))
    assert told["refusals"] == [{"node": "Select", "reason": "the expression `function.hash` is not translated"}] and told["plan"] is None
    assert json.loads(Translation(None, {}, {}, (Refusal("plan", "why"),)).explain(format="json"))["refusals"] == [{"node": "plan", "reason": "why"}]

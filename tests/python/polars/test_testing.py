"""What tests of users ask: `airloom.testing`, and how a query is explained."""

from __future__ import annotations

import json
from pathlib import Path

import pandas
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


SALES = pandas.DataFrame({"k": [1, 1, 2, 3], "x": [1.0, 2.5, None, -0.0], "s": ["a", "b", None, "a"]})


def test_functions_of_frames() -> None:
    def totals(frame: pandas.DataFrame) -> pandas.Series:
        frame["y"] = frame["x"] * 2
        return frame[frame["k"] > 1].groupby("k")["y"].sum()

    assert_engine_result_equal(totals, SALES)
    assert list(SALES.columns) == ["k", "x", "s"]
    assert_engine_result_equal(lambda frame, other: frame.merge(other, on="k", how="left"), SALES, pandas.DataFrame({"k": [1, 3], "z": [5, 6]}))
    assert_engine_result_equal(lambda frame: (frame["x"].sum(), frame["k"].max()), SALES, check_exact=True)
    assert_engine_result_equal(lambda frame: frame["missing"], SALES)
    with pytest.raises(TypeError, match="a query takes no arguments"):
        assert_engine_result_equal(TOTALS, SALES)


def test_functions_of_frames_that_differ() -> None:
    def by_class(frame: pandas.DataFrame) -> pandas.DataFrame:
        return frame.head(1) if type(frame) is pandas.DataFrame else frame.head(2)

    with pytest.raises(airloom.DifferenceError, match="another result than pandas"):
        assert_engine_result_equal(by_class, SALES)

    def raises(frame: pandas.DataFrame) -> int:
        if type(frame) is pandas.DataFrame:
            raise KeyError("x")
        return 1

    with pytest.raises(airloom.DifferenceError, match="the engine gives a result, pandas raises `KeyError`"):
        assert_engine_result_equal(raises, SALES)


def test_refused_functions_of_frames() -> None:
    def encoded(frame: pandas.DataFrame) -> pandas.Series:
        return frame["s"].str.encode("utf-8")

    assert_translation_refused(encoded, "Series.str.encode: bytes of dtype `object`", SALES)
    with pytest.raises(airloom.RefusedError):
        assert_engine_result_equal(encoded, SALES)
    with pytest.raises(airloom.DifferenceError, match="nothing is left to pandas"):
        assert_translation_refused(lambda frame: frame["k"] + 1, "anything", SALES)
    with pytest.raises(airloom.DifferenceError, match="some is left to pandas, but not because `another reason`"):
        assert_translation_refused(encoded, "another reason", SALES)


def test_refusals() -> None:
    assert_translation_refused(LAZY.select(c.k.hash()), "`function.hash` is not translated")
    with pytest.raises(airloom.DifferenceError, match="nothing is left to Polars"):
        assert_translation_refused(TOTALS, "anything")
    with pytest.raises(airloom.DifferenceError, match="Select: the expression `function.hash` is not translated"):
        assert_translation_refused(LAZY.select(c.k.hash()), "another reason")


def test_a_query_is_explained() -> None:
    translation = translate(TOTALS)
    assert "group" in translation.explain()
    assert "rows" in translation.explain(analyze=True)
    told = json.loads(translation.explain(format="json"))
    assert told["schema"] == {"k": "Int64", "x": "Float64"} and told["refusals"] == [] and told["partitions"] == {}
    (root,) = told["roots"]
    assert told["nodes"][str(root)]["schema"] == {"k": "i64?", "x": "f64"}
    ops = [node["op"] for node in told["nodes"].values()]
    assert "group" in ops and ops.count("scan") == 1
    # Every node is read by one that has a higher number.
    assert all(below < int(number) for number, node in told["nodes"].items() for below in node["inputs"])
    ran = json.loads(translation.explain(analyze=True, format="json"))
    assert ran["nodes"][str(ran["roots"][0])]["rows"] == 2 and ran["span_ns"] > 0


def test_partitions_of_files_are_explained(tmp_path: Path) -> None:
    frame = pl.DataFrame({"k": [number % 7 for number in range(4000)], "x": [float(number * number % 1009) for number in range(4000)]})
    for part in range(4):
        frame.slice(part * 1000, 1000).write_parquet(tmp_path / f"{part}.parquet", row_group_size=250, compression="uncompressed", statistics=True)
    query = pl.scan_parquet(tmp_path).filter(c.k < 5).group_by("k").agg(c.x.sum()).sort("k")

    def divided(analyze: bool = False, **options: object) -> list[dict[str, int]]:
        told = json.loads(translate(query).explain(format="json", analyze=analyze, **options))
        ((number, found),) = told["partitions"].items()
        assert told["nodes"][number]["op"] == "scan" and sum(one["rows"] for one in found) == 4000
        return list(found)

    # One for each thread: several files come together.
    assert [(one["files"], one["row_groups"]) for one in divided(threads=2)] == [(2, 8), (2, 8)]
    (whole,) = divided(threads=2, target_partition_size="1GB")
    assert whole["files"] == 4 and whole["row_groups"] == 16
    # About a third of a file: each is split, between row groups.
    small = divided(threads=2, target_partition_size=whole["bytes"] // 12)
    assert 12 <= len(small) <= 16 and all(one["files"] == 1 or one["row_groups"] > 1 for one in small) and sum(one["bytes"] for one in small) == whole["bytes"]
    assert len(divided(threads=2, target_partition_size=1)) == 16
    assert divided(threads=2, analyze=True) == divided(threads=2)
    assert "2 partitions of about" in translate(query).explain(threads=2)
    for size in (1, 5000, "1GB"):
        assert_engine_result_equal(query, engine=Engine(target_partition_size=size, raise_on_fail=True))


def test_a_refused_query_is_explained_by_its_reasons() -> None:
    translation = translate(LAZY.select(c.k.hash()))
    assert translation.explain() == "Select: the expression `function.hash` is not translated"
    told = json.loads(translation.explain(format="json"))
    assert told["refusals"] == [{"node": "Select", "reason": "the expression `function.hash` is not translated"}]
    (root,) = told["roots"]
    assert told["nodes"][str(root)] == {"op": "Select", "refused": True, "schema": {"k": "UInt64"}, "inputs": [next(int(number) for number, node in told["nodes"].items() if not node["refused"])]}
    assert json.loads(Translation(None, {}, {}, (Refusal("plan", "why"),)).explain(format="json"))["refusals"] == [{"node": "plan", "reason": "why"}]

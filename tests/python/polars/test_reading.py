"""Plans as Polars shows them: versions, what it hides, and that its names and layouts are those that were read before."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import airloom
from airloom.polars import Engine, translate
from airloom.polars.reading import VERSIONS, read, versions

c = pl.col
FRAME = pl.DataFrame({"k": [1, 1, 2], "a": [1.0, 2.0, None], "s": ["x", None, "z"]})


def plan(query: pl.LazyFrame) -> Any:
    """The optimised plan of a query."""
    return read(query._ldf.visit())


def test_the_version_of_this_polars_is_known() -> None:
    assert tuple(FRAME.lazy()._ldf.visit().version()) in VERSIONS


def test_an_unknown_version_is_left_to_polars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "VERSIONS", {(1, 2): read})
    found = tuple(FRAME.lazy()._ldf.visit().version())
    reason = f"plan: plans of version {found[0]}.{found[1]} are not known, only 1.2"
    assert str(translate(FRAME.lazy())) == reason
    assert FRAME.lazy().collect(engine=Engine()).equals(FRAME)
    assert [entry.reason for entry in airloom.report(clear=True)] == [reason.removeprefix("plan: ")]
    with pytest.raises(airloom.RefusedError, match="are not known"):
        FRAME.lazy().collect(engine=Engine(raise_on_fail=True))


def test_a_mistake_of_the_translation_is_left_to_polars(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(traverser: Any) -> Any:
        raise KeyError("lost")

    monkeypatch.setattr(versions, "VERSIONS", dict.fromkeys(VERSIONS, broken))
    assert str(translate(FRAME.lazy())) == "plan: the translation failed with `KeyError`: 'lost'"
    assert FRAME.lazy().collect(engine=Engine()).equals(FRAME)
    with pytest.raises(airloom.RefusedError, match="the translation failed"):
        FRAME.lazy().collect(engine=Engine(raise_on_fail=True))


def test_a_plan_is_read_as_it_is() -> None:
    query = FRAME.lazy().filter(c.a > 1).group_by("k").agg(c.a.sum(), n=pl.len()).sort("k", descending=True).head(2)
    sort = plan(query)
    assert (sort.name, sort.parameters["descending"], sort.parameters["slice"]) == ("Sort", [True], (0, 2))
    (group,) = sort.inputs
    assert (group.name, group.parameters["maintain_order"], dict(group.schema)) == ("GroupBy", False, {"k": pl.Int64, "a": pl.Float64, "n": pl.UInt32})
    assert [(name, one.name) for name, one in group.expressions["aggregates"]] == [("a", "agg.sum"), ("n", "len")]
    (filter_,) = group.inputs
    ((_, predicate),) = filter_.expressions["predicate"]
    # The sort tells what it needs of the rows below by a hint.
    assert predicate.name == "binary.And"
    own, hint = predicate.arguments
    assert own.name == "binary.Gt" and [part.name for part in own.arguments] == ["column", "literal"]
    assert hint.name == "function.dynamic_pred"
    (scan,) = filter_.inputs
    assert scan.name == "DataFrameScan" and scan.parameters["frame"].select("k", "a").equals(FRAME.select("k", "a"))


def test_functions_have_their_names() -> None:
    select = plan(FRAME.lazy().select(x=c.s.str.contains("a", literal=True), y=c.a.rank("dense"), z=c.a.is_in([1.0])))
    assert [(one.name, one.parameters) for _, one in select.expressions["columns"]] == [
        ("string.Contains", (True, False)),
        ("function.rank", ("dense", False, None)),
        ("boolean.IsIn", (False,)),
    ]


def test_windows_and_joins_have_their_parts() -> None:
    stack = plan(FRAME.lazy().with_columns(x=c.a.sum().over("k", order_by="a", descending=True)))
    ((_, window),) = stack.expressions["columns"]
    assert window.name == "window" and window.parameters == ("groups_to_rows", 1, True, True, False)
    assert [part.name for part in window.arguments] == ["agg.sum", "column", "column"]
    join = plan(FRAME.lazy().join(FRAME.lazy(), on="k", how="left", suffix="_r", maintain_order="left"))
    assert {name: join.parameters[name] for name in ("how", "suffix", "coalesce", "maintain_order", "nulls_equal")} == {
        "how": "Left",
        "suffix": "_r",
        "coalesce": True,
        "maintain_order": "left",
        "nulls_equal": False,
    }


def test_what_polars_hides_is_refused() -> None:
    hidden = FRAME.lazy().select(c.a.map_batches(lambda series: series, return_dtype=pl.Float64))
    assert "Polars does not show this expression to engines" in str(translate(hidden))
    assert "Polars does not show this node to engines" in str(translate(FRAME.lazy().map_batches(lambda frame: frame)))


def test_what_polars_panics_at_is_refused() -> None:
    # The schema of such a node is not told: Polars panics, which is no exception of Python's kind.
    encoded = FRAME.lazy().select(c.k._row_encode())
    assert "does not show" in str(translate(encoded))


def test_deep_expressions_and_long_plans_are_read() -> None:
    deep = c.k
    for _ in range(300):
        deep = deep + 1
    long = FRAME.lazy().select(k=deep)
    for at in range(60):
        long = long.filter(c.k != at).with_row_index(f"i{at}").drop(f"i{at}")
    assert long.collect(engine=Engine(raise_on_fail=True)).to_dict(as_series=False) == {"k": [301, 301, 302]}

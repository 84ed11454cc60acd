"""What is refused, and in which words: a reason names the parameter, the value or the dtype, and is the same in every run."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest

import airloom
from airloom.polars import Engine, translate
from airloom.polars.nodes import MAKERS

c = pl.col
FRAME = pl.DataFrame(
    {"k": [1, 1, 2], "x": [1.0, 2.0, None], "s": ["x", None, "z"], "d": [date(2020, 1, 1)] * 3, "t": [datetime(2020, 1, 1)] * 3, "l": [[1], [2], None]}
)
LAZY = FRAME.lazy()

REFUSED: dict[str, tuple[pl.LazyFrame, str]] = {
    "a function": (LAZY.select(c.k.hash()), "Select: the expression `function.hash` is not translated"),
    "structs": (LAZY.select(pl.struct("k", "x")).sort(pl.first()), "Sort: `sort` by a column of dtype Struct({'k': Int64, 'x': Float64}) is not translated"),
    "text to number": (LAZY.select(c.s.cast(pl.UInt8, strict=False)), "Select: `cast` from String to UInt8 is translated only for literals: Polars reads text by rules of its own"),
    "number to text": (LAZY.select(c.x.cast(pl.String)), "Select: `cast` from Float64 to String is not translated"),
    "digits": (LAZY.select(c.x.round(30)), "Select: `round` to 30 digits with `mode` 'half_to_even' is not translated"),
    "floats by one value": (LAZY.select(c.x // 3.0), "Select: `binary.FloorDivide` of floats by a value that is the same for all rows depends in Polars on how many rows there are"),
    "a computed list": (LAZY.select(c.k.is_in(c.l, nulls_equal=True)), "Select: `is_in` of Int64 in List(Int64) with `nulls_equal` True is translated only for literal lists of that dtype"),
    "quantile": (LAZY.select(c.x.quantile(0.5, "equiprobable")), "Select: `quantile` with `interpolation` 'equiprobable' is not translated"),
    "strategy": (LAZY.select(c.s.fill_null(strategy="max")), "Select: `fill_null` with `strategy` 'max' is not translated"),
    "rank": (LAZY.select(c.x.rank("random", seed=1)), "Select: `rank` with `method` 'random' is not translated"),
    "sorted rest": (LAZY.select(c.x.filter(c.k == 1).sort()), "Select: `sort` of a column that `filter`, `drop_nulls` or `slice` made shorter is not translated"),
    "dynamic groups": (LAZY.group_by_dynamic("t", every="1mo", offset="1h").agg(c.x.sum()), "GroupBy: `group_by_dynamic` of 1 months is not translated"),
    "asof": (LAZY.sort("s").join_asof(LAZY.sort("s"), on="s"), "Join: `join_asof` of keys of dtypes String and String is not translated"),
    "shorter columns": (LAZY.select(c.x.filter(c.k == 1), z=c.x.drop_nulls()), "Select: `select` of columns that `filter`, `drop_nulls` or `slice` made shorter, each in its own way, is not translated"),
    "mapping strategy": (LAZY.select(c.x.over("k", order_by="x", mapping_strategy="explode")), "Select: `over` with `mapping_strategy` 'explode' and `order_by` is not translated"),
    "explode": (LAZY.with_columns(m=c.l).explode("l", "m", empty_as_null=True, keep_nulls=False), "MapFunction: `explode` of 2 columns at once with `empty_as_null` True and `keep_nulls` False is not translated"),
    "unpivot": (LAZY.unpivot(on=["x", "s"]), "`unpivot` of columns of dtypes Float64, String is not translated"),
    "nanoseconds": (
        LAZY.select(c.t.cast(pl.Datetime("ns")) > pl.lit(datetime(2020, 1, 1), dtype=pl.Datetime("ns"))),
        "Select: a literal of dtype Datetime(time_unit='ns', time_zone=None) is shown to engines without its nanoseconds",
    ),
    "long steps": (LAZY.select(c.d.dt.truncate("7mo")), "Select: `dt.truncate` to '7mo' is not translated"),
    "several parts": (LAZY.select(c.s.str.split("a", inclusive=True)), "Select: `str.split` with `inclusive` True is not translated"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_reasons(name: str) -> None:
    query, reason = REFUSED[name]
    assert reason in str(translate(query))
    assert str(translate(query)) == str(translate(query))


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_done_by_polars(name: str) -> None:
    query, _ = REFUSED[name]
    if name == "unpivot":
        query = query.sort("variable", "value")
    assert query.collect(engine=Engine()).equals(query.collect())


SCANS: dict[str, tuple[Callable[[Path], pl.LazyFrame], str]] = {
    "options of csv": (lambda folder: pl.scan_csv(folder / "t.csv", raise_if_empty=False), "Scan: a scan of kind 'csv' with `raise_if_empty` False is not translated"),
    "paths": (lambda folder: pl.scan_csv(folder / "t.csv", include_file_paths="p"), "Scan: a scan of kind 'csv' with columns of paths is not translated"),
    "ipc": (lambda folder: pl.scan_ipc(folder / "t.ipc"), "Polars does not show this node to engines (ipc scan)"),
}


@pytest.mark.parametrize("name", SCANS)
def test_scans(name: str, tmp_path: Path) -> None:
    narrow = FRAME.select("k", "x", "s")
    narrow.write_csv(tmp_path / "t.csv")
    narrow.write_parquet(tmp_path / "t.parquet")
    narrow.write_ipc(tmp_path / "t.ipc")
    scan, reason = SCANS[name]
    assert reason in str(translate(scan(tmp_path)))
    assert scan(tmp_path).collect(engine=Engine()).equals(scan(tmp_path).collect())


def test_text_is_read_by_polars_and_told(tmp_path: Path) -> None:
    FRAME.select("k", "x").write_csv(tmp_path / "t.csv")
    translation = translate(pl.scan_csv(tmp_path / "t.csv").select(c.k.sum()))
    assert translation.refusals == ()
    assert [str(one) for one in translation.read_by_polars] == ["Scan: text of kind csv is read by Polars, and its frame by the engine"]
    assert translation.run().item() == 4
    assert [(entry.operation, entry.reason) for entry in airloom.report() if entry.where == "polars"] == [("Scan", "text of kind csv is read by Polars, and its frame by the engine")]


def test_subexpressions_in_nodes_of_their_own_are_refused() -> None:
    # In plans of Polars' own, which parts of queries are taken from, one value may stand in a column that is shorter than others.
    from airloom.polars.reading import read
    from airloom.polars.translation import translate as translate_plan

    query = LAZY.select(a=c.k.sum() + 1, b=c.k.sum() * 2)
    found = translate_plan(read(query._ldf.visit()))
    assert "stands in a node of its own" in str(found)
    assert query.collect(engine=Engine(raise_on_fail=True)).equals(query.collect())


def test_a_reason_of_the_graph_names_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def ill_typed(*given: object) -> None:
        raise airloom.IllTypedError("`add`: all arguments must have the same type (some/file.py:12)")

    monkeypatch.setitem(MAKERS, "Select", ill_typed)
    assert str(translate(LAZY.select(c.k + 1))) == "Select: the graph does not take it: `add`: all arguments must have the same type"

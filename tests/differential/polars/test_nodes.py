"""Nodes of plans: joins of every kind, sorts, slices, duplicates, frames put together, columns turned into rows, files."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from compare import STRICT, assert_same, same, same_or_left
from frames import FRAMES, NAN, SCHEMA

c = pl.col

KEYS = ["k", "s", "d", "b", "x", "m", "t"]
RIGHT = FRAMES["plain"].select("k", "s", "d", "b", "x", "m", "t", "n", other=c.i + 1).reverse()


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
@pytest.mark.parametrize("key", KEYS)
def test_joins_by_one_key(key: str, how: Any, frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.join(RIGHT.lazy(), on=key, how=how), ordered=False)


@pytest.mark.parametrize("how", ["inner", "left", "right", "full"])
@pytest.mark.parametrize("coalesce", [True, False])
@pytest.mark.parametrize("nulls_equal", [True, False])
def test_joins_with_options(how: Any, coalesce: bool, nulls_equal: bool) -> None:
    left, right = FRAMES["plain"].lazy(), RIGHT.lazy()
    same(left.join(right, on=["k", "b"], how=how, coalesce=coalesce, nulls_equal=nulls_equal, suffix="_other"), ordered=False)
    same(left.join(right.rename({"k": "key"}), left_on="k", right_on="key", how=how, coalesce=coalesce, nulls_equal=nulls_equal), ordered=False)


@pytest.mark.parametrize("how", ["inner", "left", "right", "full"])
@pytest.mark.parametrize("maintain_order", ["left", "right", "left_right", "right_left"])
def test_joins_in_an_order(how: Any, maintain_order: Any) -> None:
    left, right = FRAMES["plain"].lazy(), RIGHT.lazy()
    # What the order leaves open is not compared: rows that meet the same row of the side that orders.
    ordered = "_" in maintain_order
    same(left.join(right, on="k", how=how, maintain_order=maintain_order), ordered=ordered)


def test_joins_without_keys() -> None:
    left, right = FRAMES["plain"].lazy().select("i", "s"), RIGHT.lazy().select("n", "s")
    same(left.join(right, how="cross"), ordered=False)
    same(left.join(right, how="cross").filter(c.i > c.n), ordered=False)
    same(left.join_where(right.rename({"s": "z"}), c.i > c.n), ordered=False)
    same(left.join_where(right.rename({"s": "z"}), c.i > c.n, c.s <= c.z), ordered=False)
    same(left.join_where(right.rename({"s": "z"}), c.i > c.n, c.i < c.n + 100), ordered=False)
    same(FRAMES["plain"].lazy().join(RIGHT.lazy(), left_on=[c.k, c.k + 1], right_on=[c.k, c.k + 1], how="semi"), ordered=False)
    same(left.select("s").join(right.select(c.n.max()), how="cross"), ordered=False)


def test_inequalities_of_decimals() -> None:
    left = FRAMES["plain"].lazy().select("m", "s")
    right = FRAMES["plain"].lazy().select(o=c.m)
    same(left.join_where(right, c.m > c.o), ordered=False)
    same(left.join_where(right.select(o=(c.o + c.o)), c.m > c.o), ordered=False)
    same(left.join_where(right.select(o=(c.o * Decimal("0.125"))), c.m > c.o), ordered=False)


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
def test_joins_by_keys_of_two_dtypes(how: Any) -> None:
    left, right = FRAMES["plain"].lazy(), RIGHT.lazy().with_columns(c.k.cast(pl.Int16))
    same(left.join(right, on="k", how=how), ordered=False)
    same(right.join(left.select("k", "i", "u"), on="k", how=how), ordered=False)
    same(left.join(right.with_columns(key=c.k), left_on="k", right_on="key", how=how), ordered=False)


def test_joins_by_computed_keys() -> None:
    left, right = FRAMES["many"].lazy(), RIGHT.lazy()
    same(left.join(right, left_on=c.k + 1, right_on=c.k, how="semi"), ordered=False)
    same(left.join(right, left_on=c.d.dt.year(), right_on=c.d.dt.year(), how="anti"), ordered=False)
    same(left.join(right, on="k").filter(c.n < c.n_right), ordered=False)


@pytest.mark.parametrize("how", ["inner", "left", "right", "full"])
def test_equalities_after_joins(how: Any) -> None:
    # Polars makes further keys of them, under names of its own.
    left, right = FRAMES["many"].lazy(), RIGHT.lazy()
    same(left.join(right, on="k", how=how).filter(c.s == c.s_right), ordered=False)
    same(left.join(right, on="k", how=how).filter((c.s == c.s_right) & (c.b == c.b_right) & (c.n > c.n_right)).drop("b"), ordered=False)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("nulls_last", [True, False])
@pytest.mark.parametrize("descending", [True, False])
def test_sorts(frame: str, descending: bool, nulls_last: bool) -> None:
    lazy = FRAMES[frame].lazy()
    for name in SCHEMA:
        same(lazy.sort(name, descending=descending, nulls_last=nulls_last, maintain_order=True))
    same(lazy.sort("k", "x", descending=[descending, not descending], nulls_last=nulls_last, maintain_order=True))
    same(lazy.sort(c.i % 3, maintain_order=True, nulls_last=nulls_last))
    same(lazy.sort(c.i % 3, c.i, -c.i, maintain_order=True, nulls_last=nulls_last))
    same(lazy.sort("i", "s", "r", "d", descending=descending, nulls_last=nulls_last, maintain_order=True).head(3))
    same(lazy.select("i").sort("i", descending=descending, nulls_last=nulls_last).slice(1, 2))
    same(lazy.select("i").sort("i", descending=descending, nulls_last=nulls_last).tail(2))


@pytest.mark.parametrize("frame", FRAMES)
def test_first_and_last_rows(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.select("i").top_k(3, by="i"), ordered=False)
    same(lazy.select("s").bottom_k(2, by="s"), ordered=False)
    same(lazy.head(2))
    same(lazy.tail(2))
    same(lazy.slice(1, 3))
    same(lazy.slice(-3, 2))
    same(lazy.slice(-100, 97))
    same(lazy.filter(c.i > 0).slice(1, 100))
    same(lazy.limit(0))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("keep", ["first", "last", "none", "any"])
def test_duplicates(frame: str, keep: Any) -> None:
    lazy = FRAMES[frame].lazy()
    for subset in (["k"], ["k", "b"], ["x"], ["s"]):
        # Of `any` only the keys are told.
        query = lazy.select(subset) if keep == "any" else lazy
        same(query.unique(subset=subset, keep=keep, maintain_order=True))
    same(lazy.unique(keep=keep, maintain_order=True), close=True)
    same(lazy.select("k", "b").unique(keep=keep), ordered=False)


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_put_together(frame: str) -> None:
    lazy, other = FRAMES[frame].lazy(), FRAMES["plain"].lazy()
    same(pl.concat([lazy, other, lazy]))
    same(pl.concat([lazy.select("k", n=c.i.is_null()), other.select("k", n=c.b)]))
    same(pl.concat([lazy.select("k", "i"), lazy.select(x2=c.x * 2)], how="horizontal"))
    same(pl.concat([lazy.head(2), other.head(1)]).head(2))
    same(pl.concat([lazy, other.head(3)]).with_row_index("at").select("at"))


@pytest.mark.parametrize("frame", FRAMES)
def test_rows_and_columns(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.with_row_index())
    same(lazy.with_row_index("at", offset=5).filter(c.at > 6))
    # Polars turns columns into rows batch by batch.
    same(lazy.unpivot(on=["i", "j"], index=["s", "k"]), ordered=False)
    same(lazy.unpivot(on=["x", "y"], variable_name="which", value_name="much"), ordered=False)
    same(lazy.rename({"k": "key", "i": "number"}))
    same(lazy.drop("x", "s"))
    same(lazy.select(pl.len()))
    same(lazy.select(c.s, c.s.alias("t2"), c.k))


def test_lists_become_rows() -> None:
    lazy = pl.LazyFrame({"a": [[1, 2], [], None, [None]], "b": [1, 2, 3, 4]}, schema={"a": pl.List(pl.Int64), "b": pl.Int64})
    same(lazy.explode("a"))
    same(lazy.explode("a", empty_as_null=True))
    same(lazy.explode("a", keep_nulls=False))
    same(lazy.explode("a", empty_as_null=True, keep_nulls=False))
    same(FRAMES["plain"].lazy().group_by("k", maintain_order=True).agg(c.i).explode("i"))


def test_what_several_nodes_read() -> None:
    lazy = FRAMES["many"].lazy().filter(c.i > 0).with_columns(z=c.i * 2)
    totals = lazy.group_by("k").agg(total=c.z.sum())
    same(lazy.join(totals, on="k").sort("i", "k", "s", "r", "d", "t", "n", "u", "x", "y", "j", "m", nulls_last=True), ordered=False)


@pytest.mark.parametrize("frame", ["empty", "plain", "many"])
def test_parquet_files(frame: str, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    FRAMES[frame].write_parquet(path)
    lazy = pl.scan_parquet(path)
    same(lazy)
    same(lazy.filter(c.i > 0).select("k", "s"))
    same(lazy.head(3).filter(c.b))
    same(lazy.with_row_index("at").filter(c.at > 2).select("at", "i"))
    same(lazy.select(pl.len()))
    same(lazy.group_by("k", maintain_order=True).agg(c.m.sum(), c.t.max()))
    same(pl.scan_parquet([path, path]).filter(c.k == 1))


def test_row_groups_are_left_out_only_where_no_row_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pl.concat([FRAMES["plain"], FRAMES["many"], FRAMES["nulls"]]).write_parquet(path, row_group_size=4, statistics="full")
    lazy = pl.scan_parquet(path)
    # NaN is greater than every number, and statistics of files leave it out.
    for predicate in (c.x > 5, c.x >= 100.0, c.x < -50, c.x == NAN, c.x != 1.5, ~(c.x < 2), c.x.is_nan(), c.w > 2, c.y > c.x):
        same(lazy.filter(predicate))
    for predicate in (c.i > 900, c.s == "żółć", c.s > "b", c.d < date(1970, 1, 1), c.m >= 7, c.b, ~c.b, c.k.is_null(), c.u.is_in([7]), c.t > datetime(2021, 1, 1), c.n == -128):
        same(lazy.filter(predicate))
    same(lazy.filter(c.x > 5).select(pl.len(), c.x.max(), c.x.min(), c.i.max(), c.s.min()), close=True)
    same(lazy.select(c.x.max(), c.i.max(), c.s.min(), c.d.min(), c.m.max(), n=c.s.count()), close=True)


def test_names_of_columns() -> None:
    odd = FRAMES["plain"].lazy().select(c.i.alias(""), c.j.alias("a.b"), c.k.alias('q"uo`te'), c.s.alias("żółć"), c.x.alias("1"), c.y.alias("rows"))
    same(odd)
    same(odd.filter(pl.col("") > 0).with_columns(pl.col("a.b") + 1, total=pl.col("1").max()))
    same(odd.group_by('q"uo`te', maintain_order=True).agg(pl.col("").sum(), pl.col("rows").max()))
    same(odd.join(odd, on="żółć", maintain_order="left_right"))


def test_time_zones() -> None:
    clock = [datetime(2020, 3, 29, 0, 30), datetime(2020, 3, 29, 1, 30), datetime(2020, 10, 25, 0, 30), datetime(2020, 10, 25, 1, 30), None, datetime(1850, 6, 1, 12)]
    lazy = pl.LazyFrame({"t": clock, "k": [1, 1, 2, 2, 3, 3]}).with_columns(z=c.t.dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Paris")).collect().lazy()
    same(lazy)
    same(lazy.select(h=c.z.dt.hour(), d=c.z.dt.day(), m=c.z.dt.minute(), y=c.z.dt.year(), w=c.z.dt.weekday(), o=c.z.dt.ordinal_day()))
    same(lazy.with_columns(later=c.z + timedelta(hours=1), since=c.z - c.z.min()))
    same(lazy.filter(c.z > datetime(2020, 3, 29, 4, tzinfo=ZoneInfo("Europe/Paris"))))
    same(lazy.sort("z", descending=True, nulls_last=True))
    same(lazy.group_by("z", maintain_order=True).agg(pl.len(), c.z.max().alias("most")))


def test_queries_that_are_not_optimised() -> None:
    lazy = FRAMES["many"].lazy()
    query = lazy.filter(c.i > 0).with_columns(z=c.x * 2).group_by("k", maintain_order=True).agg(c.z.sum(), c.i.max()).sort("k").head(2)
    for flags in (pl.QueryOptFlags.none(), pl.QueryOptFlags(predicate_pushdown=False, slice_pushdown=False, projection_pushdown=False)):
        assert_same(query.collect(engine=STRICT, optimizations=flags), query.collect(), close=True)


@pytest.mark.parametrize("frame", ["plain", "many"])
def test_text_files(frame: str, tmp_path: Path) -> None:
    narrow = FRAMES[frame].select("k", "i", "x", "s", "d")
    narrow.write_csv(tmp_path / "t.csv")
    narrow.write_ndjson(tmp_path / "t.ndjson")
    for lazy in (pl.scan_csv(tmp_path / "t.csv"), pl.scan_ndjson(tmp_path / "t.ndjson"), pl.scan_csv(tmp_path / "t.csv").head(3)):
        same(lazy)
        same(lazy.filter(c.k == 1).select("i", "s"))
        same(lazy.group_by("k", maintain_order=True).agg(c.i.max()))


def test_rows_in_no_promised_order_are_read_twice_in_one_order() -> None:
    groups = FRAMES["many"].lazy().group_by("i").agg(c.j.sum(), n=pl.len())
    side_by_side = pl.concat([groups.select("i", "j"), groups.select(i2="i", n="n")], how="horizontal").collect(engine=STRICT)
    assert side_by_side["i"].eq_missing(side_by_side["i2"]).all()
    numbered = FRAMES["many"].lazy().join(RIGHT.lazy(), on="k").with_row_index("at")
    joined = numbered.select("at", "i").join(numbered.select("at", other="i"), on="at").collect(engine=STRICT)
    assert joined.height == numbered.select(pl.len()).collect().item() and joined["i"].eq_missing(joined["other"]).all()


@pytest.mark.parametrize("frame", FRAMES)
def test_columns_of_several_dtypes_become_rows(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.unpivot(on=["k", "x"], index="s"), ordered=False)
    same(lazy.unpivot(on=["n", "j"], index=["s", "b"]), ordered=False)
    same(lazy.unpivot(on=["n", "u"]), ordered=False)


def test_lists_of_equal_lengths_become_rows_together() -> None:
    lazy = pl.LazyFrame({"a": [[1, 2], [], None, [3]], "b": [["x", "y"], [], None, [None]], "k": [1, 2, 3, 4]})
    same(lazy.explode("a", "b"))
    same(lazy.explode("a", "b", empty_as_null=True))
    same_or_left(pl.LazyFrame({"a": [[1, 2], [3]], "b": [["x"], ["y"]]}).explode("a", "b"))
    same_or_left(pl.LazyFrame({"a": [[1], []], "b": [["x"], ["y"]]}).explode("a", "b"))
    same_or_left(pl.LazyFrame({"a": [[1], []], "b": [["x"], None]}).explode("a", "b"))
    same_or_left(pl.LazyFrame({"a": [[1], None], "b": [["x"], ["y"]]}).explode("a", "b"))


@pytest.mark.parametrize("frame", FRAMES)
def test_the_last_of_equal_rows(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    for keys in (["k"], ["k", "b"], ["x"], ["s", "d"], None):
        same(lazy.unique(keys, keep="last", maintain_order=True))
    same(lazy.unique("k", keep="last", maintain_order=True).slice(1, 2))
    same(lazy.filter(c.j > 0).unique("k", keep="last", maintain_order=True).select("k", "i"))


@pytest.mark.parametrize("frame", FRAMES)
def test_lists_of_the_first_and_last_of_a_group(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    for offset, length in ((0, 2), (1, 1), (-2, 2), (-3, 1), (0, 0), (5, 9), (-100, 98)):
        same(lazy.group_by("k", maintain_order=True).agg(plain=c.i.slice(offset, length), ordered=c.s.sort().slice(offset, length), first=c.d.slice(offset, length).first()))
    same(lazy.group_by("k", maintain_order=True).agg(least=c.i.bottom_k(1), head=c.x.head(1), tail=c.s.tail(2)))

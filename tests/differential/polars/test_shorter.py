"""Columns of which only some rows are left, literal series, and frames that are merged."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from compare import LENIENT, assert_same, same, same_or_left
from frames import FRAMES

c = pl.col

CHOSEN: dict[str, list[pl.Expr]] = {
    "filtered": [c.x.filter(c.b)],
    "filtered, and values for all": [c.x.filter(c.b), c.i.sum(), pl.lit(1).alias("one")],
    "a function of what is filtered": [c.x.filter(c.b) + 1],
    "a filtered function of all": [(c.i - c.i.min()).filter(c.b)],
    "without nulls": [c.s.drop_nulls()],
    "without NaN": [c.x.drop_nans()],
    "distinct": [c.s.unique(maintain_order=True)],
    "positions of true": [pl.arg_where(c.b)],
    "positions of distinct": [c.s.arg_unique()],
    "every third": [c.s.gather_every(3), c.i.gather_every(3)],
    "every second from the second": [c.s.gather_every(2, 1)],
    "slices": [c.s.slice(1, 2), c.i.sort().slice(1, 2)],
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", CHOSEN)
def test_rows_that_are_left(name: str, frame: str) -> None:
    same(FRAMES[frame].lazy().select(CHOSEN[name]))


@pytest.mark.parametrize("frame", FRAMES)
def test_rows_that_are_left_in_no_order(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.select(c.k.unique()), ordered=False)
    same(lazy.select(c.i.top_k(3)), ordered=False)
    same(lazy.select(c.s.bottom_k(2)), ordered=False)


LISTED: dict[str, pl.Expr] = {
    "filtered": c.x.filter(c.b),
    "head": c.s.head(2),
    "slice": c.i.slice(1, 1),
    "distinct": c.s.unique(maintain_order=True),
    "without nulls": c.i.drop_nulls(),
    "positions of true": pl.arg_where(c.b),
    "every second": c.i.gather_every(2),
    "numbers of rows": pl.int_range(pl.len()),
    "in order": c.i.sort(),
    "running sum": c.i.cum_sum(),
    "a sum and a column": c.i.sum() + c.j,
    "sum of distinct": c.i.unique().sum(),
    "number of distinct": c.s.unique().len(),
    "known distinct": c.s.unique().count(),
    "sum of the greatest": c.i.top_k(2).sum(),
    "first that is kept": c.s.filter(c.b).first(),
    "last that is kept": c.s.filter(c.b).last(),
    "first that is known": c.x.drop_nulls().first(),
    "nulls that are kept": c.s.filter(c.b).null_count(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", LISTED)
def test_rows_that_are_left_in_groups(name: str, frame: str) -> None:
    same(FRAMES[frame].lazy().group_by("k", maintain_order=True).agg(result=LISTED[name]))


@pytest.mark.parametrize("frame", FRAMES)
def test_partitions_by_one_value(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.select("k", a=c.i.sum().over(pl.lit(1)), b=c.i.cum_sum().over(pl.lit(1), pl.lit("a")), d=c.i.max().over(c.j.sum()), e=c.i.max().over("k", pl.lit(1))))


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_side_by_side(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(pl.concat([lazy.select("k", "s"), lazy.select("x", "b").head(3), lazy.select("i")], how="horizontal"))
    same(pl.concat([lazy.select("k", "s").head(2), lazy.select("x", "b")], how="horizontal"))
    same(pl.concat([lazy.select("k").head(0), lazy.select("x", "b")], how="horizontal").filter(c.x.is_null()))


@pytest.mark.parametrize("frame", FRAMES)
def test_first_rows_of_groups(frame: str) -> None:
    same(FRAMES[frame].lazy().group_by("k", maintain_order=True).head(2))
    same(FRAMES[frame].lazy().group_by("k", maintain_order=True).tail(1))


@pytest.mark.parametrize("frame", FRAMES)
def test_lists_for_each_row_of_a_partition(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.with_columns(result=c.x.over("k", mapping_strategy="join")))
    same(lazy.with_columns(result=(c.i + 1).over("k", "b", mapping_strategy="join")))
    same(lazy.with_columns(result=c.i.sum().over("k", mapping_strategy="join")))


@pytest.mark.parametrize("frame", ["plain", "chunked"])
def test_literal_series(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    numbers = pl.Series([1, 2, None, 4, 5, 6, 7, 8])
    same(lazy.with_columns(z=pl.lit(numbers) + c.j))
    same(lazy.with_columns(numbers.alias("w")))
    same(lazy.filter(pl.Series([True, False] * 4)))
    same(lazy.select(numbers.alias("z"), pl.lit(numbers).shift(1).alias("y"), "k"))
    same(lazy.select(c.i * pl.Series([5]), s=pl.lit(numbers).sum()))
    same(lazy.select(c.i.is_in(pl.Series([5, None, 7]).implode())))
    same(lazy.head(3).with_columns(pl.Series(["a", "b", None], dtype=pl.Enum(["b", "a"])).alias("q")))


@pytest.mark.parametrize("frame", FRAMES)
def test_literal_series_that_are_not_as_long(frame: str) -> None:
    given = FRAMES[frame].lazy()
    for query in (given.with_columns(z=pl.lit(pl.Series([1, 2]))), given.select(pl.Series("z", [1, 2])), given.filter(pl.Series([True, False])), given.select(c.k, pl.Series("z", [1, 2]))):
        same_or_left(query)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("key", ["i", "s", "d", "x"])
def test_frames_that_are_merged(frame: str, key: str) -> None:
    left = FRAMES[frame].lazy().drop_nulls(key).sort(key, maintain_order=True)
    right = FRAMES["plain"].lazy().drop_nulls(key).sort(key, maintain_order=True)
    same(left.merge_sorted(right, key=key, maintain_order=True), close=key == "x")


def test_frames_out_of_order_are_merged_by_polars() -> None:
    left, right = pl.LazyFrame({"i": [3, 1, None]}), pl.LazyFrame({"i": [2, 4]})
    query = left.merge_sorted(right, key="i", maintain_order=True)
    assert_same(query.collect(engine=LENIENT), query.collect())


@pytest.mark.parametrize("frame", ["plain", "many"])
def test_files_with_values_in_their_paths(frame: str, tmp_path: Path) -> None:
    FRAMES[frame].filter(c.k.is_not_null()).select("k", "i", "s", "x", "b").lazy().sink_parquet(pl.PartitionBy(tmp_path, key="k"), mkdir=True)
    lazy = pl.scan_parquet(tmp_path, hive_partitioning=True)
    same(lazy)
    same(lazy.filter(c.k == 1))
    same(lazy.filter(c.k + c.i > 1).select("s", "k"))
    same(lazy.with_row_index("at").filter(c.at > 2).select("at", "k", "i"))
    same(lazy.head(5).select("k", "i"))
    same(lazy.group_by("k", maintain_order=True).agg(pl.len(), c.i.max()).sort("k"))
    same(pl.scan_parquet(tmp_path / "**/*.parquet", hive_partitioning=False, include_file_paths="path"))
    same(pl.scan_parquet(tmp_path, include_file_paths="path").select("path", "k", "s"))


def test_values_in_lists_of_their_rows() -> None:
    lazy = FRAMES["plain"].lazy().with_columns(l=pl.when(c.j != 0).then(pl.concat_list("i", "j", "k")), texts=pl.concat_list("s", "r"), floats=pl.concat_list("x", "y")).collect().lazy()
    same(lazy.select(a=c.k.is_in(c.l), b=c.s.is_in(c.texts), c=c.x.is_in(c.floats)))


@pytest.mark.parametrize("frame", FRAMES)
def test_subqueries_of_one_value(frame: str) -> None:
    # Frames of one row are repeated beside others; beside none Polars decides.
    query = pl.SQLContext(f=FRAMES[frame].lazy()).execute("select k, i, (select max(j) from f) as m from f", eager=False)
    if frame == "empty":
        assert_same(query.collect(engine=LENIENT), query.collect())
    else:
        same(query)

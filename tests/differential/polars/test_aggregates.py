"""Aggregates over frames, groups and partitions; running results, shifts and ranks."""

from __future__ import annotations

import polars as pl
import pytest
from compare import same
from frames import FRAMES

c = pl.col

#: Exact, whatever the frame.
EXACT: dict[str, pl.Expr] = {
    "sum of integers": c.i.sum(),
    "sum of narrow integers": c.n.sum(),
    "sum of unsigned integers": c.u.sum(),
    "sum of booleans": c.b.sum(),
    "sum of decimals": c.m.sum(),
    "sum of durations": c.e.sum(),
    "min of integers": c.i.min(),
    "max of integers": c.i.max(),
    "max of texts": c.s.max(),
    "min of texts": c.s.min(),
    "min of dates": c.d.min(),
    "max of timestamps": c.t.max(),
    "max of durations": c.e.max(),
    "max of booleans": c.b.max(),
    "min of booleans": c.b.min(),
    "min of decimals": c.m.min(),
    "length": pl.len(),
    "count": c.x.count(),
    "count of texts": c.s.count(),
    "column length": c.x.len(),
    "null count": c.s.null_count(),
    "distinct integers": c.i.n_unique(),
    "distinct floats": c.x.n_unique(),
    "distinct texts": c.s.n_unique(),
    "distinct booleans": c.b.n_unique(),
    "distinct dates": c.d.n_unique(),
    "any": c.b.any(),
    "all": c.b.all(),
    "any with nulls": c.b.any(ignore_nulls=False),
    "all with nulls": c.b.all(ignore_nulls=False),
    "first": c.s.first(),
    "first of a sum": (c.i + c.j).first(),
    "last of a condition": pl.when(c.b).then(c.s).otherwise(c.r).last(),
    "sum of the head": c.i.head(2).sum(),
    "max of the tail": c.s.tail(2).max(),
    "length of a slice": c.i.slice(1, 2).len(),
    "position of the greatest": c.i.arg_max(),
    "position of the least": c.i.arg_min(),
    "has nulls": c.i.is_null().any(),
    "has values": c.i.is_not_null().any(),
    "last": c.x.last(),
    "product of integers": c.n.product(),
    "filtered sum": c.i.filter(c.b).sum(),
    "filtered count": c.x.filter(c.i > 0).count(),
    "filtered length": c.x.filter(c.b).len(),
    "filtered max": c.s.filter(c.c).max(),
    "filtered distinct": c.s.filter(c.b).n_unique(),
    "distinct without nulls": c.s.drop_nulls().n_unique(),
    "sum of a comparison": (c.i > 0).sum(),
    "sum of a condition": pl.when(c.b).then(1).otherwise(0).sum(),
    "sum over sums": c.i.sum() + c.n.sum(),
    "difference of extremes": c.d.max() == c.d.min(),
    "literal": pl.lit(3),
    "sum plus literal": c.i.sum() + 1,
}
#: Zeros of both signs are equal, so that which of them is least is not told.
CLOSE: dict[str, pl.Expr] = {
    "min of floats": c.x.min(),
    "max of floats": c.x.max(),
    "max of narrow floats": c.w.max(),
    "sum of floats": c.y.sum(),
    "sum of narrow floats": c.w.sum(),
    "mean of integers": c.j.mean(),
    "mean of narrow integers": c.n.mean(),
    "mean of floats": c.x.mean(),
    "mean of booleans": c.b.mean(),
    "median of integers": c.j.median(),
    "median of floats": c.x.median(),
    "median of narrow integers": c.n.median(),
    "quantile": c.x.quantile(0.3),
    "quantile of integers": c.j.quantile(0.5),
    "lower quantile": c.x.quantile(0.6, "lower"),
    "higher quantile": c.x.quantile(0.6, "higher"),
    "midpoint quantile": c.y.quantile(0.25, "midpoint"),
    "linear quantile": c.y.quantile(0.9, "linear"),
    "variance": c.y.var(),
    "standard deviation": c.j.std(),
    "variance without correction": c.n.var(ddof=0),
    "mean of a product": (c.x * c.y).mean(),
    "sum of distances": (c.j - c.j.mean()).abs().sum(),
    "share": c.j.sum() / c.n.sum(),
}
ALL = {**EXACT, **CLOSE}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", ALL)
def test_aggregates_of_a_frame(name: str, frame: str) -> None:
    same(FRAMES[frame].lazy().select(result=ALL[name]), close=name in CLOSE)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", ALL)
def test_aggregates_of_groups(name: str, frame: str) -> None:
    same(FRAMES[frame].lazy().group_by("k", maintain_order=True).agg(result=ALL[name]), close=name in CLOSE)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", [name for name in ALL if not name.startswith(("filtered", "distinct without nulls", "sum of the head", "max of the tail", "length of a slice", "literal"))])
def test_aggregates_of_partitions(name: str, frame: str) -> None:
    same(FRAMES[frame].lazy().select("k", result=ALL[name].over("k")), close=name in CLOSE)


@pytest.mark.parametrize("frame", FRAMES)
def test_groups_by_several_keys(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.group_by("k", "b", maintain_order=True).agg(c.i.sum(), pl.len()))
    # Zeros of both signs are one key; which of them stands for it is not told.
    same(lazy.group_by("x", maintain_order=True).agg(pl.len()), close=True)
    same(lazy.group_by("s", c.d.dt.year(), maintain_order=True).agg(c.i.max()))
    same(lazy.group_by(odd=c.i % 2, maintain_order=True).agg(c.i.max(), both=c.i.max() == c.i.min()))
    same(lazy.group_by("k").agg(c.i.sum(), c.s.max()), ordered=False)
    same(lazy.group_by("k", maintain_order=True).agg(c.i.sum()).head(2))
    same(lazy.group_by("k", maintain_order=True).agg(c.i))
    same(lazy.group_by("k", maintain_order=True).agg())


@pytest.mark.parametrize("frame", FRAMES)
def test_single_values_beside_columns(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.select("i", total=c.j.sum(), one=pl.lit(1)))
    same(lazy.with_columns(share=c.j / c.j.sum(), most=c.s.max()), close=FRAMES[frame].height == 1)
    same(lazy.filter(c.j > c.j.mean()))
    same(lazy.select(c.i.sum(), c.s.first(), n=pl.len()))
    same(lazy.select(pl.lit(1), b=pl.lit("x")))


SEQUENCES: dict[str, pl.Expr] = {
    "running sum": c.i.cum_sum(),
    "running sum of narrow integers": c.n.cum_sum(),
    "running sum of unsigned integers": c.u.cum_sum(),
    "running sum backward": c.j.cum_sum(reverse=True),
    "running max": c.i.cum_max(),
    "running min backward": c.j.cum_min(reverse=True),
    "running count": c.x.cum_count(),
    "running count backward": c.s.cum_count(reverse=True),
    "shift": c.s.shift(1),
    "shift backward": c.x.shift(-2),
    "shift far": c.i.shift(1000),
    "shift and fill": c.i.shift(1, fill_value=0),
    "difference": c.i.diff(),
    "difference of floats": c.x.diff(2),
    "reverse": c.s.reverse(),
    "reverse of a sum": (c.i + c.j).reverse(),
    "fill forward": c.i.fill_null(strategy="forward"),
    "fill backward": c.s.fill_null(strategy="backward"),
    "fill forward once": c.x.fill_null(strategy="forward", limit=1),
    "average rank": c.i.rank(),
    "least rank": c.x.rank("min"),
    "greatest rank": c.s.rank("max"),
    "dense rank": c.j.rank("dense"),
    "ordinal rank": c.j.rank("ordinal"),
    "dense rank, descending": c.x.rank("dense", descending=True),
    "ordinal rank, descending": c.j.rank("ordinal", descending=True),
    "is duplicated": c.j.is_duplicated(),
    "is unique": c.x.is_unique(),
    "is first distinct": c.s.is_first_distinct(),
    "is last distinct": c.k.is_last_distinct(),
    "shift of a sum": (c.i + c.j).shift(1) - c.i,
    "running sum of distances": (c.j - c.j.min()).cum_sum(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", SEQUENCES)
def test_sequences(name: str, frame: str) -> None:
    same(FRAMES[frame].lazy().select("k", result=SEQUENCES[name]))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", SEQUENCES)
def test_sequences_of_partitions(name: str, frame: str) -> None:
    same(FRAMES[frame].lazy().with_columns(result=SEQUENCES[name].over("k")))


@pytest.mark.parametrize("frame", FRAMES)
def test_partitions_in_an_order(frame: str) -> None:
    lazy = FRAMES[frame].lazy().with_row_index("at")
    same(lazy.with_columns(result=c.i.cum_sum().over("k", order_by="at", descending=True)))
    same(lazy.with_columns(result=c.s.first().over("k", order_by="at", descending=True)))
    same(lazy.with_columns(result=c.i.sum().over("k", "b")))
    same(lazy.with_columns(result=(c.i - c.i.min()).over("k")))
    same(lazy.with_columns(result=c.i.cum_sum().max().over("k")))
    same(lazy.group_by("k", maintain_order=True).agg(c.i.cum_sum().max(), (c.j - c.j.shift(1)).max()))

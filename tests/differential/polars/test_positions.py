"""Rows by positions that are computed, one value that is kept or not, positions in sorted columns, slices of arrays, and results without columns."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import polars as pl
import pytest
from compare import LENIENT, STRICT, assert_same, same, same_or_left
from polars.exceptions import PanicException

c = pl.col

LAZY = pl.LazyFrame(
    {
        "g": [1, 1, 2, 2, 2, 3],
        "a": [1, 4, 5, 9, 12, 13],
        "x": [1.0, 2.0, None, 4.0, 4.0, 7.5],
        "k": [3, -5, 1, 2, 0, None],
        "b": [True, False, None, None, None, None],
        "m": [Decimal("1.5"), Decimal("-2"), None, None, Decimal("7"), None],
        "d": [date(2020, 1, day) for day in (1, 2, 3, 5, 8, 9)],
    }
)
OFFSETS = {"least": c.k.min(), "greatest": c.k.max(), "one": pl.lit(1), "from the end": pl.lit(-2), "length": c.k.len() - 4, "zero": pl.lit(0), "far": pl.lit(2**62)}
LENGTHS = {"greatest": c.k.max(), "two": pl.lit(2), "length": c.k.len() - 5, "none": pl.lit(0), "all": pl.lit(2**62)}


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("offset", OFFSETS)
def test_slices_by_what_is_computed(offset: str, length: str) -> None:
    cut = (OFFSETS[offset], LENGTHS[length])
    for value in (c.a, pl.lit(7), c.a.max()):
        for query in (LAZY, LAZY.head(0), LAZY.head(1)):
            same_or_left(query.select(value.slice(*cut)))
            same_or_left(query.select(value.slice(*cut).sum()))
            same_or_left(query.group_by("g", maintain_order=True).agg(x=value.slice(*cut)))
            same_or_left(query.group_by("g", maintain_order=True).agg(x=value.slice(*cut).sum()))
    if offset != "least":
        same(LAZY.select(c.a.slice(*cut)))
        same(LAZY.select(c.a.max().slice(*cut)))


@pytest.mark.parametrize("aggregate", ["sum", "len", "first", "last", "count", "min", "max", "mean", "n_unique", "implode", "null_count"])
def test_one_value_is_kept_or_not(aggregate: str) -> None:
    for value in (pl.lit(1), c.k.max(), c.x.first()):
        for kept in (pl.lit(True), pl.lit(False), c.k.max() > 2, c.b.first(), c.b.last()):
            for lazy in (LAZY, LAZY.head(0)):
                same_or_left(lazy.select(getattr(value.filter(kept), aggregate)()))
                same_or_left(lazy.group_by("g", maintain_order=True).agg(x=getattr(value.filter(kept), aggregate)()))
    same(LAZY.select(pl.lit(1).filter(c.k.max() > 2)))
    same(LAZY.select(pl.lit(1).filter(c.k.max() > 20)))
    # Beside others, and as a number of rows, it is refused, and Polars decides how long it is.
    nothing = pl.lit(1).filter(pl.lit(False))
    for query in (LAZY.select(c.a.head(nothing)), LAZY.select(c.a.slice(nothing, 2)), LAZY.select(pl.lit(1).filter(pl.lit(False)) + 1), LAZY.with_columns(z=pl.lit(1).filter(pl.lit(True))), LAZY.select(c.a.max(), z=pl.lit(1).filter(pl.lit(True)))):
        same_or_left(query)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("side", ["any", "left", "right"])
def test_positions_in_sorted_columns(side: str, descending: bool) -> None:
    lazy = LAZY.select("a", "k", "d").sort("a", descending=descending)
    options = {"side": side, "descending": descending}
    for wanted in (0, 1, 5, 6, 13, 14):
        same(lazy.select(c.a.search_sorted(wanted, **options)))
        same(lazy.select(c.a.cast(pl.Float64).search_sorted(wanted - 0.5, **options)))
        same(lazy.head(0).select(c.a.search_sorted(wanted, **options)))
        twice = pl.concat([lazy, lazy]).sort("a", descending=descending)
        same_or_left(twice.select(c.a.search_sorted(wanted, **options)))
    same(lazy.select(c.a.search_sorted(c.a + 1, **options)))
    same(lazy.select(c.d.sort(descending=descending).search_sorted(date(2020, 1, 4), **options)))
    for query in (lazy.select(c.a.search_sorted(c.k, **options)), LAZY.select(c.k.search_sorted(1, **options)), lazy.select(c.a.search_sorted(pl.lit(None, dtype=pl.Int64), **options))):
        assert_same(query.collect(engine=LENIENT), query.collect())


@pytest.mark.parametrize("as_array", [False, True])
def test_slices_of_arrays(as_array: bool) -> None:
    lazy = pl.LazyFrame({"l": [[1, 2, 3], [4, None, 6]]}, schema={"l": pl.Array(pl.Int64, 3)})
    for offset, length in ((0, 2), (1, None), (-2, 1), (-5, 3), (5, 1), (0, 0), (-2, None), (1, 2**63 - 1)):
        try:
            same_or_left(lazy.select(c.l.arr.slice(offset, length, as_array=as_array)))
        except PanicException:
            # Polars itself breaks on some of them.
            continue
    same(lazy.select(c.l.arr.to_list().list.slice(1, 2**63 - 1), y=c.l.arr.to_list().list.slice(-2, 2**63 - 1)))


@pytest.mark.parametrize("by", ["b", "m", "d", "a"])
def test_values_by_the_least_and_the_greatest(by: str) -> None:
    for lazy in (LAZY, LAZY.head(0), LAZY.tail(1)):
        same(lazy.select(c.a.min_by(by), x=c.a.max_by(by)))


def test_results_without_columns_have_rows() -> None:
    for query in (pl.LazyFrame(), LAZY.drop(pl.all()), LAZY.select([]), LAZY.filter(c.a > 4).drop(pl.all()), LAZY.sort("a").head(2).drop(pl.all()), LAZY.head(0).drop(pl.all())):
        assert query.collect(engine=STRICT).shape == query.collect().shape


@pytest.mark.parametrize("rows", ["all", "none", "null"])
def test_structs_without_fields_inside_others(rows: str) -> None:
    empty = pl.Struct({})
    lazy = pl.LazyFrame(
        {
            "k": [1, 1, 2, 3],
            "a": pl.Series([[{}, None], [], None, [{}]], dtype=pl.List(empty)),
            "s": pl.Series([{"x": 1, "e": {}}, {"x": 2, "e": None}, None, {"x": None, "e": {}}], dtype=pl.Struct({"x": pl.Int64, "e": empty})),
        }
    )
    lazy = {"all": lazy, "none": lazy.head(0), "null": lazy.filter(c.k == 2)}[rows]
    for query in (lazy, lazy.filter(c.k > 1), lazy.sort("k", descending=True), pl.concat([lazy, lazy]), lazy.group_by("k", maintain_order=True).agg(c.a, n=c.a.first().list.len())):
        same(query)
    same(lazy.select(c.a.list.len(), null=c.s.is_null(), x=c.s.struct.field("x"), first=c.a.list.get(0, null_on_oob=True), e=c.s.struct.field("e"), before=c.a.shift(1)))


def test_all_elements_of_arrays_but_some() -> None:
    lazy = pl.LazyFrame({"b": [[1, 2, 3, 4], [5, None, 7, 8]]}, schema={"b": pl.Array(pl.Int64, 4)})
    for count in (-1, -2, -3, 2, 10):
        same(lazy.select(c.b.arr.head(count, as_array=True), last=c.b.arr.tail(count, as_array=True)))


def test_parts_of_seconds_by_sql() -> None:
    lazy = pl.LazyFrame({"d": [datetime(2020, 1, 1, 2, 3, 4, 567), datetime(1960, 1, 1, 0, 0, 0, 1), None]})
    same(pl.SQLContext(f=lazy).execute("select extract(millisecond from d) as a, extract(second from d) as b, extract(epoch from d) as e from f"))

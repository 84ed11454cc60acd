"""Families of expressions beside arithmetic: replaced values, moments, bits, chosen rows, neighbours, ranges; over all the awkward frames, in `select`, `group_by` and `over`."""

from __future__ import annotations

from datetime import date
from typing import Any

import polars as pl
import pytest
from compare import LENIENT, STRICT, assert_same, same, same_or_left
from frames import FRAMES, NAN

c = pl.col

ROWWISE: dict[str, pl.Expr] = {
    "replace integers": c.j.replace({2: 20, 7: None, -2: 0}),
    "replace strictly, with another default": c.k.replace_strict({1: 10, 2: 20}, default=0),
    "replace null": c.j.replace([None, 2], [1, 2]),
    "replace by one": c.j.replace([1, 2, 3], 9),
    "replace texts": c.s.replace({"ab": "z", "żółć": ""}),
    "replace strictly, with a default": c.j.replace_strict({2: "two", 7: None}, default=pl.lit("other")),
    "replace strictly, with a column": c.s.replace_strict({"ab": 1, "": 2}, default=c.i),
    "replace strictly, in another dtype": c.b.replace_strict({True: 1.5, False: None, None: 0.0}),
    "replace dates": c.d.replace({date(2020, 2, 29): date(2021, 1, 1)}),
    "leading zeros": c.i.bitwise_leading_zeros(),
    "leading ones": c.n.bitwise_leading_ones(),
    "trailing zeros": c.n.bitwise_trailing_zeros(),
    "trailing ones": c.u.bitwise_trailing_ones(),
    "reinterpreted": c.i.reinterpret(signed=False),
    "integer powers": c.n.pow(c.j.abs()),
    "cubes": c.i.pow(3),
    "angle of two": pl.arctan2("y", "x"),
    "cotangent": c.y.cot(),
    "cut": c.y.bin_intervals([-1.0, 0.0, 2.0], labels=["low", "down", "up", "high"]),
    "cut, closed on the right": c.x.bin_intervals([-1.0, 0.0, 2.0], labels=["low", "down", "up", "high"], right_closed=True),
    "cut integers": c.j.bin_intervals([0, 2], labels=["low", "mid", "high"]),
    "sign of a float": c.x.sign(),
    "between two columns": c.x.clip(c.y, c.y + 1),
    "integers between two columns": c.i.clip(c.j, c.n.cast(pl.Int64)),
    "at least a column": c.x.clip(lower_bound=c.y),
    "rounded down to twos": c.x // 2.0,
    "what is left of halves": c.y % 0.5,
    "signed and unsigned equal": c.i == c.u.cast(pl.UInt64),
    "signed below unsigned": c.j < c.u.cast(pl.UInt64),
    "integers as dates": c.j.cast(pl.Date),
    "nearest hour": c.t.dt.round("1h"),
    "nearest quarter of an hour": c.t.dt.round("15m"),
    "nearest day": c.t.dt.round("1d"),
    "hours with a fraction": c.e.dt.total_hours(fractional=True),
    "days with a fraction": c.e.dt.total_days(fractional=True),
    "cut by columns": c.s.str.slice(c.j, c.n.abs()),
    "cut from a column on": c.s.str.slice(c.j),
    "stripped by a column": c.s.str.strip_chars(c.r),
    "stripped at the start by a column": c.s.str.strip_chars_start(c.r),
    "split into two": c.s.str.split_exact("a", 1),
    "split at most once": c.s.str.splitn("a", 2),
    "formatted": pl.format("<{}|{}ł{}>", c.s, c.j, c.r),
    "list of a range": pl.int_ranges(0, c.j),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", ROWWISE)
def test_functions_of_a_row(name: str, frame: str) -> None:
    same(FRAMES[frame].lazy().select("k", result=ROWWISE[name]), close=name in ("angle of two", "cotangent"))


AGGREGATES: dict[str, pl.Expr] = {
    "skewness": c.y.skew(),
    "skewness of integers": c.j.skew(),
    "kurtosis": c.y.kurtosis(),
    "kurtosis by Pearson": c.y.kurtosis(fisher=False),
    "correlation": pl.corr("j", "n"),
    "covariance": pl.cov("j", "n"),
    "covariance of all": pl.cov("j", "n", ddof=0),
    "entropy": c.y.abs().entropy(),
    "common bits": c.i.bitwise_and(),
    "all bits": c.n.bitwise_or(),
    "odd bits": c.u.bitwise_xor(),
    "text of the greatest": c.s.max_by("i"),
    "text of the least": c.s.min_by("d"),
    "at the greatest": c.s.get(c.i.arg_max()),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", AGGREGATES)
def test_aggregates(name: str, frame: str) -> None:
    lazy, result = FRAMES[frame].lazy(), AGGREGATES[name]
    for query in (lazy.select(result=result), lazy.group_by("k", maintain_order=True).agg(result=result), lazy.select("k", result=result.over("k"))):
        if name in ("at the greatest", "text of the least", "text of the greatest", "correlation", "entropy"):
            # Where there is no such row, or several, Polars' answer is not the engine's to know.
            assert_same(query.collect(engine=LENIENT), query.collect(), close=True)
        else:
            same(query, close=True)


SEQUENCES: dict[str, pl.Expr] = {
    "running product": c.j.cum_prod(),
    "running product, reversed": c.n.cum_prod(reverse=True),
    "relative change": c.y.pct_change(),
    "relative change of integers": c.j.pct_change(2),
    "number of the run": c.k.rle_id(),
    "number of the run of texts": c.s.rle_id(),
    "between": c.y.interpolate(),
    "between integers": c.j.interpolate(),
    "filled with the least": c.x.fill_null(strategy="min"),
    "filled with the greatest": c.j.fill_null(strategy="max"),
    "filled with the mean": c.y.fill_null(strategy="mean"),
    "filled with zero": c.j.fill_null(strategy="zero"),
    "greatest float so far": c.x.cum_max(),
    "least float so far": c.y.cum_min(),
    "least float from here on": c.y.cum_min(reverse=True),
    "filled with one": c.x.fill_null(strategy="one"),
    "gathered": c.s.gather(pl.int_range(pl.len()).reverse()),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", SEQUENCES)
def test_sequences(name: str, frame: str) -> None:
    lazy, result = FRAMES[frame].lazy(), SEQUENCES[name]
    same(lazy.select("k", result=result), close=True)
    same(lazy.select("k", result=result.over("k")), close=True)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("position", [0, 1, -1, 7, -9])
def test_the_row_at_a_position(position: int, frame: str) -> None:
    # Whether a row outside is null or an error is not shown to engines: Polars decides.
    lazy = FRAMES[frame].lazy()
    for query in (lazy.select(c.s.get(position)), lazy.select(c.s.get(position, null_on_oob=True)), lazy.group_by("k", maintain_order=True).agg(c.x.get(position, null_on_oob=True))):
        same_or_left(query)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_intervals_with_names_of_their_ends(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.select(c.x.cut([-1.0, 0.0, 2.0])))
    same(lazy.select(c.j.cut([0.0, 2.0], left_closed=True)))


@pytest.mark.parametrize("frame", FRAMES)
def test_text_reversed(frame: str) -> None:
    # Characters that are shown as one stay together: where there may be such, Polars reverses.
    query = FRAMES[frame].lazy().select(c.s.str.reverse())
    assert_same(query.collect(engine=LENIENT), query.collect())
    same(pl.LazyFrame({"s": ["ab", "", None, "a.b"]}).select(c.s.str.reverse()))


COUNTED: dict[str, pl.Expr] = {
    "counts of values": c.k.value_counts(),
    "counts of texts": c.s.value_counts(name="n"),
    "counts": c.s.unique_counts(),
    "most frequent": c.k.mode(),
    "most frequent text": c.s.mode(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", COUNTED)
def test_frequencies(name: str, frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    query = lazy.select(result=COUNTED[name])
    same(query.unnest("result") if "values" in name or "texts" in name else query, ordered=False)
    same(lazy.group_by("b", maintain_order=True).agg(result=COUNTED[name].len()))


LISTS: dict[str, pl.Expr] = {
    "deviation": c.l.list.std(),
    "variance of all": c.l.list.var(ddof=0),
    "median": c.l.list.median(),
    "shifted": c.l.list.shift(1),
    "shifted back": c.l.list.shift(-2),
    "differences": c.l.list.diff(),
    "every second": c.l.list.gather_every(2),
    "every second from the second": c.l.list.gather_every(2, 1),
    "union": c.l.list.set_union(c.m),
    "equal": c.l == c.m,
    "not equal": c.l != c.m,
    "equal or null": c.l.eq_missing(c.m),
    "lists of floats equal": c.f == c.g,
    "structs equal": c.p == c.q,
    "structs differ": c.p.ne_missing(c.q),
    "doubled": c.l * 2,
    "more by a column": c.l + c.j,
    "less by a float": c.f - 0.5,
}


#: What Polars gets wrong of all nulls, and the engine's answer: of differences it makes another dtype than its schema says, of equal structs it panics.
MISTAKEN: dict[str, pl.Series] = {
    "differences": pl.Series("result", [None] * 3, dtype=pl.List(pl.Int64)),
    "structs equal": pl.Series("result", [None] * 3, dtype=pl.Boolean),
}


def lists_of(frame: str) -> pl.LazyFrame:
    """Lists and structs of the columns of a frame, in memory."""
    lists = FRAMES[frame].lazy().select(
        "j",
        l=pl.when(c.j != 0).then(pl.concat_list("i", "j", "k", "j")),
        m=pl.concat_list("j", "k").shift(1),
        f=pl.concat_list("x", "y"),
        g=pl.concat_list("x", "y").shift(1),
        p=pl.struct("x", "s"),
        q=pl.when(c.j != 7).then(pl.struct(x=c.y, s=c.s)),
    )
    return lists.collect().lazy()


@pytest.mark.parametrize(("name", "frame"), [(name, frame) for name in LISTS for frame in FRAMES if frame != "nulls" or name not in MISTAKEN])
def test_elements_of_lists(name: str, frame: str) -> None:
    same(lists_of(frame).select(result=LISTS[name]), close=name in ("deviation", "variance of all"))


@pytest.mark.parametrize("name", MISTAKEN)
def test_what_polars_gets_wrong_of_nulls(name: str) -> None:
    query = lists_of("nulls").select(result=LISTS[name])
    found, expected = query.collect(engine=STRICT), MISTAKEN[name].to_frame()
    assert found.schema == query.collect_schema()
    assert_same(found, expected)


@pytest.mark.parametrize("rows", [[0.0, -0.0], [float("nan"), float("nan")], [None, 0.0]])
def test_floats_in_equal_lists(rows: list[float]) -> None:
    one, other = rows
    same(pl.LazyFrame({"a": [[one], [1.0]], "b": [[other], [2.0]]}, schema={"a": pl.List(pl.Float64), "b": pl.List(pl.Float64)}).select(e=c.a == c.b))


def test_what_is_not_mapped_is_an_error_of_polars() -> None:
    query = FRAMES["plain"].lazy().select(c.j.replace_strict({2: 1}))
    with pytest.raises(pl.exceptions.InvalidOperationError):
        query.collect(engine=LENIENT)
    same(pl.LazyFrame({"j": [1, 2, 1]}).select(c.j.replace_strict({1: "a", 2: None})))


RANGES: dict[str, pl.Expr] = {
    "integers": pl.int_range(2, 11, 3),
    "integers downward": pl.int_range(5, -3, -2, dtype=pl.Int16),
    "no integers": pl.int_range(5, 5),
    "repeated": pl.repeat(7, 4, dtype=pl.Int8),
    "repeated text": pl.repeat("ł", 3),
    "repeated null": pl.repeat(None, 3, dtype=pl.Float64),
    "never repeated": pl.repeat(1.5, 0),
    "in equal steps": pl.linear_space(0, 1, 7),
    "in equal steps downward": pl.linear_space(5.0, -5.0, 4),
}


@pytest.mark.parametrize("name", RANGES)
def test_ranges(name: str) -> None:
    same(pl.LazyFrame().select(result=RANGES[name]))
    same(pl.LazyFrame().select(result=RANGES[name], more=pl.lit(1)))
    same(pl.LazyFrame().select(result=RANGES[name].shift(1)))


@pytest.mark.parametrize("value", [1.0042855193121334, 0.1, 0.0, 3.0, 1e300, NAN])
@pytest.mark.parametrize("count", [1, 2, 7, 11])
def test_moments_of_equal_values(value: float, count: int) -> None:
    lazy = pl.LazyFrame({"k": [at % 2 for at in range(count)], "a": [value] * count})
    same(lazy.select(skew=c.a.skew(), kurtosis=c.a.kurtosis()))
    same(lazy.group_by("k", maintain_order=True).agg(skew=c.a.skew(), kurtosis=c.a.kurtosis()))


@pytest.mark.parametrize("extreme", [pl.min_horizontal, pl.max_horizontal])
def test_zeros_of_both_signs_across_columns(extreme: Any) -> None:
    some = [-0.0, 0.0, NAN, None, 1.0]
    rows = [(a, b, d) for a in some for b in some for d in some]
    lazy = pl.LazyFrame(rows, schema=dict.fromkeys("abd", pl.Float64), orient="row")
    same(lazy.select(two=extreme("a", "b"), three=extreme("a", "b", "d"), one=extreme("a", pl.lit(0.0)), other=extreme(pl.lit(-0.0), "a")))


@pytest.mark.parametrize("frame", FRAMES)
def test_shares_of_values(frame: str) -> None:
    # In which order they come Polars leaves open.
    same(FRAMES[frame].lazy().select(c.s.value_counts(normalize=True)).unnest("s").sort("s"))


@pytest.mark.parametrize("frame", FRAMES)
def test_series_of_one_value(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    for one in ([{"a": 1, "b": "x"}], [None]):
        given = pl.Series(one, dtype=pl.Struct({"a": pl.Int64, "b": pl.String}))
        same(lazy.select("k", v=pl.when(c.b).then(pl.lit(given)).otherwise(pl.struct(a="i", b="s"))))
    same(lazy.select("k", v=pl.lit(pl.Series([[1, 2]], dtype=pl.Array(pl.Int64, 2)))))

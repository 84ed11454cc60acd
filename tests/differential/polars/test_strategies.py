"""Every table of expressions, and the nodes, over frames that Polars' own strategies for Hypothesis make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import frames
import polars as pl
import pytest
import test_aggregates
import test_expressions
import test_families
import test_functions
from compare import LENIENT, assert_same
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.exceptions import PanicException
from polars.testing.parametric import column, dataframes

from airloom.polars import translate

c = pl.col

#: How many frames are tried with each expression; drawn the same in every run.
TRIED = settings(max_examples=6, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
MORE = settings(TRIED, max_examples=40)

#: Of floats sums in another order must be close: these are eighths, whose sums are exact.
EIGHTHS = st.integers(-(2**20), 2**20).map(lambda number: number / 8)
#: Sums of integers wrap in their own way wherever they are large; means and variances of large ones have no digits to compare.
SMALL = st.integers(-100, 100)

Expressions = dict[str, pl.Expr | Callable[[], pl.Expr]]
EXACT: Expressions = {
    **{f"expressions: {name}": one for name, one in test_expressions.EXPRESSIONS.items()},
    **{f"functions: {name}": one for name, one in test_functions.FUNCTIONS.items()},
    **{f"rowwise: {name}": one for name, one in test_families.ROWWISE.items()},
}
#: Which of several equal values in several chunks comes first depends on which of Polars' engines is asked.
UNDECIDED = ("position of the least", "position of the greatest")
AGGREGATES: dict[str, pl.Expr] = {**{f"aggregates: {name}": one for name, one in test_aggregates.ALL.items() if name not in UNDECIDED}, **{f"families: {name}": one for name, one in test_families.AGGREGATES.items()}}
SEQUENCES: dict[str, pl.Expr] = {**{f"aggregates: {name}": one for name, one in test_aggregates.SEQUENCES.items()}, **{f"families: {name}": one for name, one in test_families.SEQUENCES.items()}}


def made(one: pl.Expr | Callable[[], pl.Expr]) -> pl.Expr:
    """An expression, which may be made where it is used."""
    return one if isinstance(one, pl.Expr) else one()


def frame_strategy(names: list[str], *, plain: bool = False, **given: Any) -> st.SearchStrategy[pl.DataFrame]:
    """Frames with some of the columns of `frames.SCHEMA`, with nulls and in several chunks; `plain` numbers can be added up in any order."""
    columns = []
    for name in dict.fromkeys(["k", *names]):
        dtype = frames.SCHEMA[name]
        kind = EIGHTHS if dtype.is_float() else SMALL if dtype.is_signed_integer() else None
        columns.append(column(name, dtype=dtype, strategy=kind if plain else None, allow_null=True))
    return dataframes(columns, max_size=9, chunked=True, **given)


def compared(lazy: pl.LazyFrame, *, close: bool = False) -> None:
    """Compares what both make of a query that is translated; where some values are Polars' to judge, it has judged them on both sides."""
    try:
        expected = lazy.collect()
    except (pl.exceptions.PolarsError, PanicException) as error:
        with pytest.raises(type(error)):
            lazy.collect(engine=LENIENT)
        return
    assert translate(lazy).refusals == ()
    assert_same(lazy.collect(engine=LENIENT), expected, close=close)


def columns_of(one: pl.Expr) -> list[str]:
    """The columns that an expression reads."""
    return [name for name in dict.fromkeys(one.meta.root_names()) if name in frames.SCHEMA]


@pytest.mark.parametrize("name", EXACT)
def test_functions_of_one_row(name: str) -> None:
    one = made(EXACT[name])

    # Ranges up to any integer would be longer than memory.
    @TRIED
    @given(frame_strategy(columns_of(one), plain="range" in name))
    def tried(frame: pl.DataFrame) -> None:
        compared(frame.lazy().select("k", result=one))

    tried()


@pytest.mark.parametrize("name", AGGREGATES)
def test_aggregates(name: str) -> None:
    one = AGGREGATES[name]

    @TRIED
    @given(frame_strategy(columns_of(one), plain=True))
    def tried(frame: pl.DataFrame) -> None:
        compared(frame.lazy().select(result=one), close=True)
        compared(frame.lazy().group_by("k", maintain_order=True).agg(result=one), close=True)

    tried()


@pytest.mark.parametrize("name", SEQUENCES)
def test_sequences(name: str) -> None:
    one = SEQUENCES[name]

    @TRIED
    @given(frame_strategy(columns_of(one), plain=True))
    def tried(frame: pl.DataFrame) -> None:
        compared(frame.lazy().select("k", result=one), close=True)
        compared(frame.lazy().with_columns(result=one.over("k")), close=True)

    tried()


NODES: dict[str, Callable[[pl.LazyFrame], pl.LazyFrame]] = {
    "filter": lambda f: f.filter(c.b | (c.i > 0)),
    "sort": lambda f: f.sort("s", "i", descending=[True, False], nulls_last=True, maintain_order=True),
    "top": lambda f: f.sort("i", maintain_order=True).head(3),
    "slice": lambda f: f.slice(1, 4),
    "distinct": lambda f: f.unique(["k", "b"], keep="last", maintain_order=True),
    "distinct texts": lambda f: f.unique(["s"], keep="none", maintain_order=True),
    "groups": lambda f: f.group_by("b", "d", maintain_order=True).agg(pl.len(), c.s.max(), c.i),
    "windows": lambda f: f.with_columns(n=pl.len().over("b"), first=c.s.first().over("d")),
    "inner join": lambda f: f.join(f.select("k", other="s"), on="k", maintain_order="left_right"),
    "left join": lambda f: f.join(f.filter(c.b).select("s", other="i"), on="s", how="left", maintain_order="left_right"),
    "outer join": lambda f: f.join(f.filter(c.b).select("d", other="i"), on="d", how="full", coalesce=True, nulls_equal=True, maintain_order="left_right"),
    "semi join": lambda f: f.join(f.filter(c.b), on=["k", "s"], how="semi", maintain_order="left"),
    "anti join": lambda f: f.join(f.filter(c.b), on="x", how="anti", maintain_order="left"),
    "cross join": lambda f: f.head(3).join(f.select(other="s").head(3), how="cross", maintain_order="left_right"),
    "as-of join": lambda f: f.filter(c.i.is_not_null()).sort("i").join_asof(f.filter(c.i.is_not_null()).sort("i").select("i", other="s"), on="i"),
    "concat": lambda f: pl.concat([f, f.filter(c.b)]),
    "frames side by side": lambda f: pl.concat([f, f.select(other="i")], how="horizontal"),
    "row index": lambda f: f.with_row_index("at", offset=3),
    # Polars promises no order of its rows.
    "unpivot": lambda f: f.with_row_index("at").unpivot(["i", "k"], index="at").sort("variable", "at"),
    "explode": lambda f: f.group_by("b", maintain_order=True).agg(c.s).explode("s", empty_as_null=True),
    "unnest": lambda f: f.select("b", both=pl.struct("i", "s")).unnest("both"),
    "rolling": lambda f: f.with_row_index("at").with_columns(c.at.cast(pl.Int64)).rolling("at", period="3i").agg(c.s.last(), c.i.count()),
    "dynamic": lambda f: f.with_row_index("at").with_columns(c.at.cast(pl.Int64)).group_by_dynamic("at", every="2i").agg(c.s.last(), c.i.count()),
}


@pytest.mark.parametrize("name", NODES)
def test_nodes(name: str) -> None:
    @MORE
    @given(frame_strategy(["i", "x", "s", "b", "d"]))
    def tried(frame: pl.DataFrame) -> None:
        compared(NODES[name](frame.lazy()))

    tried()


DTYPES: list[Any] = [*(pl.Int8, pl.UInt64, pl.Int128, pl.Float32, pl.Boolean, pl.String, pl.Binary, pl.Date, pl.Time, pl.Datetime("ns"), pl.Duration("ms"), pl.Decimal(20, 3), pl.Null)]
DTYPES += [pl.Enum(["b", "a"]), pl.Categorical, pl.List(pl.Int32), pl.List(pl.List(pl.String)), pl.Array(pl.Float64, 2), pl.Struct({"a": pl.Int16, "b": pl.String}), pl.Datetime("us", "Europe/Warsaw")]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_columns_of_every_dtype_move(dtype: Any) -> None:
    @MORE
    @given(dataframes([column("a", dtype=dtype, allow_null=True), column("b", dtype=pl.Boolean, allow_null=True)], max_size=9, chunked=True))
    def tried(frame: pl.DataFrame) -> None:
        lazy = frame.lazy()
        compared(lazy.filter("b"))
        compared(lazy.with_columns(known=c.a.is_not_null()).slice(1, 5))
        compared(lazy.group_by("b", maintain_order=True).agg(first=c.a.first(), last=c.a.last(), all=c.a))
        compared(pl.concat([lazy, lazy.filter(~c.b)]))

    tried()

"""Categoricals and enums, made of text and turned to text inside a query, over all the awkward frames. Which codes a categorical has Polars knows: only its texts are compared."""

from __future__ import annotations

import polars as pl
import pytest
from compare import same
from frames import FRAMES

c = pl.col
OWN = pl.Categorical(pl.Categories("airloom-test", physical=pl.UInt16))
#: More categories than a program writes out.
MANY = pl.Enum([*(f"{number}" for number in range(300)), "ab", "", "żółć", "a.b", "Straße", "aab"])

EXPRESSIONS: dict[str, pl.Expr] = {
    "made of text": c.s.cast(pl.Categorical),
    "made of text, and text again": c.s.cast(pl.Categorical).cast(pl.String),
    "of a namespace of its own": c.s.cast(OWN),
    "of many": c.s.cast(MANY),
    "of many, not strict": c.r.cast(MANY, strict=False),
    "of many, and text again": c.s.cast(MANY).cast(pl.String),
    "text": c.kind.cast(pl.String),
    "equal to a text": c.kind == "ab",
    "equal to a text that no column has": c.kind == "never seen in a column",
    "equal to one that was just made": c.kind == c.r.cast(pl.Categorical),
    "not equal, with nulls": c.kind.ne_missing(c.r.cast(pl.Categorical)),
    "before a text": c.kind < "ab",
    "before another": c.kind <= c.r.cast(pl.Categorical),
    "between": c.kind.is_between(pl.lit("a", dtype=pl.Categorical), pl.lit("b", dtype=pl.Categorical)),
    "in texts": c.kind.is_in(["ab", "żółć", "never seen"]),
    "in texts and null": c.kind.is_in(["ab", None], nulls_equal=True),
    "literal": pl.lit("ab").cast(pl.Categorical),
    "null literal": pl.lit(None, dtype=pl.Categorical),
    "least": c.kind.min(),
    "greatest": c.kind.max(),
    "greatest of each": c.kind.max().over("k"),
    "sorted": c.kind.sort(),
    "sorted downward": c.kind.sort(descending=True, nulls_last=True),
    "by it": c.i.sort_by("kind", "i"),
    "positions": c.kind.arg_sort(),
    "filled": c.kind.fill_null("żółć"),
    "chosen": pl.when(c.b).then(c.kind).otherwise(c.r.cast(pl.Categorical)),
    "unique": c.kind.n_unique(),
    "as text, upper": c.kind.cast(pl.String).str.to_uppercase(),
}


def given(frame: str) -> pl.LazyFrame:
    return FRAMES[frame].with_columns(kind=c.s.cast(pl.Categorical)).lazy()


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions(name: str, frame: str) -> None:
    same(given(frame).select(v=EXPRESSIONS[name]))


@pytest.mark.parametrize("frame", FRAMES)
def test_nodes(frame: str) -> None:
    lazy = given(frame)
    made = lazy.with_columns(new=c.r.cast(pl.Categorical))
    same(made.filter(c.new == "a").select("new", "i"))
    same(made.sort("kind", "new", maintain_order=True).select("kind", "new", "j"))
    same(made.sort("new", descending=True, nulls_last=True, maintain_order=True).select("new"))
    same(made.group_by("new", maintain_order=True).agg(n=pl.len(), most=c.kind.max(), least=c.kind.min(), first=c.kind.first()))
    same(made.join(lazy.select(kind=c.s.cast(pl.Categorical), other=c.j).unique("kind", keep="first", maintain_order=True), left_on="new", right_on="kind", how="left", maintain_order="left_right").select("new", "other"))
    same(made.unique("new", keep="first", maintain_order=True).select("new"))


def test_strict_casts_to_an_enum_of_many_fail() -> None:
    same(pl.LazyFrame({"s": ["ab", "none of them"]}).select(c.s.cast(MANY)))

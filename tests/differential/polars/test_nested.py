"""Lists, arrays, structs, categories and columns of nothing, over all the awkward frames."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from compare import same
from frames import FRAMES

c = pl.col

NAMES = pl.Enum(["ab", "", "żółć", "a.b", "Straße", "aab"])


def nested(frame: str) -> pl.LazyFrame:
    """A frame with columns of nested dtypes besides; some of them are null where a number is zero or null."""
    plain = FRAMES[frame].lazy()
    return (
        plain.with_columns(
            l=pl.when(c.j != 0).then(pl.concat_list("i", "j", "k")),
            texts=pl.concat_list("s", "r"),
            flags=pl.concat_list("b", "c"),
            floats=pl.concat_list("x", "y"),
            pair=pl.when(c.j != 7).then(pl.concat_arr("i", "j")),
            row=pl.when(c.j != 0).then(pl.struct("i", "s", "x")),
            name=c.s.cast(NAMES),
            kind=c.s.cast(pl.Categorical),
            nothing=pl.lit(None),
        )
        .collect()
        .lazy()
    )


EXPRESSIONS: dict[str, pl.Expr] = {
    "list": c.l,
    "length": c.l.list.len(),
    "first element": c.l.list.get(0),
    "element from the end": c.l.list.get(-2),
    "element that is not there": c.l.list.get(5),
    "element or null": c.l.list.get(5, null_on_oob=True),
    "element by a column": c.l.list.get(c.j, null_on_oob=True),
    "contains": c.l.list.contains(2),
    "contains null": c.l.list.contains(None),
    "contains a column": c.l.list.contains(c.k),
    "contains, nulls not equal": c.l.list.contains(2, nulls_equal=False),
    "slice": c.l.list.slice(1, 1),
    "slice from the end": c.l.list.slice(-2),
    "slice from before the beginning": c.l.list.slice(-5, 3),
    "head": c.l.list.head(2),
    "tail": c.l.list.tail(2),
    "sort": c.l.list.sort(),
    "sort downward": c.l.list.sort(descending=True, nulls_last=True),
    "sort floats": c.floats.list.sort(),
    "drop nulls": c.l.list.drop_nulls(),
    "join": c.texts.list.join("-"),
    "join with nulls": c.texts.list.join("-", ignore_nulls=False),
    "concatenate lists": c.l.list.concat(c.l),
    "concatenate columns": pl.concat_list("i", "j"),
    "list and column": c.l.list.concat([c.i]),
    "sum": c.l.list.sum(),
    "least": c.l.list.min(),
    "greatest": c.l.list.max(),
    "mean": c.l.list.mean(),
    "position of the least": c.l.list.arg_min(),
    "position of the greatest": c.l.list.arg_max(),
    "sum of booleans": c.flags.list.sum(),
    "count a number": c.l.list.count_matches(2),
    "count nulls": c.l.list.count_matches(None),
    "count a text": c.texts.list.count_matches("ab"),
    "list is null": c.l.is_null(),
    "array": c.pair,
    "sum of an array": c.pair.arr.sum(),
    "element of an array": c.pair.arr.get(0),
    "greatest of an array": c.pair.arr.max(),
    "array to list": c.pair.arr.to_list(),
    "array contains": c.pair.arr.contains(2),
    "length of an array": c.pair.arr.len(),
    "struct": c.row,
    "field": c.row.struct.field("s"),
    "struct is null": c.row.is_null(),
    "struct of columns": pl.struct("i", "d", z=c.x + 1),
    "renamed fields": c.row.struct.rename_fields(["a", "b", "c"]),
    "struct by a condition": pl.when(c.b).then(c.row),
    "struct shifted": c.row.shift(1),
    "enum": c.name,
    "enum is null": c.name.is_null(),
    "enum equals text": c.name == "ab",
    "enum before text": c.name < "a.b",
    "enum equals enum": c.name == c.name.shift(1),
    "enum to text": c.name.cast(pl.String),
    "text to enum": c.s.cast(NAMES),
    "text to enum, not strict": c.r.cast(NAMES, strict=False),
    "enum among texts": c.name.is_in(["ab", "a.b"]),
    "codes": c.name.to_physical(),
    "enum in order": c.name.sort(),
    "rank of an enum": c.name.rank("dense"),
    "enum between": c.name.is_between(pl.lit("ab").cast(NAMES), pl.lit("a.b").cast(NAMES)),
    "in the order of an enum": c.i.sort_by("name", maintain_order=True),
    "position of an enum": c.name.index_of("ab"),
    "enum by a condition": pl.when(c.b).then(c.name).otherwise(pl.lit("ab").cast(NAMES)),
    "enum filled forward": c.name.fill_null(strategy="forward"),
    "enum and text": pl.concat_str(c.name, c.r),
    "array shifted": c.pair.shift(1),
    "nothing shifted": c.nothing.shift(1),
    "categorical": c.kind,
    "categorical shifted": c.kind.shift(1),
    "categorical equals categorical": c.kind == c.kind.shift(1),
    "categorical is duplicated": c.kind.is_duplicated(),
    "nothing": c.nothing,
    "nothing is null": c.nothing.is_null(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_nested_columns(name: str, frame: str) -> None:
    same(nested(frame).select("k", result=EXPRESSIONS[name]))


@pytest.mark.parametrize("frame", FRAMES)
def test_floats_in_lists(frame: str) -> None:
    lazy = nested(frame)
    same(lazy.select(a=c.floats.list.min(), b=c.floats.list.max(), s=c.floats.list.sum(), m=c.floats.list.mean()), close=True)


AGGREGATES: dict[str, pl.Expr] = {
    "first struct": c.row.first(),
    "last struct": c.row.last(),
    "structs": c.row,
    "struct of columns": pl.struct("i", "s").first(),
    "known structs": c.row.count(),
    "least enum": c.name.min(),
    "greatest enum": c.name.max(),
    "distinct enums": c.name.n_unique(),
    "distinct categoricals": c.kind.n_unique(),
    "first categorical": c.kind.first(),
    "count of nothing": c.nothing.count(),
    "first array": c.pair.first(),
    "last list": c.l.last(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", AGGREGATES)
def test_aggregates_of_nested_columns(name: str, frame: str) -> None:
    lazy = nested(frame)
    same(lazy.group_by("k", maintain_order=True).agg(result=AGGREGATES[name]))
    if name != "structs":
        same(lazy.select(result=AGGREGATES[name]))


@pytest.mark.parametrize("frame", FRAMES)
def test_rows_with_nested_columns(frame: str) -> None:
    lazy = nested(frame)
    same(lazy)
    same(lazy.unnest("row", separator="."))
    same(lazy.select("k", "row").unnest("row"))
    same(lazy.filter(c.row.struct.field("i") > 0).select("row", "pair", "kind"))
    same(lazy.select("k", "row", "l").sort("k", maintain_order=True))
    same(lazy.select("k", "row", "kind").join(FRAMES[frame].lazy().select("k", "n"), on="k", how="left", maintain_order="left_right"))
    same(lazy.group_by("name", maintain_order=True).agg(pl.len(), c.kind.first()))
    same(lazy.group_by("kind", maintain_order=True).agg(pl.len(), c.name.max()))
    same(lazy.select("name", "k").sort("name", maintain_order=True, descending=True))
    same(lazy.select("kind", "name").unique(maintain_order=True))
    same(lazy.select("kind", "k").join(lazy.select("kind", z="i").head(4), on="kind", how="left", maintain_order="left_right"))
    same(lazy.select("k", a=c.l.list.slice(0, 2), b=c.l.list.slice(1, 2)).explode("a", "b", empty_as_null=True))
    same(lazy.select("k", "pair").explode("pair"))
    same(pl.concat([lazy, lazy]))


KEYS = ["l", "row", "pair", "nothing", "texts", "floats"]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("key", KEYS)
def test_nested_keys(key: str, frame: str) -> None:
    lazy = nested(frame)
    same(lazy.group_by(key, maintain_order=True).agg(pl.len(), c.i.first()))
    same(lazy.select(key, "k").unique(subset=[key], keep="first", maintain_order=True))
    same(lazy.select(n=c(key).n_unique()))
    same(lazy.select("k", d=c(key).is_duplicated(), f=c(key).is_first_distinct()))
    same(lazy.group_by("k", maintain_order=True).agg(c(key).n_unique()))


@pytest.mark.parametrize("how", ["inner", "left", "semi", "anti"])
@pytest.mark.parametrize("key", KEYS)
def test_joins_by_nested_keys(key: str, how: Any) -> None:
    left, right = nested("plain").select(key, "k"), nested("many").select(key, "i").head(40)
    order: Any = "left" if how in ("semi", "anti") else "left_right"
    same(left.join(right, on=key, how=how, maintain_order=order))
    same(left.join(right, on=key, how=how, nulls_equal=True, maintain_order=order))

"""Shapes of work that breaks pipelines, each in the words of pandas, of SQL and of Polars: groups, joins, sorts, distinct rows, windows and quantiles, over few, many, skewed and clustered keys of several dtypes.

`t` is one table of `rows` rows, `d` one with a row for each text and each integer key. A shape returns few rows or one number where a large result would only measure how it is handed over; where the
result is the point (many groups, sorts, windows), it is whole.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

#: How many texts there are.
TEXTS = 200_000


class Shape(NamedTuple):
    """One question."""

    name: str
    pandas: Callable[[Any, Any], Any]
    sql: str
    polars: Callable[[Any, Any, Any], Any]
    #: The rows whose plan is looked at, where the answer is one number.
    rows: Callable[[Any, Any], Any] | None = None


def tables(rows: int) -> tuple[pa.Table, pa.Table]:
    """The two tables, the same in every run."""
    random = np.random.default_rng(7)
    many = max(rows // 10, 1)
    texts = pa.array([f"name {number:07d}" for number in range(TEXTS)])
    skewed = np.minimum(random.zipf(1.3, rows), many).astype(np.int64)
    nullable = pa.array(random.integers(0, 1000, rows), mask=random.random(rows) < 0.1)
    t = pa.table({
        "few": random.integers(0, 100, rows), "many": random.integers(0, many, rows), "each": random.permutation(rows), "near": np.sort(random.integers(0, max(rows // 4, 1), rows)), "skewed": skewed,
        "narrow": random.integers(0, 100, rows).astype(np.int8), "maybe": nullable, "text": texts.take(pa.array(random.integers(0, TEXTS, rows))), "kind": pa.array([f"kind {n}" for n in range(50)]).take(pa.array(random.integers(0, 50, rows))),
        "v": random.random(rows), "w": random.integers(0, 1000, rows),
    })
    d = pa.table({"text": texts, "key": random.permutation(TEXTS).astype(np.int64), "x": random.random(TEXTS)})
    return t, d


def _sum_by(*keys: str) -> tuple[Callable[[Any, Any], Any], str, Callable[[Any, Any, Any], Any]]:
    named = ", ".join(keys)
    return (
        lambda t, d: t.groupby(list(keys), as_index=False, sort=False).agg(v=("v", "sum"), w=("w", "max")),
        f"select {named}, sum(v) as v, max(w) as w from t group by {named}",
        lambda pl, t, d: t.group_by(list(keys)).agg(pl.col("v").sum(), pl.col("w").max()),
    )


SHAPES = [
    Shape("groups: few", *_sum_by("few")),
    Shape("groups: many", *_sum_by("many")),
    Shape("groups: one each", *_sum_by("each")),
    Shape("groups: clustered", *_sum_by("near")),
    Shape("groups: skewed", *_sum_by("skewed")),
    Shape("groups: narrow", *_sum_by("narrow")),
    Shape("groups: nullable", *_sum_by("maybe")),
    Shape("groups: text", *_sum_by("text")),
    Shape("groups: two", *_sum_by("kind", "narrow")),
    Shape("groups: six", *_sum_by("few", "narrow", "kind", "maybe", "many", "each")),
    Shape(
        "median: few", lambda t, d: t.groupby("few", as_index=False, sort=False).agg(v=("v", "median")), "select few, median(v) as v from t group by few",
        lambda pl, t, d: t.group_by("few").agg(pl.col("v").median()),
    ),
    Shape(
        "median: many", lambda t, d: t.groupby("many", as_index=False, sort=False).agg(v=("v", "median")), "select many, median(v) as v from t group by many",
        lambda pl, t, d: t.group_by("many").agg(pl.col("v").median()),
    ),
    Shape(
        "distinct count: many", lambda t, d: t.groupby("many", as_index=False, sort=False).agg(w=("w", "nunique")), "select many, count(distinct w) as w from t group by many",
        lambda pl, t, d: t.group_by("many").agg(pl.col("w").n_unique()),
    ),
    Shape("distinct: integers", lambda t, d: t[["many"]].drop_duplicates(), "select distinct many from t", lambda pl, t, d: t.select("many").unique()),
    Shape("distinct: text, integer", lambda t, d: t[["text", "few"]].drop_duplicates(), "select distinct text, few from t", lambda pl, t, d: t.select("text", "few").unique()),
    Shape(
        "join: large, unique", lambda t, d: t[["many", "v"]].merge(t[["each", "w"]], left_on="many", right_on="each")["w"].sum(),
        "select sum(b.w) as w from t a join t b on a.many = b.each",
        lambda pl, t, d: t.select("many", "v").join(t.select("each", "w"), left_on="many", right_on="each").select(pl.col("w").sum()),
        lambda t, d: t[["many", "v"]].merge(t[["each", "w"]], left_on="many", right_on="each")[["w"]],
    ),
    Shape(
        "join: several matches", lambda t, d: t[["each", "v"]].merge(t[["many", "w"]], left_on="each", right_on="many")["w"].sum(),
        "select sum(b.w) as w from t a join t b on a.each = b.many",
        lambda pl, t, d: t.select("each", "v").join(t.select("many", "w"), left_on="each", right_on="many").select(pl.col("w").sum()),
        lambda t, d: t[["each", "v"]].merge(t[["many", "w"]], left_on="each", right_on="many")[["w"]],
    ),
    Shape(
        "join: text", lambda t, d: t[["text", "v"]].merge(d, on="text")["x"].sum(), "select sum(x) as x from t join d using (text)",
        lambda pl, t, d: t.select("text", "v").join(d, on="text").select(pl.col("x").sum()),
        lambda t, d: t[["text", "v"]].merge(d, on="text")[["x"]],
    ),
    Shape("sort: floats", lambda t, d: t[["v", "w"]].sort_values("v"), "select v, w from t order by v", lambda pl, t, d: t.select("v", "w").sort("v")),
    Shape("sort: text", lambda t, d: t[["text", "w"]].sort_values(["text", "w"]), "select text, w from t order by text, w", lambda pl, t, d: t.select("text", "w").sort("text", "w")),
    Shape(
        "window: rank in many", lambda t, d: t.groupby("many")["v"].rank().to_frame(), "select rank() over (partition by many order by v) as v from t",
        lambda pl, t, d: t.select(pl.col("v").rank().over("many")),
    ),
    Shape(
        "window: running sum in few", lambda t, d: t.groupby("few")["w"].cumsum().to_frame(), "select sum(w) over (partition by few order by each) as w from t",
        lambda pl, t, d: t.select(pl.col("w").cum_sum().over("few")),
    ),
]

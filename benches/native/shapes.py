"""Shapes of work that native code is made for, each as a program of airloom's, in SQL and in the words of Polars.

`t` is one table of `rows` rows; `d` has one row for each tenth of them, by a dense key in no order; `lineitem` is TPC-H's at scale 1. A shape returns few rows or one number, but where many groups are the point.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

T = "rel{few: i64, hundreds: i64, many: i64, kind: str, name: str, a: f64, b: f64, i: i64, n: i32, p: decimal(15, 2), q: decimal(15, 2), day: date, flag: bool, maybe: f64?}"
D = "rel{key: i64, x: f64, w: i64}"


class Shape(NamedTuple):
    """One question."""

    name: str
    #: The text of the function `f`.
    air: str
    sql: str
    polars: Callable[..., Any]
    #: Whether it is asked of TPC-H's table.
    tpch: bool = False


def tables(rows: int) -> dict[str, pa.Table]:
    """The two tables, the same in every run."""
    random = np.random.default_rng(11)
    many = max(rows // 10, 1)
    names = pa.array([f"name {number:09d}" for number in range(many)])
    kinds = pa.array([f"kind {number}" for number in range(8)])
    cents = pc.cast(pa.array(random.integers(0, 10_000_000, rows)), pa.decimal128(19, 0))
    price = pc.cast(pc.multiply(cents, pa.scalar(Decimal("0.01"), pa.decimal128(3, 2))), pa.decimal128(15, 2))
    t = pa.table({
        "few": random.integers(0, 8, rows), "hundreds": random.integers(0, 800, rows), "many": random.integers(0, many, rows),
        "kind": kinds.take(pa.array(random.integers(0, 8, rows))), "name": names.take(pa.array(random.integers(0, many, rows))),
        "a": random.random(rows), "b": random.random(rows), "i": random.integers(-1000, 1000, rows), "n": random.integers(0, 1000, rows).astype(np.int32),
        "p": price, "q": price.take(pa.array(random.permutation(rows))), "day": pa.array(random.integers(8000, 10000, rows).astype(np.int32)).cast(pa.date32()),
        "flag": random.random(rows) < 0.99, "maybe": pa.array(random.random(rows), mask=random.random(rows) < 0.1),
    })
    d = pa.table({"key": random.permutation(many).astype(np.int64), "x": random.random(many), "w": random.integers(0, 1000, many)})
    return {"t": t, "d": d}


def _fold(name: str, key: str, maps: str, results: dict[str, tuple[str, str]], polars: Callable[..., list[Any]], where: str = "gt(r.a, 0.1: f64)") -> Shape:
    """Rows of `t` that a filter leaves, reduced by a key or as one: each result in our words and in SQL."""
    ours = ", ".join(f"{result}: {air}" for result, (air, _) in results.items())
    theirs = ", ".join(f"{sql} as {result}" for result, (_, sql) in results.items())
    body = f"|r| {{{f'{key}: r.{key}' if key else ''}}} |g| {{\n{maps}    return {{{ours}}}\n  }}"
    air = f'func @f() {{\n  t = source "t": {T}\n  kept = rel.filter(t) |r| {where}\n  return rel.group(kept) {body}\n}}\n'
    sql = f"select {f'{key}, ' if key else ''}{theirs} from t where a > 0.1{f' group by {key}' if key else ''}"

    def frame(pl: Any, t: Any, d: Any) -> Any:
        kept = t.filter(pl.col("a") > 0.1)
        return kept.group_by(key).agg(polars(pl)) if key else kept.select(polars(pl))

    return Shape(name, air, sql, frame)


_PRODUCT = "    ab = arr.map(g.a, g.b) |a, b| mul(a, b)\n    ad = arr.map(g.a, g.b) |a, b| sub(a, b)\n"
_MONEY = "    pq = arr.map(g.p, g.q) |p, q| sub(p, q)\n"


def _extremes(name: str, key: str) -> list[Shape]:
    return [
        _fold(
            f"extremes, {name}: floats", key, _PRODUCT,
            {"u": ("arr.min(ab)", "min(a * b)"), "v": ("arr.max(ab)", "max(a * b)"), "w": ("arr.min(ad)", "min(a - b)"), "c": ("arr.count{skip: none}(g.a)", "count(*)")},
            lambda pl: [(pl.col("a") * pl.col("b")).min().alias("u"), (pl.col("a") * pl.col("b")).max().alias("v"), (pl.col("a") - pl.col("b")).min().alias("w"), pl.len().alias("c")],
        ),
        _fold(
            f"extremes, {name}: integers, dates", key, "    ni = arr.map(g.i, g.n) |i, n| add(mul(i, 3), cast{to: i64}(n))\n",
            {"u": ("arr.min(ni)", "min(i * 3 + n)"), "v": ("arr.max(ni)", "max(i * 3 + n)"), "w": ("arr.max(g.day)", "max(day)"), "x": ("arr.min(g.day)", "min(day)")},
            lambda pl: [(pl.col("i") * 3 + pl.col("n")).min().alias("u"), (pl.col("i") * 3 + pl.col("n")).max().alias("v"), pl.col("day").max().alias("w"), pl.col("day").min().alias("x")],
        ),
        _fold(
            f"extremes, {name}: decimals", key, _MONEY, {"u": ("arr.min(pq)", "min(p - q)"), "v": ("arr.max(pq)", "max(p - q)"), "w": ("arr.sum(pq)", "sum(p - q)")},
            lambda pl: [(pl.col("p") - pl.col("q")).min().alias("u"), (pl.col("p") - pl.col("q")).max().alias("v"), (pl.col("p") - pl.col("q")).sum().alias("w")],
        ),
        _fold(
            f"any, all, {name}", key, "    low = arr.map(g.a, g.b) |a, b| lt(add(a, b), 1.9: f64)\n",
            {"u": ("arr.any(low)", "bool_or(a + b < 1.9)"), "v": ("arr.all(low)", "bool_and(a + b < 1.9)"), "w": ("arr.all(g.flag)", "bool_and(flag)")},
            lambda pl: [(pl.col("a") + pl.col("b") < 1.9).any().alias("u"), (pl.col("a") + pl.col("b") < 1.9).all().alias("v"), pl.col("flag").all().alias("w")],
        ),
    ]


def _sums(name: str, key: str) -> Shape:
    return _fold(
        f"sums, {name}", key, _PRODUCT + _MONEY,
        {"u": ("arr.sum{reassoc: true}(ab)", "sum(a * b)"), "v": ("arr.sum(pq)", "sum(p - q)"), "w": ("arr.mean{reassoc: true}(ad)", "avg(a - b)"), "c": ("arr.count{skip: none}(g.a)", "count(*)")},
        lambda pl: [(pl.col("a") * pl.col("b")).sum().alias("u"), (pl.col("p") - pl.col("q")).sum().alias("v"), (pl.col("a") - pl.col("b")).mean().alias("w"), pl.len().alias("c")],
    )


def _many(name: str, key: str) -> Shape:
    air = (
        f'func @f() {{\n  t = source "t": {T}\n'
        f"  return rel.group(t) |r| {{{key}: r.{key}}} |g| {{u: arr.sum{{reassoc: true}}(g.a), v: arr.max(g.i), c: arr.count{{skip: none}}(g.i)}}\n}}\n"
    )
    sql = f"select {key}, sum(a) as u, max(i) as v, count(*) as c from t group by {key}"
    return Shape(name, air, sql, lambda pl, t, d: t.group_by(key).agg(pl.col("a").sum().alias("u"), pl.col("i").max().alias("v"), pl.len().alias("c")))


def _probe(name: str, how: str, ours: str, sql: str, polars: Callable[..., Any]) -> Shape:
    air = (
        f'func @f() {{\n  t = source "t": {T}\n  d = source "d": {D}\n  chosen = rel.filter(d) |r| lt(r.w, 500)\n'
        f"  both = rel.join{{how: {how}}}(t, chosen) |l| {{k: l.many}} |r| {{k: r.key}} |l, r| true\n  return rel.group(both) |r| {{}} |g| {{{ours}}}\n}}\n"
    )
    return Shape(name, air, sql, polars)


def _star(name: str, kept: int) -> Shape:
    """Four joins of the same keys, each of which leaves `kept` of a thousand rows, and columns that are carried along."""
    lines, joins, before = [], [], "t"
    for at in range(4):
        lines.append(f'  d{at} = source "d": {D}\n  e{at} = rel.filter(d{at}) |r| lt(floormod(add(r.w, {at * 100}), 1000), {kept})\n  f{at} = rel.project(e{at}) |r| {{key{at}: r.key, x{at}: r.x}}')
        lines.append(f"  j{at} = rel.join{{how: inner}}({before}, f{at}) |l| {{k: l.many}} |r| {{k: r.key{at}}} |l, r| true")
        joins.append(f"join d d{at} on t.many = d{at}.key and (d{at}.w + {at * 100}) % 1000 < {kept}")
        before = f"j{at}"
    sums = {"u": ("a", "a"), "v": ("b", "b"), "w": ("x0", "d0.x"), "x": ("x3", "d3.x")}
    ours = ", ".join(f"{to}: arr.sum{{reassoc: true}}(g.{column})" for to, (column, _) in sums.items())
    theirs = ", ".join(f"sum({column}) as {to}" for to, (_, column) in sums.items())
    air = f'func @f() {{\n  t = source "t": {T}\n' + "\n".join(lines) + f"\n  return rel.group({before}) |r| {{kind: r.kind}} |g| {{{ours}, y: arr.max(g.i), z: arr.max(g.p)}}\n}}\n"
    sql = f"select kind, {theirs}, max(i) as y, max(p) as z from t {' '.join(joins)} group by kind"

    def polars(pl: Any, t: Any, d: Any) -> Any:
        for at in range(4):
            own = d.filter((pl.col("w") + at * 100) % 1000 < kept).select(pl.col("key").alias(f"key{at}"), pl.col("x").alias(f"x{at}"))
            t = t.join(own, left_on="many", right_on=f"key{at}")
        return t.group_by("kind").agg([pl.col(column).sum().alias(to) for to, (column, _) in sums.items()] + [pl.col("i").max().alias("y"), pl.col("p").max().alias("z")])

    return Shape(name, air, sql, polars)


def _text(name: str, air: str, sql: str, polars: Callable[..., Any], where: str = "") -> Shape:
    """Sums of what text decides, by eight keys or behind a filter."""
    rows = f"rel.filter(t) |r| {where}" if where else "t"
    key = "" if where else "few: r.few"
    body = f'func @f() {{\n  t = source "t": {T}\n  kept = {rows}\n  return rel.group(kept) |r| {{{key}}} |g| {{\n{air}  }}\n}}\n'
    return Shape(name, body, sql, polars)


_DECIDED = (
    '    x = arr.map(g.kind, g.a, g.b) |k, a, b| select(eq(k, "kind 3"), mul(a, sub(1.0: f64, b)), 0.0: f64)\n    y = arr.map(g.a, g.b) |a, b| mul(a, sub(1.0: f64, b))\n'
    "    return {u: arr.sum{reassoc: true}(x), v: arr.sum{reassoc: true}(y), w: arr.max(x)}\n"
)
_COUNTED = "    return {u: arr.sum{reassoc: true}(g.a), c: arr.count{skip: none}(g.a)}\n"

SHAPES = [
    Shape("TPC-H Q6", "q06", "q06", lambda queries: queries.q06(), tpch=True),
    Shape("TPC-H Q1", "q01", "q01", lambda queries: queries.q01(), tpch=True),
    _probe(
        "probe, dense: inner", "inner", "s: arr.sum{reassoc: true}(g.x), c: arr.count{skip: none}(g.i)", "select sum(x) as s, count(*) as c from t join d on many = key where w < 500",
        lambda pl, t, d: t.join(d.filter(pl.col("w") < 500), left_on="many", right_on="key").select(pl.col("x").sum().alias("s"), pl.len().alias("c")),
    ),
    _probe(
        "probe, dense: semi", "semi", "s: arr.sum{reassoc: true}(g.a), c: arr.count{skip: none}(g.i)", "select sum(a) as s, count(*) as c from t where many in (select key from d where w < 500)",
        lambda pl, t, d: t.join(d.filter(pl.col("w") < 500), left_on="many", right_on="key", how="semi").select(pl.col("a").sum().alias("s"), pl.len().alias("c")),
    ),
    Shape(
        "join, several matches",
        f'func @f() {{\n  t = source "t": {T}\n  d = source "d": {D}\n  both = rel.join(d, t) |l| {{k: l.key}} |r| {{k: r.many}} |l, r| true\n  return rel.group(both) |r| {{}} |g| {{s: arr.sum{{reassoc: true}}(g.x), c: arr.sum(g.i)}}\n}}\n',
        "select sum(x) as s, sum(i) as c from d join t on many = key", lambda pl, t, d: d.join(t, left_on="key", right_on="many").select(pl.col("x").sum().alias("s"), pl.col("i").sum().alias("c")),
    ),
    _star("star: four joins that keep nine rows of ten", 900), _star("star: four joins that keep all", 1000),
    _text(
        "text decides what is added up", _DECIDED,
        "select few, sum(case when kind = 'kind 3' then a * (1 - b) else 0 end) as u, sum(a * (1 - b)) as v, max(case when kind = 'kind 3' then a * (1 - b) else 0 end) as w from t group by few",
        lambda pl, t, d: t.with_columns(y=pl.col("a") * (1 - pl.col("b")), k=pl.col("kind") == "kind 3").group_by("few").agg(
            pl.when(pl.col("k")).then(pl.col("y")).otherwise(0.0).sum().alias("u"), pl.col("y").sum().alias("v"), pl.when(pl.col("k")).then(pl.col("y")).otherwise(0.0).max().alias("w")
        ),
    ),
    _text(
        "text behind a number that few have", _COUNTED, "select sum(a) as u, count(*) as c from t where name like '%42%' and i = 7",
        lambda pl, t, d: t.filter(pl.col("name").str.contains("42", literal=True) & (pl.col("i") == 7)).select(pl.col("a").sum().alias("u"), pl.len().alias("c")),
        'and(str.contains(r.name, "42"), eq(r.i, 7))',
    ),
    _text(
        "text behind a number that most have", _COUNTED, "select sum(a) as u, count(*) as c from t where name like '%42%' and i < 900",
        lambda pl, t, d: t.filter(pl.col("name").str.contains("42", literal=True) & (pl.col("i") < 900)).select(pl.col("a").sum().alias("u"), pl.len().alias("c")),
        'and(str.contains(r.name, "42"), lt(r.i, 900))',
    ),
    _many("many groups: integers", "many"), _many("many groups: text", "name"), _sums("one group", ""), _sums("8 groups", "few"), _sums("8 groups by text", "kind"), _sums("800 groups", "hundreds"),
    *_extremes("one group", ""), *_extremes("8 groups", "few"), *_extremes("800 groups", "hundreds"),
]

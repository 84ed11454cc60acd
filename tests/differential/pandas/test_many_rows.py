"""Thousands of rows: what adds neighbours apart, sorts by codes and looks keys up by bits begins only there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import mixed

#: More than a batch of the smallest kind, and no multiple of the lanes that reductions add up in.
_ROWS = 9_001
_NUMBERS = ["whole", "narrow", "unsigned", "float", "single", "missing", "nullable", "truth"]
_ORDERED = [*_NUMBERS, "infinite", "text", "timestamp", "span", "category", "key"]


@pytest.fixture
def rows(configuration: str) -> int:
    """How many rows: where they come one by one or a few at a time, or the oracle computes them, a hundred are as many batches as thousands are elsewhere."""
    return _ROWS if configuration in ("plain", "unoptimized") else 101


def many(rows: int) -> pandas.DataFrame:
    """Columns of each dtype, of which every value is drawn: few keys, many keys, what is missing, zeros of both signs, extreme numbers."""
    draw = np.random.default_rng(7)
    floats = draw.normal(size=rows) * 1e3
    holes = draw.random(rows) < 0.1
    signs = np.where(draw.random(rows) < 0.5, 0.0, -0.0)
    odd = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1e308, 1.0])
    words = np.array(["", "a", "ä", "日本", "a b", "A", "ab", "abcdefgh", "abcdefghi", None], dtype=object)
    whole = draw.integers(-(2**63), 2**63 - 1, rows)
    whole[:4] = [2**63 - 1, -(2**63), 0, -1]
    return pandas.DataFrame(
        {
            "whole": whole,
            "narrow": draw.integers(-128, 127, rows).astype("int8"),
            "unsigned": draw.integers(0, 2**64 - 1, rows, dtype="uint64"),
            "float": floats,
            "single": (np.abs(floats) + 1).astype("float32"),
            "missing": np.where(holes, np.nan, floats),
            "nullable": pandas.array(np.where(holes, None, draw.integers(-50, 50, rows)), dtype="Int64"),
            "truth": draw.random(rows) < 0.3,
            "infinite": draw.choice(odd, rows),
            "zero": signs,
            "text": pandas.array(draw.choice(words, rows), dtype="str"),
            "timestamp": np.where(holes, np.datetime64("NaT"), draw.integers(-(10**15), 10**15, rows).astype("M8[us]")),
            "span": draw.integers(-(10**12), 10**12, rows).astype("m8[ns]"),
            "category": pandas.Categorical(draw.choice(np.array(["y", "x", None], dtype=object), rows), categories=["z", "y", "x"]),
            "few": draw.integers(0, 3, rows),
            "key": draw.integers(0, 4_000, rows),
        }
    )


_REDUCTIONS = ["sum", "mean", "std", "var", "sem", "min", "max", "median", "prod", "count", "nunique"]

#: Spreads and medians of booleans, and what of nullable numbers only pandas makes.
_ODD = {("std", "truth"), ("var", "truth"), ("sem", "truth"), ("median", "truth"), ("sem", "nullable"), ("prod", "nullable")}

REDUCTIONS: dict[str, Any] = {
    **{f"{name}-{of}": lambda pd, df, n=name, c=of: getattr(df[c], n)() for name in _REDUCTIONS for of in _NUMBERS if (name, of) not in _ODD},
    **{f"{name}-keeping-{of}": lambda pd, df, n=name, c=of: getattr(df[c], n)(skipna=False) for name in ("sum", "mean", "std", "min", "max") for of in ("float", "missing", "infinite")},
    **{f"{name}-infinite": lambda pd, df, n=name: getattr(df["infinite"], n)() for name in ("sum", "mean", "min", "max")},
    **{f"quantile-{of}": lambda pd, df, c=of: df[c].quantile([0.0, 0.1, 0.5, 0.999, 1.0]) for of in ("whole", "narrow", "float", "missing", "single")},
    **{f"quantile-{way}": lambda pd, df, w=way: df["missing"].quantile(0.3, interpolation=w) for way in ("linear", "lower", "higher", "midpoint", "nearest")},
    "describe": lambda pd, df: df[["narrow", "float", "missing"]].describe(),
    "describe-narrow": lambda pd, df: df[["single", "narrow"]].describe(),
    "describe-some": lambda pd, df: df[["float", "narrow"]].describe(percentiles=[0.05, 0.5, 0.95]),
    "describe-all": lambda pd, df: df[["float", "text", "truth"]].describe(include="all"),
    "describe-no-numbers": lambda pd, df: df[["text", "truth"]].describe(),
    "describe-wrong": lambda pd, df: df[["text", "truth"]].describe(percentiles=[2.0]),
    "describe-text": lambda pd, df: df["text"].describe(),
    "frame-mean": lambda pd, df: df[["narrow", "float", "missing"]].mean(),
    "frame-quantile": lambda pd, df: df[["float", "missing"]].quantile([0.25, 0.75]),
}

_GROUPED = ["sum", "mean", "std", "var", "min", "max", "median", "count", "first", "last", "nunique"]

GROUPS: dict[str, Any] = {
    **{
        f"{name}-by-{key}": lambda pd, df, n=name, k=key: getattr(df.groupby(k)[["narrow", "float", "missing"]], n)()
        for name in _GROUPED
        for key in ("few", "key", "text", "truth", "category")
    },
    **{f"{name}-of-single": lambda pd, df, n=name: getattr(df.groupby("key")["single"], n)() for name in _GROUPED if name != "mean"},
    **{f"{name}-of-whole": lambda pd, df, n=name: getattr(df.groupby("key")["whole"], n)() for name in ("sum", "min", "max", "count")},
    **{f"{name}-of-infinite": lambda pd, df, n=name: getattr(df.groupby("few")["infinite"], n)() for name in ("sum", "mean", "min", "max")},
    **{f"{name}-of-nullable": lambda pd, df, n=name: getattr(df.groupby("key")["nullable"], n)() for name in ("sum", "mean", "min", "max")},
    **{f"{name}-of-timestamps": lambda pd, df, n=name: getattr(df.groupby("few")["timestamp"], n)() for name in ("min", "max", "first", "count")},
    "quantile": lambda pd, df: df.groupby("few")["missing"].quantile([0.1, 0.9]),
    "two-keys": lambda pd, df: df.groupby(["few", "text"])["float"].agg(["sum", "count"]),
    "two-keys-missing": lambda pd, df: df.groupby(["text", "truth"], dropna=False)["narrow"].sum(),
    "size": lambda pd, df: df.groupby("key").size(),
}

SORTS: dict[str, Any] = {
    **{
        f"by-{of}-{'rising' if rising else 'falling'}-{position}": lambda pd, df, c=of, r=rising, p=position: df.sort_values(c, ascending=r, na_position=p, kind="stable")
        for of in _ORDERED
        for rising in (True, False)
        for position in ("first", "last")
    },
    **{f"by-few-and-{of}": lambda pd, df, c=of: df.sort_values(["few", c], ascending=[False, True]) for of in _ORDERED},
    **{f"by-{of}-and-text": lambda pd, df, c=of: df.sort_values([c, "text", "key"], ascending=[True, False, True], na_position="first") for of in ("nullable", "category", "infinite")},
    **{f"series-{of}": lambda pd, df, c=of: df[c].sort_values(kind="stable") for of in _ORDERED},
    "by-labels": lambda pd, df: df.set_index("key").sort_index(kind="stable"),
    "by-labels-falling": lambda pd, df: df.set_index(["few", "text"])[["float"]].sort_index(ascending=False, kind="stable"),
    "nlargest": lambda pd, df: df.nlargest(50, ["narrow", "float"]),
    "nlargest-nullable": lambda pd, df: df["nullable"].nlargest(50),
    "nsmallest-nullable": lambda pd, df: df.nsmallest(50, ["nullable", "float"]),
    "nlargest-timestamps": lambda pd, df: df["timestamp"].nlargest(20),
    "nsmallest-spans": lambda pd, df: df["span"].nsmallest(20),
    "rank": lambda pd, df: df[["float", "missing", "narrow"]].rank(),
}


def _other(pd: Any, df: Any) -> Any:
    return df[df["few"] > 0][["key", "text", "narrow"]].drop_duplicates("key").rename(columns={"narrow": "other"})


LOOKUPS: dict[str, Any] = {
    "isin-column": lambda pd, df: df[df["key"].isin(df.loc[df["float"] > 1_500, "key"])],
    "not-isin-column": lambda pd, df: df[~df["key"].isin(df.loc[df["float"] > 0, "key"])],
    "isin-extremes": lambda pd, df: df["whole"].isin([2**63 - 1, -(2**63), 5]),
    "isin-far-apart": lambda pd, df: df["whole"].isin(df["whole"].iloc[::7]),
    "isin-narrow": lambda pd, df: df["narrow"].isin([-128, 127, 300]),
    "isin-nullable": lambda pd, df: df["nullable"].isin([1, 2, 1_000]),
    "isin-text": lambda pd, df: df["text"].isin(["日本", "", "zz"]),
    "merge-inner": lambda pd, df: df.merge(_other(pd, df)[["key", "other"]], on="key"),
    "merge-left": lambda pd, df: df.merge(_other(pd, df)[["key", "other"]], on="key", how="left"),
    "merge-outer": lambda pd, df: df[["key", "float"]].merge(_other(pd, df).head(500)[["key", "other"]], on="key", how="outer"),
    "merge-two": lambda pd, df: df.merge(_other(pd, df), on=["key", "text"]),
    "merge-missing": lambda pd, df: df[["nullable", "key"]].head(300).merge(df[["nullable", "few"]].tail(300), on="nullable"),
    "merge-semi": lambda pd, df: df[["key", "float"]].merge(df.loc[df["few"] == 1, ["key"]].drop_duplicates(), on="key")["float"].count(),
    "merge-then-sum": lambda pd, df: df.merge(_other(pd, df)[["key", "other"]], on="key").groupby("few")["other"].sum(),
    "drop-duplicates": lambda pd, df: df.drop_duplicates(["key", "truth"]),
    "duplicated": lambda pd, df: df["key"].duplicated(keep=False),
    "value-counts": lambda pd, df: df["text"].value_counts(dropna=False),
    "map-series": lambda pd, df: df["key"].map(_other(pd, df).set_index("key")["other"]),
    "map-groups": lambda pd, df: df["key"].map(df.groupby("key")["float"].max()),
    "map-dict": lambda pd, df: df["narrow"].map({at: f"v{at}" for at in range(-100, 100)}),
    "map-all": lambda pd, df: df["few"].map({at: at * 2 for at in range(300)}),
    "map-truth": lambda pd, df: df["narrow"].map({at: at > 3 for at in range(-120, 100)}),
    "map-timestamps": lambda pd, df: df["key"].map(df.drop_duplicates("key").set_index("key")["timestamp"]),
    "map-text": lambda pd, df: df["text"].map({**{f"a{at}": at for at in range(200)}, "日本": 7, "": 8}),
    "map-floats": lambda pd, df: df["infinite"].map(pandas.Series(range(300), index=[np.nan, np.inf, -0.0, *map(float, range(1, 298))])),
    "map-floats-ignoring": lambda pd, df: df["infinite"].map(pandas.Series(range(300), index=[np.nan, np.inf, *map(float, range(298))]), na_action="ignore"),
    "map-then-group": lambda pd, df: df.assign(name=df["narrow"].map({at: f"v{at // 9}" for at in range(-128, 128)})).groupby("name")["float"].count(),
}


@pytest.mark.parametrize("program", REDUCTIONS)
def test_reductions_of_many_rows(program: str, rows: int) -> None:
    # A narrow float has seven digits.
    check(REDUCTIONS[program], many(rows), rtol=1e-6 if "single" in program or program == "describe-narrow" else 1e-12)


@pytest.mark.parametrize("program", GROUPS)
def test_groups_of_many_rows(program: str, rows: int) -> None:
    # pandas adds up the squares of narrow floats in narrow floats.
    check(GROUPS[program], many(rows), rtol=1e-4 if "single" in program else 1e-12)


@pytest.mark.parametrize("program", SORTS)
def test_sorts_of_many_rows(program: str, rows: int) -> None:
    check(SORTS[program], many(rows))


@pytest.mark.parametrize("program", LOOKUPS)
def test_lookups_of_many_rows(program: str, rows: int) -> None:
    check(LOOKUPS[program], many(rows))


_DIVISORS = [np.array([2, 0, 3]), np.array([1, 2, 3]), np.array([0, 0, 0])]


@pytest.mark.parametrize("op", ["__mod__", "__floordiv__", "__truediv__"])
@pytest.mark.parametrize("right", range(len(_DIVISORS)))
def test_zeros_among_divisors_of_some_columns(op: str, right: int) -> None:
    """Columns of one dtype stay together in pandas: a zero in one of them makes all of them floats."""
    left = pandas.DataFrame({"a": [7, -7, 0], "b": [1, 2, 3]})
    other = pandas.DataFrame({"a": _DIVISORS[right], "b": [5, 5, 5]})
    check(lambda pd, a, b: getattr(a, op)(b), left, other, native=False)


@pytest.mark.parametrize("fill", [4.0, 4.5, 4, np.nan])
def test_what_fills_whole_numbers(fill: float) -> None:
    """A float that is an integer leaves integers what they are."""
    check(lambda pd, df: df.reindex([0, 2, 5], fill_value=fill), pandas.DataFrame({"a": [1, 2, 3]}), native=False)
    check(lambda pd, s: s.reindex([0, 2, 5], fill_value=fill), pandas.Series([1, 2, 3]), native=False)


def test_many_rows_of_every_awkward_value(rows: int) -> None:
    """The awkward values repeat in a long frame, so that each stands in each lane."""
    frame = mixed(rows)
    for name in ("f", "g", "i", "small"):
        for what in ("min", "max", "count", "nunique"):
            check(lambda pd, df, n=name, w=what: getattr(df[n], w)(), frame)
        check(lambda pd, df, n=name: df.groupby("k")[n].agg(["min", "max", "first", "last"]), frame)
        check(lambda pd, df, n=name: df.sort_values(n, kind="stable"), frame)


_WINDOWS: dict[str, Any] = {
    **{name: lambda pd, df, n=name: getattr(df["x"].rolling(7, min_periods=2), n)() for name in ("sum", "mean", "std", "min", "max", "median", "skew", "kurt", "count")},
    **{f"wide-{name}": lambda pd, df, n=name: getattr(df["x"].rolling(500), n)() for name in ("sum", "mean", "var", "max")},
    **{f"whole-{name}": lambda pd, df, n=name: getattr(df["i"].rolling(9), n)() for name in ("sum", "min", "max")},
    **{f"so-far-{name}": lambda pd, df, n=name: getattr(df["x"].expanding(3), n)() for name in ("sum", "max", "std")},
    "centred": lambda pd, df: df.rolling(5, center=True).mean(),
    "pairs": lambda pd, df: df["x"].rolling(30).cov(df["i"]),
    "pairs-scaled": lambda pd, df: df["x"].rolling(30, min_periods=5).corr(df["i"]),
}


@pytest.mark.parametrize("program", _WINDOWS)
def test_windows_of_many_rows(program: str, rows: int) -> None:
    """Enough for each core to have windows of its own."""
    draw = np.random.default_rng(3)
    rows = 150_001 if rows == _ROWS else rows
    floats = draw.normal(size=rows) * 10
    floats[draw.random(rows) < 0.05] = np.nan
    check(_WINDOWS[program], pandas.DataFrame({"x": floats, "i": draw.integers(-1_000, 1_000, rows)}), rtol=1e-6 if program == "kurt" else 1e-8)


#: More than are kept before the first of them are chosen.
_MANY = 60_000
_DRAWN = np.random.default_rng(5)
KEYS: dict[str, Any] = {
    "float": _DRAWN.choice([np.nan, -0.0, 0.0, np.inf, -np.inf, 1.5, 2.5, *np.arange(3, 400) / 7], _MANY),
    "rising": np.arange(_MANY) * 0.5,
    "falling": -np.arange(_MANY),
    "narrow": _DRAWN.integers(-120, 120, _MANY, dtype=np.int8),
    "equal": np.zeros(_MANY, dtype=np.int64),
    "nothing": np.full(_MANY, np.nan),
    "text": np.array([f"a text that is long {number}" for number in _DRAWN.integers(0, 900, _MANY)]),
    "nullable": pandas.array(np.where(_DRAWN.random(_MANY) < 0.1, None, _DRAWN.integers(0, 1000, _MANY)), dtype="Int64"),
    "arrow": pandas.array(np.where(_DRAWN.random(_MANY) < 0.1, None, _DRAWN.integers(0, 1000, _MANY) / 8), dtype="double[pyarrow]"),
}


@pytest.mark.parametrize("rising", [True, False])
@pytest.mark.parametrize("key", KEYS)
def test_the_first_rows_of_many(key: str, rising: bool, rows: int) -> None:
    frame = pandas.DataFrame({"k": KEYS[key], "n": np.arange(_MANY)[::-1] % 5, "v": np.arange(_MANY)}).iloc[: _MANY if rows == _ROWS else rows]
    for count in (1, 1000, 9000):
        check(lambda pd, f, count=count: f.sort_values(["k", "n"], ascending=[rising, True]).head(count), frame)
        check(lambda pd, f, count=count: f.sort_values("k", ascending=rising, kind="stable").head(count), frame)
        check(lambda pd, f, count=count: f[f.v % 3 == 0].sort_values(["n", "k"], ascending=[True, rising]).tail(count), frame)

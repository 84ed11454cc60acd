"""Grouping: one row for each key."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from compare import check
from frames import FRAMES

NUMBERS = ["small", "g", "k"]
COLUMNS = ["i", "small", "unsigned", "f", "g", "b", "s", "t", "d", "c", "k"]
KEYS = ["k", "s", "f", "t", "d", "b", "c", "small"]

PROGRAMS: dict[str, Any] = {
    **{f"sum-by-{key}": lambda pd, df, k=key: df.groupby(k)["i"].sum() for key in KEYS},
    **{f"sizes-by-{key}": lambda pd, df, k=key: df.groupby(k).size() for key in KEYS},
    **{f"missing-by-{key}": lambda pd, df, k=key: df.groupby(k, dropna=False)["i"].max() for key in KEYS},
    **{f"unsorted-by-{key}": lambda pd, df, k=key: df.groupby(k, sort=False)["i"].min() for key in KEYS},
    **{f"unsorted-missing-by-{key}": lambda pd, df, k=key: df.groupby(k, sort=False, dropna=False)["i"].min() for key in KEYS if key != "c"},
    **{f"columns-by-{key}": lambda pd, df, k=key: df.groupby(k, as_index=False)["i"].sum() for key in KEYS},
    **{f"count-by-{key}": lambda pd, df, k=key: df.groupby(k).count() for key in KEYS},
    **{f"{op}-of-{name}": lambda pd, df, op=op, n=name: getattr(df.groupby("k")[n], op)() for op in ("min", "max", "first", "last", "count", "nunique") for name in COLUMNS if not (name == "c" and op in ("min", "max"))},
    **{f"{op}-of-{name}": lambda pd, df, op=op, n=name: getattr(df.groupby("b")[n], op)() for op in ("sum", "mean", "prod", "any", "all") for name in ["small", "g", "k", "b"] if (op, name) != ("mean", "g")},
    "mean-of-product": lambda pd, df: (df["k"] * 0.5).groupby(df["b"]).mean(),
    **{f"{op}-of-{name}": lambda pd, df, op=op, n=name: getattr(df.groupby("b")[n], op)() for op in ("std", "var", "sem", "median", "quantile") for name in ["small", "k"]},
    "two-keys": lambda pd, df: df.groupby(["k", "s"])["i"].sum(),
    "two-keys-missing": lambda pd, df: df.groupby(["s", "f"], dropna=False)["i"].sum(),
    "two-keys-columns": lambda pd, df: df.groupby(["k", "b"], as_index=False)["i"].sum(),
    "two-keys-unsorted": lambda pd, df: df.groupby(["t", "b"], sort=False).size(),
    "two-keys-frame": lambda pd, df: df.groupby(["k", "b"])[["small", "i"]].max(),
    "sizes-as-columns": lambda pd, df: df.groupby(["k", "b"], as_index=False).size(),
    "attribute": lambda pd, df: df.groupby("k").small.sum(),
    "by-series": lambda pd, df: df.groupby(df["k"])["small"].sum(),
    "by-mask": lambda pd, df: df.groupby(df["k"] > 1)["small"].sum(),
    "series-by-series": lambda pd, df: df["small"].groupby(df["b"]).sum(),
    "series-by-itself": lambda pd, df: df["s"].groupby(df["s"]).count(),
    "by-array": lambda pd, df: df.groupby(df["k"].to_numpy())["small"].sum(),
    "agg-name": lambda pd, df: df.groupby("k")["small"].agg("sum"),
    "agg-list": lambda pd, df: df.groupby("k")["small"].agg(["sum", "mean", "count"]),
    "agg-lists": lambda pd, df: df.groupby("k")[["small", "b"]].agg(["sum", "max"]),
    "agg-dict": lambda pd, df: df.groupby("k").agg({"small": "sum", "s": "first"}),
    "agg-dict-columns": lambda pd, df: df.groupby("k", as_index=False).agg({"small": "sum", "s": "first"}),
    "agg-dict-lists": lambda pd, df: df.groupby("k").agg({"small": ["sum", "min"], "s": ["first"]}),
    "agg-named": lambda pd, df: df.groupby("k").agg(total=("small", "sum"), last=("s", "last")),
    "agg-named-columns": lambda pd, df: df.groupby("k", as_index=False).agg(total=("small", "sum"), last=("s", "last")),
    "agg-named-series": lambda pd, df: df.groupby("k")["small"].agg(total="sum", most="max"),
    **{f"unobserved-{op}": lambda pd, df, op=op: getattr(df.groupby("c", observed=False)["small"], op)() for op in ("sum", "mean", "min", "count", "size", "first", "nunique", "any", "all", "prod", "std")},
    "unobserved-columns": lambda pd, df: df.groupby("c", observed=False, as_index=False)["small"].sum(),
    "agg-lists-columns": lambda pd, df: df.groupby("k", as_index=False)[["small", "b"]].agg(["sum", "max"]),
    "agg-list-columns": lambda pd, df: df.groupby("k", as_index=False)["small"].agg(["sum", "max"]),
    "agg-named-series-columns": lambda pd, df: df.groupby("k", as_index=False)["small"].agg(total="sum"),
    "unobserved-text": lambda pd, df: df.groupby("c", observed=False)["s"].first(),
    "unobserved-frame": lambda pd, df: df.groupby("c", observed=False)[["i", "f"]].max(),
    "unobserved-list": lambda pd, df: df.groupby("c", observed=False)["k"].agg(["sum", "min", "mean", "count"]),
    "skew-floats": lambda pd, df: (df["k"] * 0.5).groupby(df["b"]).skew(),
    "quantiles": lambda pd, df: df.groupby("b")["k"].quantile([0.75, 0.1, 0.5]),
    "quantiles-missing": lambda pd, df: df.groupby("s", dropna=False)["k"].quantile([0.25, 0.75]),
    "quantiles-frame": lambda pd, df: df.groupby(["k", "b"])[["small", "k"]].quantile([0.25, 0.75]),
    "counts-numbers": lambda pd, df: df.groupby("b")["k"].value_counts(),
    "counts-share": lambda pd, df: df.groupby("b")["k"].value_counts(normalize=True),
    "counts-unsorted": lambda pd, df: df.groupby("b")["k"].value_counts(sort=False),
    "counts-rising": lambda pd, df: df.groupby("b")["k"].value_counts(ascending=True),
    "of-mask": lambda pd, df: df[df["k"] > 1].groupby("s")["small"].sum(),
    "then-sort": lambda pd, df: df.groupby("k")["small"].sum().sort_values(kind="stable"),
    "then-reset": lambda pd, df: df.groupby(["k", "b"])["small"].sum().reset_index(),
    "then-mask": lambda pd, df: df.groupby("k").size().pipe(lambda s: s[s > 1]),
    "then-group": lambda pd, df: df.groupby(["k", "b"])["small"].sum().reset_index().groupby("b")["small"].max(),
    "unknown-key": lambda pd, df: df.groupby("nothing").sum(),
    "unknown-column": lambda pd, df: df.groupby("k")["nothing"].sum(),
}

EITHER: dict[str, Any] = {
    "by-level": lambda pd, df: df.groupby(level=0)["small"].sum(),
    "series-by-level": lambda pd, df: df["small"].groupby(level=0).max(),
    "mean-of-g": lambda pd, df: df.groupby("b")["g"].mean(),
    "narrow-sums": lambda pd, df: df.assign(other=df["small"])[["k", "small", "other"]].groupby("k").sum(),
    "narrow-sum-then-more": lambda pd, df: df.groupby("k")["small"].sum() + 1,
    "narrow-sum-of-mask": lambda pd, df: df.groupby("k")["small"].sum().pipe(lambda s: s[s > 0]),
    **{f"{op}-of-{name}": lambda pd, df, op=op, n=name: getattr(df.groupby("k")[n], op)() for op in ("sum", "mean", "prod", "any", "all", "std", "var", "sem", "median", "quantile") for name in ["s", "t", "d", "c"]},
    **{f"{op}-of-{name}": lambda pd, df, op=op, n=name: getattr(df.groupby("k")[n], op)() for op in ("std", "var", "sem", "median", "quantile") for name in ["b", "g"]},
    "unobserved-two": lambda pd, df: df.groupby(["c", "b"], observed=False)["small"].sum(),
    "unobserved-missing": lambda pd, df: df.groupby("c", observed=False, dropna=False)["small"].sum(),
    "missing-category-unsorted": lambda pd, df: df.groupby("c", sort=False, dropna=False)["small"].sum(),
    "min-of-category": lambda pd, df: df.groupby("k")["c"].min(),
    "sum-all": lambda pd, df: df[["k", "small", "i", "b"]].groupby("k").sum(),
    "sum-numbers": lambda pd, df: df[["k", "small", "s", "b"]].groupby("k").sum(numeric_only=True),
    "min-count": lambda pd, df: df.groupby("k")["small"].sum(min_count=3),
    "min-count-floats": lambda pd, df: df.groupby("k")["g"].sum(min_count=3),
    "keeping-missing": lambda pd, df: df.groupby("k")["g"].sum(skipna=False),
    "ddof": lambda pd, df: df.groupby("k")["small"].var(ddof=0),
    **{f"{op}-{name}": lambda pd, df, op=op, n=name: getattr(df.groupby("k")[n], op)() for op in ("idxmin", "idxmax") for name in ["i", "f", "b", "s", "t", "d", "c"]},
    "idxmax-frame": lambda pd, df: df.groupby("k")[["i", "small"]].idxmax(),
    "idxmax-columns": lambda pd, df: df.groupby("k", as_index=False)[["i", "small"]].idxmax(),
    "counts-text": lambda pd, df: df.groupby("k")["s"].value_counts(),
    "counts-floats": lambda pd, df: df.groupby("b")["g"].value_counts(),
    "counts-times": lambda pd, df: df.groupby("s")["t"].value_counts(),
    "skew": lambda pd, df: df.groupby("b")["k"].skew(),
    "quantiles-unsorted": lambda pd, df: df.groupby("s", sort=False, dropna=False)["k"].quantile([0.25, 0.75]),
    "counts-missing": lambda pd, df: df.groupby("b")["s"].value_counts(dropna=False),
    "counts-categories": lambda pd, df: df.groupby("b")["c"].value_counts(),
    "counts-frame": lambda pd, df: df.groupby("b")[["k", "s"]].value_counts(),
    "describe": lambda pd, df: df.groupby("b")["k"].describe(),
    "describe-frame": lambda pd, df: df[["b", "k", "small", "s"]].groupby("b").describe(),
    "describe-text": lambda pd, df: df.groupby("b")["s"].describe(),
    "agg-numpy-dict": lambda pd, df: df.groupby("k").agg({"i": np.max, "k": np.mean}),
    "agg-numpy-named": lambda pd, df: df.groupby("k").agg(a=("i", np.min), b=("f", np.sum), c=("k", sum)),
    "agg-builtin-floats": lambda pd, df: df.groupby("k")["f"].agg(max),
    "unobserved-truth": lambda pd, df: df.groupby("c", observed=False)["b"].max(),
    "unobserved-unsorted": lambda pd, df: df.groupby("c", observed=False, sort=False)["k"].max(),
    "by-labels-of-mask": lambda pd, df: df[df["k"] > 1].groupby(lambda label: str(label)[:1])["small"].sum(),
    "agg-function": lambda pd, df: df.groupby("k")["small"].agg(lambda s: s.sum()),
    "agg-numpy": lambda pd, df: df.groupby("k")["small"].agg(np.sum),
    "agg-builtin": lambda pd, df: df.groupby("k")["small"].agg(sum),
    "agg-numpy-frame": lambda pd, df: df[["k", "small", "g"]].groupby("k").agg(np.mean),
    "agg-numpy-list": lambda pd, df: df.groupby("k")["small"].agg([np.sum, "max"]),
    "agg-wrong": lambda pd, df: df.groupby("k")["small"].agg("nothing"),
    "agg-twice": lambda pd, df: df.groupby("k")["small"].agg(["sum", "sum"]),
    "agg-dict-unknown": lambda pd, df: df.groupby("k").agg({"nothing": "sum"}),
    "agg-dict-of-key": lambda pd, df: df.groupby("k").agg({"k": "count", "small": "sum"}),
    "agg-size": lambda pd, df: df.groupby("k")["small"].agg("size"),
    "agg-size-list": lambda pd, df: df.groupby("k")["small"].agg(["size", "sum"]),
    "agg-size-frame": lambda pd, df: df.groupby("k").agg("size"),
    "key-chosen": lambda pd, df: df.groupby("k")["k"].sum(),
    "key-chosen-too": lambda pd, df: df.groupby("k")[["k", "small"]].sum(),
    "key-chosen-columns": lambda pd, df: df.groupby("k", as_index=False)["k"].count(),
    "key-twice": lambda pd, df: df.groupby(["k", "k"])["small"].sum(),
    "by-function": lambda pd, df: df.groupby(lambda label: str(label)[:1])["small"].sum(),
    "by-list": lambda pd, df: df.groupby([at % 3 for at in range(len(df))])["small"].sum(),
    "series-by-list": lambda pd, df: df["small"].groupby([at % 3 for at in range(len(df))]).sum(),
    "by-list-of-text": lambda pd, df: df.groupby(["xyz"[at % 3] for at in range(len(df))])["small"].sum(),
    "by-dict": lambda pd, df: df.groupby({0: "a", 1: "b", 2: "a"})["small"].sum(),
    "by-grouper": lambda pd, df: df.groupby(pd.Grouper(key="k"))["small"].sum(),
    "by-grouper-frequency": lambda pd, df: df[df["t"] > "2000"].groupby(pd.Grouper(key="t", freq="365D"))["small"].sum(),
    "iteration": lambda pd, df: [(key, group) for key, group in df.groupby("k")],
    "len": lambda pd, df: len(df.groupby("s")),
    "ngroups": lambda pd, df: df.groupby("s").ngroups,
    "get-group": lambda pd, df: df.groupby("b").get_group(True),
    "apply": lambda pd, df: df.groupby("k")["small"].apply(lambda s: s.max() - s.min()),
    "filter": lambda pd, df: df.groupby("k").filter(lambda d: len(d) > 2),
    "all-columns-mean": lambda pd, df: df.groupby("k").mean(),
    "no-keys": lambda pd, df: df.groupby([]).sum(),
    "two-keys-of-level": lambda pd, df: df.groupby(["k", df.index.names[0]])["small"].sum() if df.index.names[0] else df,
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_groups(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAMES[frame](), rtol=1e-12)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", EITHER)
def test_groups_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), native=False, rtol=1e-6)


def masked() -> Any:
    """Nullable dtypes, as keys and as values."""
    import pandas

    return pandas.DataFrame(
        {
            "k": pandas.array([2, None, 1, 2, 1, None, 3], dtype="Int64"),
            "small": pandas.array([2, None, 1, 2, 1, None, None], dtype="Int8"),
            "b": pandas.array([True, None, False, True, None, None, False], dtype="boolean"),
            "i": np.arange(7),
            "g": [1, 1, 2, 2, 3, 3, 3],
        }
    )


MASKED: dict[str, Any] = {
    **{f"sum-by-{key}": lambda pd, df, k=key: df.groupby(k)["i"].sum() for key in ("k", "small", "b")},
    **{f"missing-by-{key}": lambda pd, df, k=key: df.groupby(k, dropna=False)["i"].sum() for key in ("k", "small", "b")},
    **{f"columns-by-{key}": lambda pd, df, k=key: df.groupby(k, as_index=False)["i"].max() for key in ("k", "small", "b")},
    **{f"unsorted-by-{key}": lambda pd, df, k=key: df.groupby(k, sort=False)["i"].max() for key in ("k", "small", "b")},
    **{f"sizes-by-{key}": lambda pd, df, k=key: df.groupby(k).size() for key in ("k", "small", "b")},
    "two-keys": lambda pd, df: df.groupby(["k", "g"])["i"].sum(),
    **{f"{op}-of-{name}": lambda pd, df, op=op, n=name: getattr(df.groupby("g")[n], op)() for op in ("min", "max", "first", "last", "count", "nunique", "size", "sum", "mean", "any") for name in ("k", "small", "b")},
    **{f"cumcount-by-{key}": lambda pd, df, k=key: df.groupby(k).cumcount() for key in ("k", "b")},
    **{f"head-by-{key}": lambda pd, df, k=key: df.groupby(k).head(1) for key in ("k", "b")},
    **{f"transform-by-{key}": lambda pd, df, k=key: df.groupby(k)["i"].transform("sum") for key in ("k", "b")},
    **{f"transform-{op}-{name}": lambda pd, df, op=op, n=name: df.groupby("g")[n].transform(op) for op in ("max", "first", "count") for name in ("k", "small", "b")},
    **{f"{op}-of-{name}": lambda pd, df, op=op, n=name: getattr(df.groupby("g")[n], op)() for op in ("cumsum", "shift", "rank", "ffill", "diff") for name in ("k", "small", "b")},
}


@pytest.mark.parametrize("program", MASKED)
def test_groups_of_nullable_dtypes(program: str, configuration: str) -> None:
    check(MASKED[program], masked(), native=False, rtol=1e-12)
    check(MASKED[program], masked().iloc[:0], native=False, rtol=1e-12)

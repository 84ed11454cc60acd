"""Single operations, each beside pandas on a million rows: sums, sorts, lists, pairs of columns, windows of them, rows of groups, and rows chosen by label.

    python benches/pandas/shapes.py [--rows 1000000] [--only explode]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas

import airloom
import airloom.pandas
from airloom import _report as report


def updated(frame: Any, other: Any) -> Any:
    """A frame that was updated by another."""
    frame.update(other)
    return frame


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda pd, df: df["x"].sum(),
    "std": lambda pd, df: df["x"].std(),
    "max": lambda pd, df: df["gaps"].max(),
    "describe": lambda pd, df: df[["x", "y", "i"]].describe(),
    "sum of two": lambda pd, df: df["x"] + df["y"],
    "sum of an expression": lambda pd, df: ((df["x"] + df["y"]) * 2 - df["x"] / 3).sum(),
    "filter": lambda pd, df: df[df["x"] > 0],
    "sort a series": lambda pd, df: df["x"].sort_values(),
    "sort by a float": lambda pd, df: df[["x", "y", "i", "text"]].sort_values("x"),
    "sort by two": lambda pd, df: df[["x", "y", "k", "text"]].sort_values(["k", "x"]),
    "sort by text": lambda pd, df: df[["x", "i", "text"]].sort_values("text"),
    "explode split text": lambda pd, df: df.assign(text=df["text"].str.split(",")).explode("text"),
    "explode split series": lambda pd, df: df["text"].str.split(",").explode(),
    "explode split, counted": lambda pd, df: df["text"].str.split(",").explode().value_counts(),
    "explode lists of Python": lambda pd, df: df.explode("lists"),
    "corr": lambda pd, df: df["x"].corr(df["y"]),
    "corr, some missing": lambda pd, df: df["x"].corr(df["gaps"]),
    "corr of ranks": lambda pd, df: df["x"].corr(df["y"], method="spearman"),
    "cov": lambda pd, df: df["x"].cov(df["y"]),
    "autocorr": lambda pd, df: df["x"].autocorr(),
    "corr of a frame": lambda pd, df: df[["x", "y", "i", "k"]].corr(),
    "corr of a frame, some missing": lambda pd, df: df[["x", "y", "gaps", "k"]].corr(),
    "corr of a frame, ranks": lambda pd, df: df[["x", "y", "i"]].corr(method="spearman"),
    "cov of a frame, some missing": lambda pd, df: df[["x", "y", "gaps"]].cov(),
    "corrwith": lambda pd, df: df[["x", "gaps", "i"]].corrwith(df["y"]),
    **{f"rolling {name}, of 20": lambda pd, df, n=name: getattr(df["x"].rolling(20), n)() for name in ("sum", "mean", "std", "min", "median", "skew", "kurt")},
    "rolling mean, of 200": lambda pd, df: df["x"].rolling(200).mean(),
    "rolling cov, of 20": lambda pd, df: df["x"].rolling(20).cov(df["y"]),
    "rolling corr, of 20": lambda pd, df: df["x"].rolling(20).corr(df["y"]),
    "expanding mean": lambda pd, df: df["x"].expanding().mean(),
    "ewm mean": lambda pd, df: df["x"].ewm(span=20).mean(),
    "groups: rolling mean, of 20": lambda pd, df: df.groupby("k")["x"].rolling(20).mean(),
    "rolling apply mean, of 20": lambda pd, df: df["x"].rolling(20).apply(np.mean, raw=True),
    "rolling apply ends, of 20": lambda pd, df: df["x"].rolling(20).apply(lambda x: x[-1] - x[0], raw=True),
    "rolling rank, of 5": lambda pd, df: df["x"].rolling(5).rank(),
    "rolling rank, of 20": lambda pd, df: df["x"].rolling(20).rank(),
    "first_valid_index": lambda pd, df: df["gaps"].first_valid_index(),
    "argsort": lambda pd, df: df["x"].argsort(kind="stable"),
    "mode of a frame": lambda pd, df: df[["i", "k", "text"]].mode(),
    "factorize numbers": lambda pd, df: df["k"].factorize(),
    "factorize text": lambda pd, df: df["text"].factorize(),
    "factorize sorted": lambda pd, df: df["k"].factorize(sort=True),
    "compare": lambda pd, df: df[["x", "i", "text"]].compare(df.assign(i=df["i"].replace(5, 6))[["x", "i", "text"]]),
    "compare series": lambda pd, df: df["i"].compare(df["k"]),
    "update": lambda pd, df: updated(df[["x", "i", "text"]], df[["i"]].iloc[::2] + 1),
    "asof": lambda pd, df: df[["gaps", "i"]].asof(np.arange(0, len(df), 3)),
    "groups: corr": lambda pd, df: df.groupby("k")[["x", "y"]].corr(),
    "groups: cov": lambda pd, df: df.groupby("k")[["x", "gaps"]].cov(),
    "groups: lists": lambda pd, df: df.groupby("k")["i"].agg(list),
    "groups: sample": lambda pd, df: df.groupby("k").sample(3, random_state=1),
    **{
        f"rows of groups: {name} by {key}": lambda pd, df, n=name, k=key: getattr(df.groupby(k, observed=True)["gaps"], n)()
        for name in ("cumsum", "cummax", "shift", "diff", "ffill", "pct_change", "rank", "cumcount")
        for key in ("k", "many", "word", "kind")
    },
    **{
        f"rows of groups: {name} of {column}": lambda pd, df, n=name, c=column: getattr(df.groupby("k")[c], n)()
        for name in ("cumsum", "cummin", "shift")
        for column in ("i", "whole", "narrow", "day")
        if not (name == "cumsum" and column == "day")
    },
    **{
        f"rows of groups: {name} beside, by {key}": lambda pd, df, n=name, k=key: df.groupby(k, observed=True)["x"].transform(n)
        for name in ("mean", "sum", "max", "count", "first")
        for key in ("k", "many", "word", "kind")
    },
    "rows of groups: share": lambda pd, df: df["x"] / df.groupby("k")["x"].transform("sum"),
    "dot": lambda pd, df: df["x"].dot(df["y"]),
    "dot of a frame": lambda pd, df: df[["x", "y", "i"]].dot([1.0, 2.0, 3.0]),
}


def frame(rows: int) -> pandas.DataFrame:
    """A frame of some rows with columns of all kinds."""
    chosen = np.random.default_rng(0)
    lists = np.empty(4, dtype=object)
    lists[:] = [[1, 2, 3], [4], [], None]
    return pandas.DataFrame(
        {
            "x": chosen.normal(size=rows),
            "y": chosen.normal(size=rows),
            "i": chosen.integers(0, 1000, rows),
            "k": chosen.integers(0, 1000, rows),
            "gaps": np.where(chosen.random(rows) < 0.2, np.nan, chosen.normal(size=rows)),
            "text": pandas.array(np.resize(np.array(["a,b,c", "d", "e,f", None], dtype=object), rows), dtype="str"),
            "lists": np.resize(lists, rows),
            "many": chosen.integers(0, max(rows // 10, 1), rows),
            "word": pandas.array(chosen.choice(np.array(["north", "south", "east", "west"], dtype=object), rows), dtype="str"),
            "kind": pandas.Categorical.from_codes(chosen.integers(0, 12, rows), list("abcdefghijkl")),
            "whole": pandas.array(np.where(chosen.random(rows) < 0.1, None, chosen.integers(0, 100, rows)), dtype="Int32"),
            "narrow": chosen.integers(-100, 100, rows).astype("int8"),
            "day": np.datetime64("2020-01-01", "ns") + chosen.integers(0, 1000, rows).astype("timedelta64[D]"),
        }
    )


def seconds(pd: Any, program: Callable[[Any, Any], Any], data: pandas.DataFrame, times: int) -> float:
    """The best of some runs, each on a frame of its own."""
    found = []
    for _ in range(times):
        own = pd.DataFrame(data)
        started = time.perf_counter()
        made = program(pd, own)
        getattr(made, "_mgr", None)
        found.append(time.perf_counter() - started)
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    data = frame(options.rows)
    print(f"{'':40}{'airloom':>10}{'pandas':>10}{'times':>8}  left to pandas")
    with airloom.options(threads=2):
        for name, program in OPERATIONS.items():
            if options.only not in name:
                continue
            report.LOG.clear()
            ours, theirs = seconds(airloom.pandas, program, data, options.times), seconds(pandas, program, data, options.times)
            left = sorted({entry.operation for entry in airloom.report() if entry.where == "pandas"})
            print(f"{name:40}{ours * 1e3:8.1f}ms{theirs * 1e3:8.1f}ms{theirs / ours:8.2f}  {', '.join(left)}", flush=True)


if __name__ == "__main__":
    main()

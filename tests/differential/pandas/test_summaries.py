"""Summaries of columns, and reductions of each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from compare import check
from frames import FRAMES

COLUMNS = ["i", "small", "unsigned", "f", "g", "b", "s", "t", "d", "k"]

PROGRAMS: dict[str, Any] = {
    **{f"{op}-{name}": lambda pd, df, op=op, n=name: getattr(df[n], op)() for op in ("idxmin", "idxmax", "argmin", "argmax") for name in ["t", "d"]},
    **{f"counts-{name}": lambda pd, df, n=name: df[n].value_counts() for name in COLUMNS},
    **{f"counts-missing-{name}": lambda pd, df, n=name: df[n].value_counts(dropna=False) for name in COLUMNS},
    "counts-share": lambda pd, df: df["s"].value_counts(normalize=True),
    "counts-rising": lambda pd, df: df["k"].value_counts(ascending=True),
    "counts-unsorted": lambda pd, df: df["k"].value_counts(sort=False),
    "counts-of-mask": lambda pd, df: df[df["k"] > 1]["s"].value_counts(),
    "counts-head": lambda pd, df: df["s"].value_counts().head(2),
    "counts-reset": lambda pd, df: df["s"].value_counts().reset_index(),
    "counts-frame": lambda pd, df: df[["k", "b"]].value_counts(),
    "counts-subset": lambda pd, df: df.value_counts(["k", "b"], normalize=True),
    **{f"mode-{name}": lambda pd, df, n=name: df[n].mode() for name in COLUMNS},
    "row-sum": lambda pd, df: df[["k", "i"]].sum(axis=1),
    "row-sum-narrow": lambda pd, df: df[["small"]].sum(axis=1),
    "row-sum-mixed": lambda pd, df: df[["k", "f"]].sum(axis=1),
    "row-mean": lambda pd, df: df[["k", "small"]].mean(axis=1),
    "row-mean-mixed": lambda pd, df: df[["k", "f"]].mean(axis=1),
    "row-max": lambda pd, df: df[["k", "i"]].max(axis="columns"),
    "row-min-mixed": lambda pd, df: df[["k", "f"]].min(axis=1),
    "row-prod": lambda pd, df: df[["k", "small"]].prod(axis=1),
    "row-std": lambda pd, df: df[["k", "small"]].std(axis=1),
    "row-var-mixed": lambda pd, df: df.assign(x=df["k"] * 0.5)[["k", "x", "small"]].var(axis=1),
    "row-count": lambda pd, df: df.count(axis=1),
    "row-any": lambda pd, df: df.isna().any(axis=1),
    "row-all": lambda pd, df: df.notna().all(axis=1),
    "rows-with-missing": lambda pd, df: df[df[["f", "s"]].isna().any(axis=1)],
    "agg-name": lambda pd, df: df["k"].agg("sum"),
    "agg-list": lambda pd, df: df["k"].agg(["sum", "mean", "count"]),
    "agg-frame": lambda pd, df: df[["k", "small"]].agg("sum"),
}

#: What has no answer, or another one, where there are no rows or where something is missing.
EITHER: dict[str, Any] = {
    **{f"{op}-{name}": lambda pd, df, op=op, n=name: getattr(df[n], op)() for op in ("idxmin", "idxmax", "argmin", "argmax") for name in ["i", "f", "b", "s", "t"]},
    **{f"describe-{name}": lambda pd, df, n=name: df[n].describe() for name in ["k", "small", "g", "s", "b", "t"]},
    "describe-floats": lambda pd, df: (df["k"] * 0.5).describe(),
    "describe-frame": lambda pd, df: df[["k", "s"]].describe(),
    "describe-all": lambda pd, df: df.drop(columns=["t", "d", "f", "i"]).describe(),
    "describe-every": lambda pd, df: df[["k", "s", "b", "c", "g"]].describe(include="all"),
    "describe-times": lambda pd, df: df[["k", "t"]].describe(),
    "describe-text-only": lambda pd, df: df.describe(include=["str", "category"]),
    "describe-but-floats": lambda pd, df: df[["k", "g", "s"]].describe(exclude=["float32"]),
    "describe-percentiles": lambda pd, df: df[["k", "g"]].describe(percentiles=[0.1, 0.999]),
    "describe-no-percentiles": lambda pd, df: df["k"].describe(percentiles=[]),
    "describe-duplicated-percentiles": lambda pd, df: df["k"].describe(percentiles=[0.1, 0.1]),
    "describe-of-nothing": lambda pd, df: df[[]].describe(),
    "describe-deprecated": lambda pd, df: df["k"].describe(include="all"),
    "quantile-narrow": lambda pd, df: df[["g", "small"]].quantile(0.3),
    "quantiles-narrow": lambda pd, df: df[["g", "small", "k"]].quantile([0.3, 0.95]),
    "quantiles-narrow-floats": lambda pd, df: df["g"].quantile([0.1, 0.7]),
    "quantiles-narrow-there": lambda pd, df: df["g"].dropna().quantile([0.1, 0.7]),
    "quantiles-far-apart": lambda pd, df: df[["small", "i", "unsigned"]].quantile([0.1, 0.5]),
    "quantile-frame": lambda pd, df: df[["k"]].quantile(0.3),
    "quantiles-frame": lambda pd, df: df[["k"]].quantile([0.3, 0.9]),
    "quantiles": lambda pd, df: df["k"].quantile([0.1, 0.9]),
    "quantile-wrong": lambda pd, df: df["k"].quantile(1.5),
    "agg-lists": lambda pd, df: df[["k", "small"]].agg(["sum", "mean"]),
    "agg-dict": lambda pd, df: df.agg({"k": "sum", "small": "mean"}),
    "agg-dict-lists": lambda pd, df: df.agg({"k": ["sum", "mean"]}),
    "agg-function": lambda pd, df: df["k"].agg(np.sum),
    "agg-list-most": lambda pd, df: df["k"].agg(["sum", "max"]),
    "row-max-more": lambda pd, df: df[["k", "i"]].max(axis=1) + 1,
    "agg-mixed": lambda pd, df: df[["k", "small"]].agg(["sum", "count", "std"]),
    "corr": lambda pd, df: df.assign(x=df["k"] * 0.5 + df["small"])[["k", "x"]].corr(),
    "cov": lambda pd, df: df.assign(x=df["k"] * 0.5)[["k", "x"]].cov(),
    "corr-missing": lambda pd, df: df[["k", "g"]].corr(),
    "corr-text": lambda pd, df: df[["k", "s"]].corr(),
    "counts-category": lambda pd, df: df["c"].value_counts(),
    "counts-bins": lambda pd, df: df["k"].value_counts(bins=2),
    "counts-one": lambda pd, df: df.value_counts("k"),
    "counts-one-list": lambda pd, df: df.value_counts(["k"]),
    "mode-category": lambda pd, df: df["c"].mode(),
    "mode-missing": lambda pd, df: df["s"].mode(dropna=False),
    "mode-frame": lambda pd, df: df[["k", "b"]].mode(),
    "row-sum-all": lambda pd, df: df.sum(axis=1),
    "row-sum-numbers": lambda pd, df: df[["k", "s", "small"]].sum(axis=1, numeric_only=True),
    "row-sum-truth": lambda pd, df: df[["k", "b"]].sum(axis=1),
    "row-any-numbers": lambda pd, df: df[["k", "f"]].any(axis=1),
    "row-median": lambda pd, df: df[["k", "small"]].median(axis=1),
    "row-sum-missing": lambda pd, df: df[["k", "f"]].sum(axis=1, skipna=False),
    "row-unsigned": lambda pd, df: df[["k", "unsigned"]].sum(axis=1),
    "numpy-max": lambda pd, df: np.max(df["k"]),
    "numpy-std": lambda pd, df: np.std(df["k"]),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_summaries(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAMES[frame](), rtol=1e-12)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", EITHER)
def test_summaries_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), native=False, rtol=1e-12)

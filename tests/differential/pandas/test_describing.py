"""Descriptions of columns of many kinds, and counts of categories."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check
from frames import FRAMES

SERIES: dict[str, Any] = {
    "whole": lambda pd, df: df["k"].describe(),
    "narrow": lambda pd, df: df["small"].describe(),
    "unsigned": lambda pd, df: df["small"].abs().astype("uint16").describe(),
    "floats": lambda pd, df: (df["k"] / 3).describe(),
    "missing": lambda pd, df: (df["f"].where(df["f"].abs() < 10) + 1).describe(),
    "text": lambda pd, df: df["s"].describe(),
    "truth": lambda pd, df: df["b"].describe(),
    "categories": lambda pd, df: df["c"].describe(),
    "ordered": lambda pd, df: df["c"].cat.as_ordered().describe(),
    "categories-of-numbers": lambda pd, df: df["k"].astype("category").describe(),
    "percentiles": lambda pd, df: df["k"].describe(percentiles=[0.1, 0.07, 0.999]),
    "percentiles-array": lambda pd, df: df["k"].describe(percentiles=np.array([0.5])),
    "no-percentiles": lambda pd, df: df["k"].describe(percentiles=[]),
    "lazy": lambda pd, df: (df["k"] * 2).describe().loc["mean"],
    "attrs": lambda pd, df: _with_attrs(df["k"]).describe().attrs,
}
TABLES: dict[str, Any] = {
    "default": lambda pd, df: df[["k", "small", "s", "b", "c"]].describe(),
    "all": lambda pd, df: df[["k", "s", "small", "b", "c"]].describe(include="all"),
    "text": lambda pd, df: df.describe(include=["str"]),
    "numbers": lambda pd, df: df[["k", "s", "small"]].describe(include=[np.number]),
    "no-numbers": lambda pd, df: df[["k", "s", "b", "c"]].describe(exclude=[np.number]),
    "categories": lambda pd, df: df.describe(include="category"),
    "truth": lambda pd, df: df[["k", "b"]].describe(include=[bool]),
    "only-text": lambda pd, df: df[["s", "c"]].describe(),
    "percentiles": lambda pd, df: df[["k", "s"]].describe(percentiles=[0.05, 0.95], include="all"),
    "labels-twice": lambda pd, df: df[["k", "k", "s"]].describe(include="all"),
    "turned": lambda pd, df: df[["k", "small"]].describe().T,
    "levels": lambda pd, df: df[["k", "small"]].set_axis(pandas_levels(), axis=1).describe(),
}


def _with_attrs(value: Any) -> Any:
    value.attrs["told"] = 1
    return value


def pandas_levels() -> Any:
    return pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["x", "y"])


@pytest.mark.parametrize("frame", [name for name in FRAMES if name != "empty"])
@pytest.mark.parametrize("program", {**SERIES, **TABLES})
def test_descriptions(program: str, frame: str, configuration: str) -> None:
    check({**SERIES, **TABLES}[program], _near(FRAMES[frame]()), rtol=1e-12)


def _near(frame: pd.DataFrame) -> pd.DataFrame:
    """The same with narrow numbers that are not far apart."""
    return frame.assign(small=frame["small"] // 2)


LEFT: dict[str, Any] = {
    "included": lambda pd, df: df["s"].describe(include="all"),
    "far-apart": lambda pd, df: df[["k", "small"]].describe(),
    "far-apart-whole": lambda pd, df: df["i"].describe(),
    "narrow-floats": lambda pd, df: df["g"].describe(),
    "timestamps": lambda pd, df: df["t"].describe(),
    "spans": lambda pd, df: df["d"].describe(),
    "large": lambda pd, df: df["unsigned"].describe(),
    "Int64": lambda pd, df: df["k"].astype("Int64").describe(),
    "string": lambda pd, df: df["s"].astype("string").describe(),
    "object": lambda pd, df: df["s"].astype(object).describe(),
    "frame": lambda pd, df: df.drop(columns="f").describe(),
    "frame-all": lambda pd, df: df[["k", "t"]].describe(include="all"),
    "none-there": lambda pd, df: df[["k"]].describe(include=["category"]),
    "no-columns": lambda pd, df: df[[]].describe(),
    "both": lambda pd, df: df.describe(include="all", exclude=["str"]),
    "wrong-dtype": lambda pd, df: df.describe(include=["nothing"]),
    "percentile-beyond": lambda pd, df: df["k"].describe(percentiles=[1.5]),
    "percentiles-twice": lambda pd, df: df["k"].describe(percentiles=[0.5, 0.5]),
    "percentile": lambda pd, df: df["k"].describe(percentiles=0.5),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", ["mixed", "empty", "one", "all-missing", "labelled"])
@pytest.mark.parametrize("program", {**LEFT, **SERIES, **TABLES})
def test_left_to_pandas(program: str, frame: str) -> None:
    check({**LEFT, **SERIES, **TABLES}[program], FRAMES[frame](), native=False, rtol=1e-12)


COUNTS: dict[str, Any] = {
    "plain": lambda pd, df: df["c"].value_counts(),
    "missing": lambda pd, df: df["c"].value_counts(dropna=False),
    "shares": lambda pd, df: df["c"].value_counts(normalize=True),
    "shares-missing": lambda pd, df: df["c"].value_counts(normalize=True, dropna=False),
    "unsorted": lambda pd, df: df["c"].value_counts(sort=False),
    "ascending": lambda pd, df: df["c"].value_counts(ascending=True),
    "ordered": lambda pd, df: df["c"].cat.as_ordered().value_counts(),
    "of-numbers": lambda pd, df: df["k"].astype("category").value_counts(),
    "filtered": lambda pd, df: df[df["k"] > 1]["c"].value_counts(),
    "then": lambda pd, df: df["c"].value_counts().head(2).reset_index(),
    "cut": lambda pd, df: pd.cut(df["k"], [0, 1, 2, 5]).value_counts(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", COUNTS)
def test_counts_of_categories(program: str, frame: str, configuration: str) -> None:
    check(COUNTS[program], FRAMES[frame]())


COUNTS_LEFT: dict[str, Any] = {
    "bins": lambda pd, df: df["c"].value_counts(bins=2),
    "no-truth": lambda pd, df: df["c"].value_counts(sort=2),
    "no-categories": lambda pd, df: df["c"].cat.set_categories([]).value_counts(),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", ["mixed", "empty", "all-missing"])
@pytest.mark.parametrize("program", COUNTS_LEFT)
def test_counts_left_to_pandas(program: str, frame: str) -> None:
    check(COUNTS_LEFT[program], FRAMES[frame](), native=False)

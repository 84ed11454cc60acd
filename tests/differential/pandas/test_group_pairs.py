"""How columns go together within groups, lists of their values, and rows of them at random."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES

import airloom.pandas

ROWS = ("mixed", "labelled", "dated", "several", "range", "long")


def pairs(df: Any) -> Any:
    """A frame with numbers of which some are missing, and one column that is the same everywhere."""
    return df.assign(
        h=np.resize(np.array([1.5, np.nan, -2.0, 0.25, 7.0, np.nan, 3.0]), len(df)),
        v=np.resize(np.array([2.5, -1.0, 0.0, 4.0, 8.0, 3.0, 1.0]), len(df)),
        w=np.resize(np.array([2, 9, 4, 4, 3, 0, 1]), len(df)),
        same=0.1,
        two=np.arange(len(df)) % 2,
    )


NATIVE: dict[str, Any] = {
    "corr": lambda pd, df: df.groupby("two")[["v", "w"]].corr(),
    "corr-all": lambda pd, df: df[["two", "v", "w", "h"]].groupby("two").corr(),
    "corr-missing": lambda pd, df: df.groupby("two")[["v", "h", "g", "same"]].corr(),
    "corr-few": lambda pd, df: df.groupby("two")[["v", "h"]].corr(min_periods=5),
    "corr-numbers": lambda pd, df: df[["two", "v", "s", "h"]].groupby("two").corr(numeric_only=True),
    "corr-by-two": lambda pd, df: df.groupby(["two", "b"])[["v", "w"]].corr(),
    "corr-by-text": lambda pd, df: df.groupby("s")[["v", "w"]].corr(),
    "corr-by-text-missing": lambda pd, df: df.groupby("s", dropna=False)[["v", "w"]].corr(),
    "corr-unsorted": lambda pd, df: df.groupby("k", sort=False)[["v", "w"]].corr(),
    "corr-one": lambda pd, df: df.groupby("two")[["v"]].corr(),
    "cov": lambda pd, df: df.groupby("two")[["v", "w"]].cov(),
    "cov-missing": lambda pd, df: df.groupby("two")[["v", "h", "g"]].cov(),
    "corr-then": lambda pd, df: df.groupby("two")[["v", "w"]].corr().reset_index(),
    **{f"list-{name}": lambda pd, df, n=name: df.groupby("k")[n].agg(list) for name in ("i", "f", "g", "small", "b", "unsigned")},
    "list-apply": lambda pd, df: df.groupby("k")["i"].apply(list),
    "list-text": lambda pd, df: df.assign(s=df["s"].fillna("none")).groupby("k")["s"].agg(list),
    "list-frame": lambda pd, df: df.groupby("k")[["i", "f"]].agg(list),
    "list-by-label": lambda pd, df: df.groupby("k").agg({"i": list, "f": "max"}),
    "list-named": lambda pd, df: df.groupby("k").agg(all=("i", list), most=("i", "max")),
    "list-keys": lambda pd, df: df.groupby("k", as_index=False)["i"].agg(list),
    "list-reset": lambda pd, df: df.groupby("k")["i"].apply(list).reset_index(),
    "list-exploded": lambda pd, df: df.groupby("k")["i"].agg(list).explode(),
    "sample": lambda pd, df: df.groupby("two").sample(2, random_state=3),
    "sample-share": lambda pd, df: df.groupby("two").sample(frac=0.5, random_state=3),
    "sample-again": lambda pd, df: df.groupby("two").sample(n=10, replace=True, random_state=3),
    "sample-series": lambda pd, df: df.groupby("two")["s"].sample(2, random_state=1),
    "sample-columns": lambda pd, df: df.groupby("two")[["s", "k"]].sample(1, random_state=1),
    "sample-by-text": lambda pd, df: df.groupby("s").sample(1, random_state=7),
    "sample-unsorted": lambda pd, df: df.groupby("k", sort=False).sample(1, random_state=7),
}

EITHER: dict[str, Any] = {
    "corr-text": lambda pd, df: df.groupby("two")[["v", "s"]].corr(),
    "corr-ranks": lambda pd, df: df.groupby("two")[["v", "w"]].corr(method="spearman"),
    "corr-keys": lambda pd, df: df.groupby("two", as_index=False)[["v", "w"]].corr(),
    "cov-one": lambda pd, df: df.groupby("i")[["v", "w"]].cov(),
    "cov-ddof": lambda pd, df: df.groupby("two")[["v", "w"]].cov(ddof=0),
    "list-missing": lambda pd, df: df.groupby("k")["s"].agg(list),
    "list-times": lambda pd, df: df.groupby("k")["t"].agg(list),
    "list-categories": lambda pd, df: df.groupby("c", observed=False)["i"].agg(list),
    "sample-many": lambda pd, df: df.groupby("two").sample(1000, random_state=1),
    "sample-both": lambda pd, df: df.groupby("two").sample(n=1, frac=0.5),
    "sample-weights": lambda pd, df: df.groupby("two").sample(1, weights=np.arange(len(df)) + 1, random_state=1),
    "corrwith": lambda pd, df: df.groupby("two")[["v", "w"]].corrwith(df["h"]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", ROWS)
@pytest.mark.parametrize("program", NATIVE)
def test_group_pairs(program: str, frame: str, configuration: str) -> None:
    check(NATIVE[program], pairs(FRAMES[frame]()), rtol=1e-10)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", [*EITHER, *NATIVE])
def test_group_pairs_by_either(program: str, frame: str, configuration: str) -> None:
    check({**EITHER, **NATIVE}[program], pairs(FRAMES[frame]()), native=False, rtol=1e-10)


def together(count: int = 40) -> pandas.DataFrame:
    """Groups of several rows, of few, and of one."""
    rng = np.random.default_rng(5)
    frame = pandas.DataFrame({"k": np.resize(np.array([1, 2, 1, 1, 2, 1, 3]), count), "x": rng.normal(size=count), "y": rng.normal(size=count) + 1e6, "i": np.arange(count) ** 2 % 17})
    return frame.assign(z=frame["x"].where(frame["i"] > 2))


WITH: dict[str, Any] = {
    "series": lambda pd, df: df.groupby("k").corrwith(df["x"] * 2 + df["i"]),
    "chosen": lambda pd, df: df.groupby("k")[["x", "z"]].corrwith(df["y"]),
    "text-beside": lambda pd, df: df.assign(s="a").groupby("k").corrwith(df["i"], numeric_only=True),
    "two-keys": lambda pd, df: df.assign(q=df["i"] > 8).groupby(["k", "q"])[["x"]].corrwith(df["z"]),
}
WITH_EITHER: dict[str, Any] = {
    **WITH,
    "frame": lambda pd, df: df.groupby("k").corrwith(df[["x", "y"]]),
    "ranks": lambda pd, df: df.groupby("k").corrwith(df["x"], method="kendall"),
    "constant": lambda pd, df: df.assign(c=0.1).groupby("k").corrwith(df["x"]),
    "other-rows": lambda pd, df: df.groupby("k").corrwith(df["x"].iloc[3:]),
    "twice": lambda pd, df: df.set_axis([0] * len(df)).groupby("k").corrwith(df.set_axis([0] * len(df))["x"]).round(9) + 0.0,
    "itself": lambda pd, df: df.groupby("k").corrwith(df["k"]),
    "number": lambda pd, df: df.groupby("k").corrwith(1),
}


@pytest.mark.filterwarnings("ignore:DataFrameGroupBy.corrwith is deprecated")
@pytest.mark.parametrize("program", WITH)
def test_groups_with_a_series(program: str, configuration: str) -> None:
    check(WITH[program], together(), rtol=1e-9)


@pytest.mark.filterwarnings("ignore:DataFrameGroupBy.corrwith is deprecated")
@pytest.mark.parametrize("count", [0, 1, 7, 40])
@pytest.mark.parametrize("program", WITH_EITHER)
def test_groups_with_a_series_by_either(program: str, count: int, configuration: str) -> None:
    check(WITH_EITHER[program], together(count), native=False, rtol=1e-9)


def test_groups_with_a_series_warn_once(configuration: str) -> None:
    frame = airloom.pandas.DataFrame(together())
    with pytest.warns(pandas.errors.Pandas4Warning, match="corrwith is deprecated") as heard:
        frame.groupby("k")[["x"]].corrwith(frame["y"])
    assert [warning.filename for warning in heard] == [__file__]

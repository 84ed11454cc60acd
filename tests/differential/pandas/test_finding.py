"""Where values stand, what they are replaced by, and where they differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check, writes
from frames import FRAMES


def updated(df: Any, other: Any, **options: Any) -> Any:
    df.update(other, **options)
    return df


def copied(df: Any, other: Any, **options: Any) -> Any:
    made = df.copy()
    made.update(other, **options)
    return made


KINDS = ("i", "small", "f", "g", "b", "s", "t", "d", "k")

NATIVE: dict[str, Any] = {
    **{f"first-valid-{name}": lambda pd, df, n=name: df[n].first_valid_index() for name in (*KINDS, "c")},
    **{f"last-valid-{name}": lambda pd, df, n=name: df[n].last_valid_index() for name in (*KINDS, "c")},
    "first-valid-frame": lambda pd, df: df[["s", "g"]].first_valid_index(),
    "last-valid-frame": lambda pd, df: df[["s", "f", "t"]].last_valid_index(),
    "first-valid-of-mask": lambda pd, df: df[df["k"] > 1]["f"].first_valid_index(),
    "last-valid-shifted": lambda pd, df: df["f"].shift(2).first_valid_index(),
    **{f"argsort-{name}": lambda pd, df, n=name: df[n].argsort(kind="stable") for name in KINDS},
    "argsort-then": lambda pd, df: df["k"].argsort(kind="stable") + 1,
    "argsort-of-mask": lambda pd, df: df[df["k"] > 1]["i"].argsort(kind="mergesort"),
}

FULL: dict[str, Any] = {
    "mode-frame": lambda pd, df: df[["k", "small", "s", "g"]].mode(),
    "mode-frame-missing": lambda pd, df: df[["k", "s", "f", "t"]].mode(dropna=False),
    "mode-frame-numbers": lambda pd, df: df[["k", "s", "g"]].mode(numeric_only=True),
    **{f"factorize-{name}": lambda pd, df, n=name: df[n].factorize() for name in KINDS if name != "s"},
    **{f"factorize-sorted-{name}": lambda pd, df, n=name: df[n].factorize(sort=True) for name in KINDS if name != "s"},
    "factorize-function": lambda pd, df: pd.factorize(df["k"]),
    "factorize-text": lambda pd, df: df["s"].str.slice(0, 1).factorize(),
    "factorize-text-sorted": lambda pd, df: df["s"].str.slice(0, 1).factorize(sort=True),
    "compare": lambda pd, df: df[["k", "s", "f"]].compare(df.assign(k=df["k"].replace(2, 5), s=df["s"].fillna("z"))[["k", "s", "f"]]),
    "compare-shape": lambda pd, df: df[["k", "s", "t", "b"]].compare(df.assign(k=df["k"] * 2)[["k", "s", "t", "b"]], keep_shape=True),
    "compare-equal": lambda pd, df: df[["k", "small"]].compare(df.assign(k=df["k"].replace(2, 5))[["k", "small"]] + 1, keep_equal=True),
    "compare-both": lambda pd, df: df[["k", "small"]].compare(df[["k", "small"]] * 2, keep_equal=True, keep_shape=True),
    "compare-named": lambda pd, df: df[["k", "i"]].compare(df[["k", "i"]] + 1, result_names=("left", "right")),
    **{f"compare-series-{name}": lambda pd, df, n=name: df[n].compare(df[n].shift(1).fillna(df[n])) for name in ("f", "s", "t")},
    "compare-series": lambda pd, df: df["k"].compare(df["k"].replace(1, 7)),
    "compare-series-shape": lambda pd, df: df["k"].compare(df["k"].replace(1, 7), keep_shape=True),
    "compare-series-equal": lambda pd, df: df["k"].compare(df["k"].replace(1, 7), keep_equal=True),
}

ONCE: dict[str, Any] = {
    "update": writes(lambda pd, df: updated(df, df[["k", "s", "f"]].iloc[::2].assign(k=100))),
    "update-copy": lambda pd, df: copied(df, df[["k", "s", "f"]].iloc[::-1].assign(f=df["f"].shift(1))),
    "update-rows": lambda pd, df: copied(df, df.iloc[2:5][["t", "b", "small"]].assign(b=True)),
    "update-missing-only": lambda pd, df: copied(df, df[["f", "s"]].assign(f=1.5, s="new"), overwrite=False),
    "update-made": lambda pd, df: copied(df[df["k"] > 1][["k", "g"]], df[["k"]] * 2),
    "update-others": lambda pd, df: copied(df, pd.DataFrame({"k": [77], "unknown": [1]}, index=df.index[:1])),
    "update-series": writes(lambda pd, df: updated(df["f"], df["f"].iloc[1:4] * 2)),
    "update-series-text": lambda pd, df: copied(df["s"], df["s"].iloc[::-1].shift(1)),
    "update-series-same": lambda pd, df: copied(df["k"], df["k"] * 2),
}

EITHER: dict[str, Any] = {
    "argsort": lambda pd, df: len(df["i"].argsort()),
    "argsort-category": lambda pd, df: df["c"].argsort(kind="stable"),
    "factorize-held": lambda pd, df: df["s"].factorize(),
    "factorize-category": lambda pd, df: df["c"].factorize(),
    "factorize-missing": lambda pd, df: df["s"].factorize(use_na_sentinel=False),
    "mode-rows": lambda pd, df: df[["k", "small"]].mode(axis=1),
    "compare-other-labels": lambda pd, df: df[["k"]].compare(df[["i"]]),
    "compare-other-rows": lambda pd, df: df[["k"]].compare(df[["k"]].iloc[1:]),
    "compare-nothing": lambda pd, df: df[["k", "s"]].compare(df[["k", "s"]]),
    "compare-kinds": lambda pd, df: df[["k"]].compare(df[["k"]] * 0.5),
    "compare-rows": lambda pd, df: df[["k"]].compare(df[["k"]] + 1, align_axis=0),
    "compare-what": lambda pd, df: df[["k"]].compare(df["k"]),
    "update-kinds": lambda pd, df: copied(df, df[["k"]] * 1.5),
    "update-raise": lambda pd, df: copied(df, df[["k"]], errors="raise"),
    "update-function": lambda pd, df: copied(df, df[["k"]] * 2, filter_func=lambda values: values > 1),
    "update-list": lambda pd, df: copied(df["k"], [5, 6]),
    "update-series-kinds": lambda pd, df: copied(df["k"], df["f"]),
    "asof": lambda pd, df: df[["k"]].asof(3),
}


def dated(name: str) -> pandas.DataFrame:
    """Rows with times that rise as labels."""
    df = FRAMES["long"]().set_axis(pandas.date_range("2020-01-01", periods=100, freq="6h"))
    return df.iloc[: {"one": 1, "some": 7, "long": 100}[name]]


TIMES: dict[str, Any] = {
    "asof": lambda pd, df: df[["k", "f", "s", "b"]].asof(pandas.date_range("2020-01-01 01:00", periods=20, freq="10h")),
    "asof-subset": lambda pd, df: df[["k", "f", "s"]].asof(pandas.date_range("2020-01-01 01:00", periods=20, freq="10h"), subset="k"),
    "asof-before": lambda pd, df: df[["f", "s", "t"]].asof(pandas.date_range("2019-12-31", periods=20, freq="10h")),
    "asof-one": lambda pd, df: df[["k", "small"]].asof(pandas.Timestamp("2020-01-02 01:00")),
    "asof-text": lambda pd, df: df[["k", "small"]].asof("2020-01-02 01:00"),
    "asof-series": lambda pd, df: df["f"].asof(pandas.date_range("2019-12-31", periods=20, freq="10h")),
    "asof-series-one": lambda pd, df: df["k"].asof("2020-01-02 01:00"),
    "asof-series-list": lambda pd, df: df["s"].asof([pandas.Timestamp("2020-01-02"), pandas.Timestamp("2020-01-03 05:00")]),
}

TIMES_EITHER: dict[str, Any] = {
    "asof-whole-before": lambda pd, df: df["k"].asof(pandas.date_range("2019-12-31", periods=20, freq="10h")),
    "asof-one-before": lambda pd, df: df[["k", "f"]].asof("2019-01-01"),
    "asof-series-before": lambda pd, df: df["k"].asof("2019-01-01"),
    "asof-unsorted": lambda pd, df: df[::-1]["k"].asof("2020-01-02"),
    "asof-nothing": lambda pd, df: (df[["f"]] * np.nan).asof("2020-01-02"),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", NATIVE)
def test_finding(program: str, frame: str, configuration: str) -> None:
    check(NATIVE[program], FRAMES[frame]())


@pytest.mark.parametrize("frame", [name for name in FRAMES if name not in ("empty", "one", "two", "all-missing")])
@pytest.mark.parametrize("program", FULL)
def test_finding_in_rows(program: str, frame: str, configuration: str) -> None:
    check(FULL[program], FRAMES[frame]())


@pytest.mark.parametrize("frame", ["mixed", "dated", "shuffled", "range", "long", "one", "two"])
@pytest.mark.parametrize("program", ONCE)
def test_updating(program: str, frame: str, configuration: str) -> None:
    check(ONCE[program], FRAMES[frame]())


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", [*EITHER, *FULL, *ONCE])
def test_finding_by_either(program: str, frame: str, configuration: str) -> None:
    check({**EITHER, **FULL, **ONCE}[program], FRAMES[frame](), native=False)


@pytest.mark.parametrize("frame", ["one", "some", "long"])
@pytest.mark.parametrize("program", TIMES)
def test_values_of_times_before(program: str, frame: str, configuration: str) -> None:
    check(TIMES[program], dated(frame))


@pytest.mark.parametrize("frame", ["one", "some", "long"])
@pytest.mark.parametrize("program", TIMES_EITHER)
def test_values_of_times_before_by_either(program: str, frame: str, configuration: str) -> None:
    check(TIMES_EITHER[program], dated(frame), native=False)

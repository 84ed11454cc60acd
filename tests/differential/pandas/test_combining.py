"""`combine`, by a function of each two values or of each two columns; and labels with something before or after them."""

from __future__ import annotations

import operator
from typing import Any

import frames
import numpy as np
import pandas as pd
import pytest
from compare import check
from frames import FRAMES


def _larger(one: Any, two: Any) -> Any:
    if one > two:
        return one
    return two


#: Of two series with the same labels.
SAME = {
    "max": lambda pd, df: df["i"].combine(df["k"], max),
    "min-floats": lambda pd, df: df["f"].combine(df["f"] * 2, min),
    "lambda": lambda pd, df: df["k"].combine(df["k"] * 3, lambda a, b: a * 2 - b),
    "division": lambda pd, df: df["k"].combine(df["k"] + 1, lambda a, b: a / b),
    "condition": lambda pd, df: df["f"].combine(df["k"], lambda a, b: a if a > b else 0.5),
    "two-kinds": lambda pd, df: df["f"].combine(df["k"], lambda a, b: 1 if a > b else 0.5),
    "truth": lambda pd, df: df["f"].combine(df["k"], lambda a, b: a < b),
    "function": lambda pd, df: df["k"].combine(df["k"] % 2, _larger),
    "text": lambda pd, df: df["k"].combine(df["k"], lambda a, b: "odd" if a % 2 else "even"),
    "scalar": lambda pd, df: df["k"].combine(2, max),
    "scalar-float": lambda pd, df: df["f"].combine(0.5, lambda a, b: a + b),
    "scalar-of-truth": lambda pd, df: df["b"].combine(3, lambda a, b: b if a else -b),
    "name": lambda pd, df: df["f"].combine(df["f"].rename("f") + 1, lambda a, b: a - b),
    "maximum": lambda pd, df: df["f"].combine(df["k"], np.maximum),
    "whole-maximum": lambda pd, df: df["i"].combine(df["k"], np.maximum),
}


@pytest.mark.parametrize("frame", [name for name in FRAMES if name not in ("empty", "labelled", "several", "shuffled")])
@pytest.mark.parametrize("name", SAME)
def test_same_labels(name: str, frame: str) -> None:
    check(SAME[name], FRAMES[frame]())


@pytest.mark.parametrize("frame", ["empty", "labelled", "several", "shuffled"])
@pytest.mark.parametrize("name", SAME)
def test_labels_that_are_empty_or_out_of_order(name: str, frame: str) -> None:
    check(SAME[name], FRAMES[frame](), native=False)


#: What is left to pandas, or pandas complains about.
LEFT = {
    "division-by-zero": lambda pd, df: df["k"].combine(df["k"] - 1, lambda a, b: a / b),
    "large-numbers-beside-floats": lambda pd, df: df["f"].combine(df["i"], lambda a, b: a < b),
    "narrow": lambda pd, df: df["small"].combine(df["small"], lambda a, b: a + b),
    "narrow-floats": lambda pd, df: df["g"].combine(df["g"], max),
    "overflow": lambda pd, df: df["i"].combine(df["i"], lambda a, b: a + b),
    "missing-text": lambda pd, df: df["s"].combine(df["s"], lambda a, b: a + b),
    "categories": lambda pd, df: df["c"].combine(df["c"], lambda a, b: a),
    "timestamps": lambda pd, df: df["t"].combine(df["t"], lambda a, b: a),
    "operator": lambda pd, df: df["k"].combine(df["k"], operator.add),
    "list": lambda pd, df: df["k"].combine([1], lambda a, b: a),
    "other-name": lambda pd, df: df["k"].rename_axis("x").combine(df["k"].rename_axis("y"), max),
    "no-function": lambda pd, df: df["k"].combine(df["k"], 3),
    "raises": lambda pd, df: df["k"].combine(df["k"], lambda a, b: {}[a]),
    "attrs": lambda pd, df: _with_attrs(df["k"]).combine(df["k"], max).attrs,
    "minimum-narrow": lambda pd, df: df["g"].combine(df["g"], np.minimum),
    "Int64": lambda pd, df: df["k"].astype("Int64").combine(df["k"], max),
    "levels": lambda pd, df: df.set_index(["k", "i"])["f"].combine(df.set_index(["k", "i", "small"])["f"], max),
}


def _with_attrs(series: Any) -> Any:
    series.attrs["told"] = 1
    return series


@pytest.mark.parametrize("frame", ["mixed", "one", "all-missing", "labelled"])
@pytest.mark.parametrize("name", LEFT)
def test_left(name: str, frame: str) -> None:
    check(LEFT[name], FRAMES[frame](), native=False)


OTHERS = {
    "max": lambda pd, a, b: a["x"].combine(b["x"], max),
    "sum": lambda pd, a, b: a["x"].combine(b["y"], lambda one, two: one + two),
    "filled": lambda pd, a, b: a["x"].combine(b["x"], lambda one, two: one + two, fill_value=0.0),
    "choice": lambda pd, a, b: a["x"].combine(b["x"], lambda one, two: one if one > two else two, fill_value=-1.0),
    "minimum": lambda pd, a, b: a["x"].combine(b["x"], np.minimum, fill_value=9.5),
}
PAIRS = {
    "text": (["a", "b", "c"], ["c", "d", "a", "e"]),
    "whole": ([3, 1, 2], [2, 5, 3, 9]),
    "ranges": (range(3), range(2, 6)),
    "days": (pd.date_range("2020-01-01", periods=3), pd.date_range("2020-01-02", periods=4)),
    "equal-but-moved": (["a", "b", "c"], ["c", "b", "a"]),
}


def _pair(one: Any, two: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    first = pd.DataFrame({"x": [1.5, np.nan, 3.0], "n": [1, 2, 3]}, index=pd.Index(one))
    values = [2.5, 7.0, -0.0, np.inf][: len(two)]
    return first, pd.DataFrame({"x": values, "y": values[::-1], "n": range(len(two))}, index=pd.Index(two))


@pytest.mark.parametrize("labels", PAIRS)
@pytest.mark.parametrize("name", OTHERS)
def test_other_labels(name: str, labels: str) -> None:
    check(OTHERS[name], *_pair(*PAIRS[labels]))


@pytest.mark.parametrize("fill_value", [None, 0, 0.0])
@pytest.mark.parametrize("labels", [*PAIRS, "twice"])
def test_other_labels_of_whole_numbers(labels: str, fill_value: Any) -> None:
    pair = _pair(*PAIRS.get(labels, (["a", "a", "b"], ["b", "b", "a"])))
    check(lambda pd, a, b: a["n"].combine(b["n"], max, fill_value), *pair, native=False)


WHOLE = {
    "smaller": lambda pd, a, b: a.combine(b, lambda one, two: one if one.sum() < two.sum() else two),
    "minimum": lambda pd, a, b: a.combine(b, np.minimum),
    "arithmetic": lambda pd, a, b: a.combine(b, lambda one, two: one * 2 + two),
    "where": lambda pd, a, b: a.combine(b, lambda one, two: one.where(one > two, two)),
    "truth": lambda pd, a, b: a.combine(b, lambda one, two: one > two),
    "filled": lambda pd, a, b: a[["x"]].combine(b[["x", "y"]], lambda one, two: one + two, fill_value=0),
    "kept": lambda pd, a, b: a.combine(b, lambda one, two: two, overwrite=False),
    "own": lambda pd, a, b: a.combine(a, lambda one, two: one - two),
}


@pytest.mark.parametrize("labels", PAIRS)
@pytest.mark.parametrize("name", WHOLE)
def test_frames(name: str, labels: str) -> None:
    check(WHOLE[name], *_pair(*PAIRS[labels]), rtol=1e-12)


FRAMES_LEFT = {
    "filled-numbers": lambda pd, a, b: a.combine(b, lambda one, two: one + two, fill_value=0),
    "array": lambda pd, a, b: a.combine(b, lambda one, two: np.where(one > two, one, two)),
    "number": lambda pd, a, b: a.combine(b, lambda one, two: 1),
    "other-dtype": lambda pd, a, b: a.combine(b, lambda one, two: one / 2),
    "raises": lambda pd, a, b: a.combine(b, lambda one, two: {}["x"]),
    "no-frame": lambda pd, a, b: a.combine(b["x"], lambda one, two: one),
    "no-rows": lambda pd, a, b: a.combine(b.iloc[:0], lambda one, two: one),
    "no-rows-here": lambda pd, a, b: a.iloc[:0].combine(b, lambda one, two: two),
    "no-columns": lambda pd, a, b: a[[]].combine(b, lambda one, two: two),
    "text": lambda pd, a, b: a.assign(x="q").combine(b.assign(x="r"), lambda one, two: one + two),
    "text-and-numbers": lambda pd, a, b: a.assign(x="q").combine(b, lambda one, two: two),
    "text-of-one": lambda pd, a, b: a.assign(z="q").combine(b, lambda one, two: one),
    "truth-of-one": lambda pd, a, b: a.combine(b.assign(z=True), lambda one, two: one | two),
    "truth-and-numbers": lambda pd, a, b: a.assign(x=True).combine(b, lambda one, two: one),
    "filled-with-text": lambda pd, a, b: a.combine(b, lambda one, two: one, fill_value="q"),
    "labels-twice": lambda pd, a, b: a[["x", "x"]].combine(b, lambda one, two: one),
}


@pytest.mark.parametrize("labels", ["text", "equal-but-moved", "same"])
@pytest.mark.parametrize("name", FRAMES_LEFT)
def test_frames_left(name: str, labels: str) -> None:
    first, second = _pair(*PAIRS.get(labels, (["a", "b", "c"], ["a", "b", "c"])))
    check(FRAMES_LEFT[name], first, second, native=False)


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_of_many_dtypes(frame: str) -> None:
    check(lambda pd, df: df.combine(df, lambda one, two: one), FRAMES[frame](), native=frame not in ("empty", "labelled", "several"))


LABELS = {
    "prefix": lambda pd, df: df["f"].add_prefix("p_"),
    "suffix": lambda pd, df: df["f"].add_suffix("_s"),
    "rows-of-a-frame": lambda pd, df: df.add_prefix("p_", axis=0),
    "rows-of-a-frame-suffix": lambda pd, df: df.add_suffix("_ü", axis="index"),
    "columns": lambda pd, df: df.add_suffix(3),
    "lazy": lambda pd, df: (df["f"] * 2).add_prefix("p_"),
    "filtered": lambda pd, df: df[df["k"] > 1]["f"].add_suffix("s"),
    "by-text": lambda pd, df: df.set_index("s")["f"].add_prefix("p"),
    "by-floats": lambda pd, df: df.set_index("f")["k"].add_prefix("p"),
    "by-truth": lambda pd, df: df.set_index("b")["k"].add_prefix("p"),
    "by-narrow": lambda pd, df: df.set_index("g")["k"].add_prefix("p"),
    "by-timestamps": lambda pd, df: df.set_index("t")["k"].add_suffix("p"),
    "by-categories": lambda pd, df: df.set_index("c")["k"].add_suffix("p"),
    "number": lambda pd, df: df["f"].add_prefix(5),
    "axis": lambda pd, df: df["f"].add_prefix("p", axis="columns"),
    "axis-of-rows": lambda pd, df: df["f"].add_prefix("p", axis="index"),
    "selected": lambda pd, df: df["k"].add_prefix("p")[lambda s: s > 1],
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", LABELS)
def test_labels(name: str, frame: str) -> None:
    check(LABELS[name], FRAMES[frame]())


SEARCHES = {
    "value": lambda pd, df: df["k"].sort_values().searchsorted(2),
    "right": lambda pd, df: df["k"].sort_values().searchsorted([1, 2, 9], side="right"),
    "text": lambda pd, df: df["s"].dropna().sort_values().searchsorted("b"),
    "timestamps": lambda pd, df: df["t"].dropna().sort_values().searchsorted(pd.Timestamp("2000-01-01")),
    "sorter": lambda pd, df: df["k"].searchsorted(2, sorter=df["k"].argsort().to_numpy()),
    "wrong": lambda pd, df: df["k"].searchsorted(df),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", SEARCHES)
def test_searches(name: str, frame: str) -> None:
    check(SEARCHES[name], FRAMES[frame](), native=name != "sorter")


@pytest.mark.parametrize("label", [3, 99])
def test_a_value_taken_out(label: int) -> None:
    def program(pd: Any, df: Any) -> Any:
        series = df["f"] * 2
        return series.pop(label), series

    check(program, frames.mixed(), native=False)

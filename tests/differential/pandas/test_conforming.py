"""Frames brought to other labels and to one another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES

ONCE = ["mixed", "empty", "one", "two", "shuffled", "range", "long", "all-missing"]

CONFORMED: dict[str, Any] = {
    "filled": lambda pd, df: df[["i", "k"]].reindex([0, 1, 2, 100], fill_value=7),
    "filled-floats": lambda pd, df: df[["f", "g"]].reindex([0, 100], fill_value=7),
    "filled-whole-float": lambda pd, df: df["i"].reindex([0, 100], fill_value=4.0),
    "filled-whole-floats": lambda pd, df: df[["i", "small"]].reindex([0, 100], fill_value=4.0),
    "filled-by-position": lambda pd, df: df[["i", "k"]].reindex([2, 100, 0, 1, 1], fill_value=7),
    "filled-small": lambda pd, df: df[["small"]].reindex([2, 100, 0], fill_value=-1),
    "filled-nobody": lambda pd, df: df[["i", "f"]].reindex([2, 0], fill_value=5),
    "filled-added": lambda pd, df: df[["i", "f"]].reindex([2, 100, 0], fill_value=5) + 1,
    "filled-of-sums": lambda pd, df: (df[["i", "f"]] + 1).reindex([2, 100, 0], fill_value=5),
    "filled-series": lambda pd, df: df["k"].reindex([2, 100, 0], fill_value=5),
    "filled-series-by-keyword": lambda pd, df: df["k"].reindex(index=[2, 100, 0], fill_value=6),
    "filled-forward": lambda pd, df: df[["i", "f"]].sort_index().reindex([0, 5, 100], method="ffill", fill_value=3),
    "filled-text": lambda pd, df: df["s"].reindex([0, 100], fill_value="u"),
    "forward": lambda pd, df: df.sort_index().reindex([0, 5, 100], method="ffill"),
    "nearest": lambda pd, df: df.sort_index()["f"].reindex([0, 5, 100], method="nearest", tolerance=2),
    "columns": lambda pd, df: df.reindex(columns=["f", "new"]),
    "columns-filled": lambda pd, df: df[["i", "f"]].reindex(columns=["f", "new"], fill_value=3),
    "both": lambda pd, df: df[["i", "f"]].reindex(index=[0, 1, 50], columns=["f", "new"]),
    "both-of-one-dtype": lambda pd, df: df[["i", "k"]].reindex(index=[0, 1, 50], columns=["k", "new"], fill_value=2),
    "axis": lambda pd, df: df.reindex(["f", "k"], axis=1),
    "like": lambda pd, df: df.reindex_like(df[["f", "k"]].iloc[1:]),
    "like-series": lambda pd, df: df["f"].reindex_like(df["k"].iloc[1:]),
    "level": lambda pd, df: df["f"].reindex(df.set_index("k", append=True).index, level=0),
    "align": lambda pd, df: df[["f", "k"]].align(df[["k", "i"]].iloc[1:]),
    "align-inner": lambda pd, df: df[["f", "k"]].align(df[["k", "i"]].iloc[1:], join="inner"),
    "align-rows": lambda pd, df: df[["f", "k"]].align(df[["k", "i"]].iloc[1:], axis=0, join="left"),
    "align-filled": lambda pd, df: df[["f", "k"]].align(df[["k", "i"]].iloc[1:], fill_value=0),
    "align-series": lambda pd, df: df["f"].align(df["k"].iloc[1:]),
    "align-frame-and-series": lambda pd, df: df[["f", "k"]].align(df["k"].iloc[1:], axis=0),
    "plus-other-columns": lambda pd, df: df[["f", "k"]] + df[["k", "i"]],
    "minus-other-rows": lambda pd, df: df[["f", "k"]] - df[["k", "i"]].iloc[1:],
    "plus-other-labels": lambda pd, df: df[["f", "k"]] + pd.Series([1, 2.5], index=["k", "zz"]),
    "times-other-labels": lambda pd, df: df[["k"]] * pd.Series([1, 2], index=["a", "k"]),
    "add-filled": lambda pd, df: df[["f", "k"]].add(df[["k", "i"]], fill_value=0),
    "where-fewer": lambda pd, df: df["f"].where((df["k"] > 1).iloc[:3]),
    "mask-fewer": lambda pd, df: df["f"].mask((df["k"] > 1).iloc[:3]),
    "where-frame-fewer": lambda pd, df: df[["f", "k"]].where((df[["k"]] > 1).iloc[:3]),
}


@pytest.mark.parametrize("frame", ONCE)
@pytest.mark.parametrize("program", CONFORMED)
def test_conformed(program: str, frame: str, configuration: str) -> None:
    check(CONFORMED[program], FRAMES[frame]())


WHERE: dict[str, Any] = {
    "one": lambda pd, df: df["f"].where(df["k"] > 1, [2.0]),
    "one-of-a-tuple": lambda pd, df: df["f"].mask(df["k"] > 1, (2.0,)),
    "array": lambda pd, df: df[["f", "k"]].where((df[["f", "k"]] > 1).to_numpy()),
    "frame": lambda pd, df: df[["f", "k"]].where(df[["f", "k"]] > 1, df[["f", "k"]] * 2),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", WHERE)
def test_where(program: str, frame: str, configuration: str) -> None:
    check(WHERE[program], FRAMES[frame]())


def test_periods_left_out(configuration: str) -> None:
    periods = pandas.Series(pandas.period_range("2020-01-01", periods=4))
    check(lambda pd, s: s.where(s.index > 1), periods)
    check(lambda pd, s: s.mask(s.index > 1), periods)


def test_dummies_of_what_is_missing(configuration: str) -> None:
    frame = FRAMES["mixed"]()
    check(lambda pd, df: pd.get_dummies(df["s"], dummy_na=True), frame)
    check(lambda pd, df: pd.get_dummies(df[["s", "c", "k"]], dummy_na=True, dtype=int), frame)


COMBINED: dict[str, Any] = {
    "frames": lambda pd, df: df[["f", "s"]].combine_first(df[["f", "k"]].iloc[1:] * 2),
    "same": lambda pd, df: df[["f", "s", "t", "d", "k"]].combine_first(df[["f", "s", "t", "d", "k"]]),
    "series": lambda pd, df: df["f"].combine_first(df["f"].iloc[1:] * 2),
}


@pytest.mark.parametrize("frame", ["mixed", "two", "shuffled", "range", "long", "all-missing"])
@pytest.mark.parametrize("program", COMBINED)
def test_combined(program: str, frame: str, configuration: str) -> None:
    check(COMBINED[program], FRAMES[frame]())


GAPS: dict[str, Any] = {
    "line": lambda pd, df: df["f"].replace([np.inf, -np.inf], np.nan).interpolate(),
    "frame": lambda pd, df: df[["f", "k", "g"]].interpolate(),
    "both": lambda pd, df: df["f"].interpolate(limit_direction="both"),
    "backward": lambda pd, df: df["f"].interpolate(limit_direction="backward", limit=1),
    "limit": lambda pd, df: df["f"].interpolate(limit=1),
    "inside": lambda pd, df: df["f"].interpolate(limit_area="inside"),
    "outside": lambda pd, df: df["f"].interpolate(limit_area="outside", limit_direction="both"),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", GAPS)
def test_gaps(program: str, frame: str, configuration: str) -> None:
    check(GAPS[program], FRAMES[frame]())


def marked(kind: str) -> pandas.DataFrame:
    """Gaps between labels that rise by steps of different lengths."""
    steps = np.cumsum(np.array([1, 5, 2, 40, 1, 1, 7, 3, 11, 2]))
    index: Any = {
        "timestamps": pandas.DatetimeIndex(np.datetime64("2020-01-01", "us") + steps * np.timedelta64(1, "h")),
        "nanoseconds": pandas.DatetimeIndex(np.datetime64("2020-01-01", "ns") + steps * np.timedelta64(1, "ms")),
        "zone": pandas.DatetimeIndex(np.datetime64("2020-01-01", "us") + steps * np.timedelta64(1, "h")).tz_localize("UTC").tz_convert("Asia/Tokyo"),
        "lengths": pandas.to_timedelta(steps, unit="min"),
        "whole": pandas.Index(steps),
        "floats": pandas.Index(steps / 7),
        "counted": pandas.RangeIndex(5, 35, 3),
        "falling": pandas.Index(steps[::-1]),
        "twice": pandas.Index([1, 2, 3, 3, 3, 4, 5, 6, 7, 8]),
        "text": pandas.Index(list("abcdefghij")),
        "missing": pandas.DatetimeIndex(["2020-01-01", None, *["2020-01-02"] * 8]),
        "levels": pandas.MultiIndex.from_arrays([steps, steps]),
        "none": pandas.DatetimeIndex([]),
    }[kind]
    nan = np.nan
    frame = pandas.DataFrame({"f": [nan, 1.5, nan, nan, -2.0, nan, nan, nan, 8.0, nan], "g": [0.1, nan, nan, 0.3, nan, np.inf, nan, nan, 2.0, nan], "k": range(10)})
    return frame.iloc[: len(index)].set_axis(index)


MARKED: dict[str, Any] = {
    method: lambda pd, df, m=method: df["f"].interpolate(method=m) for method in ("index", "values")
}
MARKED |= {
    "frame": lambda pd, df: df.interpolate("index"),
    "both": lambda pd, df: df["f"].interpolate("index", limit_direction="both"),
    "backward": lambda pd, df: df["f"].interpolate("index", limit_direction="backward", limit=1),
    "limit": lambda pd, df: df["f"].interpolate("index", limit=2),
    "inside": lambda pd, df: df["f"].interpolate("index", limit_area="inside"),
    "outside": lambda pd, df: df["f"].interpolate("values", limit_area="outside", limit_direction="both"),
    "single": lambda pd, df: df["f"].astype("float32").interpolate("index"),
}
TIMED: dict[str, Any] = {
    "time": lambda pd, df: df["f"].interpolate("time"),
    "time-frame": lambda pd, df: df[["f", "g"]].interpolate(method="time", limit_direction="both"),
    "time-of-mask": lambda pd, df: df[df["k"] > 1]["f"].interpolate("time"),
}


@pytest.mark.parametrize("kind", ["timestamps", "nanoseconds", "zone", "lengths", "whole", "floats", "counted"])
@pytest.mark.parametrize("program", MARKED)
def test_gaps_between_labels(program: str, kind: str, configuration: str) -> None:
    check(MARKED[program], marked(kind))


@pytest.mark.parametrize("kind", ["timestamps", "nanoseconds", "zone", "none"])
@pytest.mark.parametrize("program", TIMED)
def test_gaps_between_times(program: str, kind: str, configuration: str) -> None:
    check(TIMED[program], marked(kind))


@pytest.mark.parametrize("kind", ["lengths", "whole", "counted", "falling", "twice", "text", "missing", "levels"])
@pytest.mark.parametrize("program", [*MARKED, *TIMED])
def test_gaps_between_labels_by_either(program: str, kind: str, configuration: str) -> None:
    check({**MARKED, **TIMED}[program], marked(kind), native=False)


LABELS: dict[str, Any] = {
    "append": lambda pd, df: df.set_index("k", append=True),
    "index": lambda pd, df: df.set_index(pd.Index(range(len(df)), name="z")),
    "list": lambda pd, df: df.set_index([list(range(len(df)))]),
    "lists": lambda pd, df: df.set_index([list(range(len(df))), "s", df["k"], np.arange(len(df))]),
    "array": lambda pd, df: df.set_index(np.arange(len(df)) * 2.0),
    "levels": lambda pd, df: df.set_index(pd.MultiIndex.from_arrays([df["k"], df["f"]])),
    "narrow": lambda pd, df: df.set_index("small"),
    "kept": lambda pd, df: df.set_index("small", drop=False),
    "twice": lambda pd, df: df.set_index(["k", "k"]),
    "of-levels": lambda pd, df: levelled(df).set_index([("a", "x")]),
    "reset": lambda pd, df: levelled(df).reset_index(),
    "reset-level": lambda pd, df: levelled(df).reset_index(col_level=1, col_fill="f"),
    "reset-names": lambda pd, df: df.set_index(["k", "s"]).reset_index(names=["x", "y"]),
    "reset-twice": lambda pd, df: df.set_index("k", drop=False).reset_index(allow_duplicates=True),
}


def levelled(df: Any) -> Any:
    return df[["k", "f", "i"]].set_axis(pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "x")], names=["u", "v"]), axis=1)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", LABELS)
def test_labels_of_any_kind(program: str, frame: str, configuration: str) -> None:
    check(LABELS[program], FRAMES[frame]())


PIECES: dict[str, Any] = {
    "one": lambda pd, df: pd.concat([df]),
    "one-with-key": lambda pd, df: pd.concat([df], keys=["a"]),
    "frame-and-series": lambda pd, df: pd.concat([df[["f", "k"]], df["i"]]),
    "keys-of-levels": lambda pd, df: pd.concat([df, df], keys=[("a", 1), ("b", 2)], names=["u", "v"]),
    "keys-of-columns": lambda pd, df: pd.concat([df[["f"]], df[["k"]]], axis=1, keys=["a", "b"]),
    "levels": lambda pd, df: pd.concat([df, df], keys=["a", "b"], levels=[["b", "a"]]),
    "verified": lambda pd, df: pd.concat([df, df], verify_integrity=True),
    "with-none": lambda pd, df: pd.concat([df, df.iloc[:0]]),
    "inner": lambda pd, df: pd.concat([df[["f", "k"]], df[["k", "i"]].iloc[1:3]], join="inner"),
    "objects": lambda pd, df: pd.concat([df["s"], df["k"]]),
    "timestamps-and-numbers": lambda pd, df: pd.concat([df["t"], df["k"]]),
    "nothing": lambda pd, df: pd.concat([df[[]], df[[]]]),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PIECES)
def test_pieces_of_any_shape(program: str, frame: str, configuration: str) -> None:
    check(PIECES[program], FRAMES[frame]())


BESIDE: dict[str, Any] = {
    "fewer": lambda pd, df: pd.concat([df[["f", "k"]], df["i"].iloc[:3]], axis=1),
    "inner": lambda pd, df: pd.concat([df[["f", "k"]], df[["k", "i"]].iloc[1:3]], join="inner", axis=1),
}


@pytest.mark.parametrize("frame", ONCE)
@pytest.mark.parametrize("program", BESIDE)
def test_pieces_beside_one_another(program: str, frame: str, configuration: str) -> None:
    check(BESIDE[program], FRAMES[frame]())


WIDENED: dict[str, Any] = {
    "by-some": lambda pd, df: df[["i", "f"]].reindex([2, 100, 0], fill_value=0.5),
    "small-large": lambda pd, df: df[["small", "unsigned"]].reindex([2, 100, 0], fill_value=10_000),
    "wider": lambda pd, df: df["i"].reindex([0, 100], fill_value=1.5),
}


@pytest.mark.parametrize("frame", ONCE)
@pytest.mark.parametrize("program", WIDENED)
def test_a_value_that_widens_is_warned_of(program: str, frame: str, configuration: str) -> None:
    check(WIDENED[program], FRAMES[frame](), native=False)

"""What is made of two columns in windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES
from pandas.api.indexers import FixedForwardWindowIndexer

PAIRS = ("cov", "corr")


def rows(name: str) -> pandas.DataFrame:
    """Rows of which some lack a value: none are all equal, but some windows are."""
    count = {"none": 0, "one": 1, "few": 3, "some": 60}[name]
    times = pandas.DatetimeIndex(np.datetime64("2020-01-01", "us") + np.arange(count) * np.timedelta64(7, "h"), name="when")
    x = np.resize(np.array([1.5, np.nan, -3.0, 0.1, 7.25, 2.0, np.inf, -0.5, 0.1, 0.1, 0.1, 0.1]), count)
    y = np.resize(np.array([2.0, 1.0, 0.5, np.nan, np.nan, np.nan, np.nan, 4.0, 1e8, 100000003.0, 100000004.5]), count)
    z = np.resize(np.array([5, 3, 1, 1, 2, 8, 13]), count)
    return pandas.DataFrame({"x": x, "y": y, "z": z, "k": np.resize(np.array([1, 2, 1, 1, 3]), count)}, index=times)


def both(make: Any) -> dict[str, Any]:
    """The same program for each of the results."""
    return {op: lambda pd, df, op=op: make(df, op) for op in PAIRS}


def named(name: str, make: Any) -> dict[str, Any]:
    return {f"{name}-{op}": program for op, program in both(make).items()}


NATIVE: dict[str, Any] = {
    **named("series", lambda df, op: getattr(df["x"].rolling(4, min_periods=2), op)(df["y"])),
    **named("all", lambda df, op: getattr(df["x"].rolling(3), op)(df["z"])),
    **named("none", lambda df, op: getattr(df["x"].rolling(3, min_periods=0), op)(df["y"])),
    **named("wide", lambda df, op: getattr(df["x"].rolling(100, min_periods=1), op)(df["y"])),
    **named("itself", lambda df, op: getattr(df["x"].rolling(4, min_periods=1), op)()),
    **named("itself-pairwise", lambda df, op: getattr(df["x"].rolling(4, min_periods=1), op)(pairwise=True)),
    **named("centred", lambda df, op: getattr(df["x"].rolling(5, min_periods=1, center=True), op)(df["z"])),
    **{f"closed-{closed}-{op}": lambda pd, df, c=closed, op=op: getattr(df["x"].rolling(4, min_periods=1, closed=c), op)(df["z"]) for closed in ("left", "right", "both", "neither") for op in PAIRS},
    **{f"span-{closed}-{op}": lambda pd, df, c=closed, op=op: getattr(df["x"].rolling("1D", closed=c), op)(df["z"]) for closed in ("left", "right", "both", "neither") for op in PAIRS},
    **named("span-around", lambda df, op: getattr(df["x"].rolling("2D", center=True), op)(df["z"])),
    **named("ahead", lambda df, op: getattr(df["x"].rolling(FixedForwardWindowIndexer(window_size=4), min_periods=1), op)(df["z"])),
    **named("so-far", lambda df, op: getattr(df["x"].expanding(), op)(df["y"])),
    **named("so-far-few", lambda df, op: getattr(df["x"].expanding(5), op)(df["y"])),
    **{f"ddof-{ddof}": lambda pd, df, n=ddof: df["x"].rolling(4, min_periods=1).cov(df["z"], ddof=n) for ddof in (0, 2, 3, 9, -1)},
    **named("frame-and-series", lambda df, op: getattr(df[["x", "y"]].rolling(4, min_periods=1), op)(df["z"])),
    **named("series-and-frame", lambda df, op: getattr(df["z"].rolling(4, min_periods=1), op)(df[["x", "y"]])),
    **named("frames", lambda df, op: getattr(df[["x", "z"]].rolling(4, min_periods=1), op)(df[["x", "z"]])),
    **named("frames-by-label", lambda df, op: getattr(df[["x", "z"]].rolling(4, min_periods=1), op)(df[["z", "x", "y"]] + 1, pairwise=False)),
    **named("frames-apart", lambda df, op: getattr(df[["x"]].rolling(4, min_periods=1), op)(df[["y"]])),
    **named("columns-itself", lambda df, op: getattr(df[["x", "z"]].rolling(4, min_periods=1), op)(pairwise=False)),
    **named("numbers-only", lambda df, op: getattr(df.assign(s="a", b=True)[["x", "s", "z", "b"]].rolling(4, min_periods=1), op)(pairwise=False, numeric_only=True)),
    **named("whole", lambda df, op: getattr((df["z"] * 1000).rolling(4), op)(df["k"])),
    **named("truth", lambda df, op: getattr((df["z"] > 2).rolling(4), op)(df["k"] > 1)),
    **named("nullable", lambda df, op: getattr(df["z"].astype("Int64").where(df["k"] > 1).rolling(4, min_periods=2), op)(df["x"])),
    **named("of-mask", lambda df, op: getattr(df[df["z"] > 1]["z"].rolling(3), op)(df[df["z"] > 1]["k"])),
    **named("ewm-frame", lambda df, op: getattr(df[["x", "z"]].ewm(com=2), op)(df["z"])),
    **named("ewm-by-label", lambda df, op: getattr(df[["x", "z"]].ewm(com=2), op)(df[["z", "y"]])),
}

#: Every column with every other; of no rows pandas has other columns.
SQUARES: dict[str, Any] = {
    **named("every", lambda df, op: getattr(df[["x", "y", "z"]].rolling(4, min_periods=1), op)()),
    **named("every-asked", lambda df, op: getattr(df[["x", "z"]].rolling(4, min_periods=1), op)(df[["z", "y", "k"]], pairwise=True)),
    **named("every-counted", lambda df, op: getattr(df.reset_index(drop=True)[["x", "z"]].rolling(4, min_periods=1), op)()),
    **named("every-named", lambda df, op: getattr(df[["x", "z"]].rename_axis(columns="c").expanding(2), op)()),
    **named("every-span", lambda df, op: getattr(df[["x", "z"]].rolling("1D"), op)(pairwise=True)),
    **named("every-numbers", lambda df, op: getattr(df.assign(s="a")[["x", "s", "z"]].rolling(4, min_periods=1), op)(numeric_only=True)),
    **named("every-of-mask", lambda df, op: getattr(df[df["z"] > 0][["z", "k"]].rolling(3), op)()),
    **named("every-twice", lambda df, op: getattr(df.set_axis([0] * len(df))[["z", "k"]].rolling(3), op)()),
    **named("every-ewm", lambda df, op: getattr(df[["x", "z"]].ewm(com=1), op)()),
    **named("groups", lambda df, op: getattr(df.groupby("k")[["x", "z"]].rolling(3, min_periods=1), op)()),
    **named("groups-all", lambda df, op: getattr(df.groupby("k").rolling(3, min_periods=1), op)()),
    **named("groups-counted", lambda df, op: getattr(df.reset_index(drop=True).groupby("k")[["x", "z"]].expanding(), op)()),
    **named("groups-span", lambda df, op: getattr(df.groupby("k")[["x", "z"]].rolling("2D"), op)()),
    **named("groups-series", lambda df, op: getattr(df.groupby("k")["x"].rolling(3, min_periods=1), op)()),
    **named("groups-ewm", lambda df, op: getattr(df.groupby("k")[["x", "z"]].ewm(com=1), op)()),
    **named("groups-ewm-series", lambda df, op: getattr(df.groupby("k")["z"].ewm(com=1), op)()),
}

EITHER: dict[str, Any] = {
    **SQUARES,
    **named("number", lambda df, op: getattr(df["x"].rolling(3), op)(1)),
    **named("other-rows", lambda df, op: getattr(df["x"].rolling(3), op)(df["z"].iloc[1:])),
    **named("frame-other-rows", lambda df, op: getattr(df[["x"]].rolling(3, min_periods=1), op)(df["z"].iloc[1:])),
    **named("frames-other-rows", lambda df, op: getattr(df[["x", "z"]].rolling(3, min_periods=1), op)(df[["x", "z"]].iloc[1:])),
    **named("every-other-rows", lambda df, op: getattr(df[["x", "z"]].rolling(3, min_periods=1), op)(df[["x", "z"]].iloc[1:], pairwise=True)),
    **named("span-other-rows", lambda df, op: getattr(df["x"].rolling("1D"), op)(df["z"].iloc[1:])),
    **named("span-longer", lambda df, op: getattr(df["x"].iloc[1:].rolling("1D"), op)(df["z"])),
    **named("span-frame-longer", lambda df, op: getattr(df[["x"]].iloc[1:].rolling("1D"), op)(df["z"])),
    **named("extreme", lambda df, op: getattr(df["z"].where(df["k"] > 1, -1e308).rolling(4), op)(df["k"])),
    **named("text", lambda df, op: getattr(df["x"].rolling(3), op)(df["z"].astype(str))),
    **named("numbers-only-text", lambda df, op: getattr(df["z"].astype(str).rolling(3), op)(numeric_only=True)),
    **named("steps", lambda df, op: getattr(df["x"].rolling(3, step=2), op)(df["z"])),
    **named("twice", lambda df, op: getattr(df[["x", "x"]].rolling(3), op)()),
    **named("twice-by-label", lambda df, op: getattr(df[["x", "x"]].rolling(3), op)(df[["x", "z"]])),
    **named("levels", lambda df, op: getattr(df.set_index("k", append=True)[["x", "z"]].rolling(3), op)()),
    **named("levels-by-label", lambda df, op: getattr(df.set_index("k", append=True)[["x", "z"]].rolling(3), op)(pairwise=False)),
    **named("column-levels", lambda df, op: getattr(pandas.concat({"a": df[["x", "z"]]}, axis=1).rolling(3), op)()),
    **named("on", lambda df, op: getattr(df.reset_index().rolling("1D", on="when"), op)()),
    **named("groups-other", lambda df, op: getattr(df.groupby("k")["x"].rolling(3), op)(df["z"])),
    **named("groups-by-label", lambda df, op: getattr(df.groupby("k")[["x", "z"]].rolling(3), op)(pairwise=False)),
    **named("groups-with-keys", lambda df, op: getattr(df.groupby("k")[["x", "k"]].rolling(3), op)()),
    "ddof-float": lambda pd, df: df["x"].rolling(3).cov(df["z"], ddof=1.5),
    "pairwise-number": lambda pd, df: df[["x", "z"]].rolling(3).cov(pairwise=1),
    "times": lambda pd, df: df["x"].ewm(halflife="1D", times=df.index).cov(df["z"]),
}


@pytest.mark.parametrize("frame", ["none", "one", "few", "some"])
@pytest.mark.parametrize("program", NATIVE)
def test_pairs(program: str, frame: str, configuration: str) -> None:
    check(NATIVE[program], rows(frame), rtol=1e-10)


@pytest.mark.parametrize("frame", ["one", "few", "some"])
@pytest.mark.parametrize("program", SQUARES)
def test_every_pair(program: str, frame: str, configuration: str) -> None:
    check(SQUARES[program], rows(frame), rtol=1e-10)


@pytest.mark.parametrize("frame", ["none", "one", "few", "some"])
@pytest.mark.parametrize("program", EITHER)
def test_pairs_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], rows(frame), native=False, rtol=1e-10)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("op", PAIRS)
def test_pairs_of_awkward_rows(op: str, frame: str, configuration: str) -> None:
    # What rounding leaves of nothing has either sign.
    check(lambda pd, df: getattr(df["small"].rolling(3, min_periods=1), op)(df["g"]).round(9) + 0.0, FRAMES[frame](), rtol=1e-10)
    check(lambda pd, df: getattr(df["g"].expanding(), op)(df["k"]).round(9) + 0.0, FRAMES[frame](), rtol=1e-10)
    check(lambda pd, df: getattr(df.groupby("b")[["small", "k"]].rolling(2), op)(), FRAMES[frame](), native=False, rtol=1e-10)

"""What is missing, what is chosen, and what is converted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check, writes
from frames import FRAMES

NAN = float("nan")
DAY = pandas.Timestamp("2020-02-29")

NATIVE: dict[str, Any] = {
    "isna": lambda pd, df: df.isna(),
    "notna": lambda pd, df: df.notnull(),
    "isna-function": lambda pd, df: pd.isna(df["s"]) | pd.isnull(df["f"]),
    "notnull-function": lambda pd, df: pd.notnull(df["s"]),
    "notna-function": lambda pd, df: pd.notna(df),
    "isna-series": lambda pd, df: df["s"].isnull(),
    "notna-mask": lambda pd, df: df[df["f"].notna()],
    "fillna-float": lambda pd, df: df["f"].fillna(0),
    "fillna-narrow": lambda pd, df: df["g"].fillna(0.5),
    "fillna-text": lambda pd, df: df["s"].fillna("none"),
    "fillna-int": lambda pd, df: df["i"].fillna("text"),
    "fillna-bool": lambda pd, df: df["b"].fillna(3),
    "fillna-time": lambda pd, df: df["t"].fillna(pandas.Timestamp("2000-01-01")),
    "fillna-duration": lambda pd, df: df["d"].fillna(pandas.Timedelta("1D")),
    "fillna-category": lambda pd, df: df["c"].fillna("x"),
    "fillna-dict": lambda pd, df: df.fillna({"f": 1, "s": "?", "nothing": 3, "i": 2}),
    "fillna-frame": lambda pd, df: df[["f", "i", "b", "g"]].fillna(2.5),
    "fillna-series": lambda pd, df: df["f"].fillna(df["f"] + 1),
    "fillna-series-whole": lambda pd, df: df["f"].fillna(df["i"]),
    "fillna-series-narrow": lambda pd, df: df["f"].fillna(df["small"]),
    "fillna-whole-series": lambda pd, df: df["i"].fillna(df["f"]),
    "fillna-truth-series": lambda pd, df: df["b"].fillna(df["b"]),
    "fillna-series-text": lambda pd, df: df["s"].fillna(df["s"]),
    "dropna": lambda pd, df: df.dropna(),
    "dropna-subset": lambda pd, df: df.dropna(subset=["f", "s"]),
    "dropna-one": lambda pd, df: df.dropna(subset="t"),
    "dropna-all": lambda pd, df: df.dropna(how="all", subset=["f", "s"]),
    "dropna-all-whole": lambda pd, df: df.dropna(how="all"),
    "dropna-thresh": lambda pd, df: df.dropna(thresh=9),
    "dropna-ignore": lambda pd, df: df.dropna(subset=["c"], ignore_index=True),
    "dropna-nothing": lambda pd, df: df[["i", "b"]].dropna(),
    "dropna-columns": lambda pd, df: df.dropna(axis=1),
    "dropna-columns-all": lambda pd, df: df.dropna(axis="columns", how="all"),
    "dropna-columns-thresh": lambda pd, df: df.dropna(axis=1, thresh=2),
    "dropna-columns-of-some": lambda pd, df: df[df["k"] > 1].dropna(axis=1, how="any"),
    "dropna-columns-none-left": lambda pd, df: (df[["f", "g"]] * np.nan).dropna(axis=1, how="all"),
    "dropna-columns-numbered": lambda pd, df: df[["f", "k", "i"]].set_axis(range(3), axis=1).dropna(axis=1),
    "replace-by-series": lambda pd, df: df["k"].replace(pd.Series([10, 20], index=[1, 2])),
    "replace-by-series-text": lambda pd, df: df["s"].replace(pd.Series(["x", "y"], index=["a", "b"])),
    "dropna-series": lambda pd, df: df["s"].dropna(),
    "dropna-float": lambda pd, df: df["f"].dropna(),
    "dropna-int": lambda pd, df: df["i"].dropna(),
    "dropna-reset": lambda pd, df: df["t"].dropna(ignore_index=True),
    "isin-int": lambda pd, df: df["i"].isin([3, 5, -7]),
    "isin-int-mixed": lambda pd, df: df["i"].isin([3, "a", None]),
    "isin-int-floats": lambda pd, df: df["i"].isin([3.0, 2.5, NAN]),
    "isin-int-far": lambda pd, df: df["small"].isin([1, 300]),
    "isin-unsigned": lambda pd, df: df["unsigned"].isin([-1, 7, 2**64 - 1]),
    "isin-text": lambda pd, df: df["s"].isin(["a", "b", "日本"]),
    "isin-text-missing": lambda pd, df: df["s"].isin(["a", None]),
    "isin-text-nan": lambda pd, df: df["s"].isin({"a", NAN}),
    "isin-text-numbers": lambda pd, df: df["s"].isin([1, 2]),
    "isin-text-mixed": lambda pd, df: df["s"].isin([1, "a"]),
    "isin-empty": lambda pd, df: df["s"].isin([]),
    "isin-float": lambda pd, df: df["f"].isin([0, 1.5, NAN]),
    "isin-narrow": lambda pd, df: df["g"].isin([0.1, 0.5]),
    "isin-array": lambda pd, df: df["i"].isin(np.array([3, 5])),
    "isin-series": lambda pd, df: df["k"].isin(df["k"].head(2)),
    "isin-text-series": lambda pd, df: df["s"].isin(df["s"].head(3)),
    "isin-category": lambda pd, df: df["c"].isin(["x", "q"]),
    "isin-category-missing": lambda pd, df: df["c"].isin(["y", NAN]),
    "isin-bool": lambda pd, df: df["b"].isin([True]),
    "isin-time": lambda pd, df: df["t"].isin([DAY, pandas.NaT]),
    "isin-frame": lambda pd, df: df[["i", "k"]].isin([1, 3]),
    "isin-dict": lambda pd, df: df.isin({"i": [3], "s": ["a"]}),
    "isin-mask": lambda pd, df: df[~df["s"].isin(["a", "b"])],
    "between": lambda pd, df: df["f"].between(0, 2.5),
    "between-left": lambda pd, df: df["k"].between(1, 2, inclusive="left"),
    "between-neither": lambda pd, df: df["k"].between(1, 3, "neither"),
    "between-text": lambda pd, df: df["s"].between("a", "b"),
    "between-time": lambda pd, df: df["t"].between(pandas.Timestamp("2000-01-01"), DAY, inclusive="right"),
    "between-series": lambda pd, df: df["f"].between(df["k"], 5),
    "where-nan": lambda pd, df: df["f"].where(df["f"] > 0),
    "where-int": lambda pd, df: df["i"].where(df["k"] > 1),
    "where-int-all": lambda pd, df: df["i"].where(df["k"] > 0),
    "where-bool": lambda pd, df: df["b"].where(df["k"] > 1),
    "where-small": lambda pd, df: df["small"].where(df["k"] > 1),
    "where-text": lambda pd, df: df["s"].where(df["k"] > 1),
    "where-text-other": lambda pd, df: df["s"].where(df["k"] > 1, "other"),
    "where-time": lambda pd, df: df["t"].where(df["k"] > 1),
    "where-category": lambda pd, df: df["c"].where(df["k"] > 1, "z"),
    "where-int-other": lambda pd, df: df["i"].where(df["i"] > 0, 0),
    "where-int-fraction": lambda pd, df: df["k"].where(df["k"] > 1, 0.5),
    "where-series": lambda pd, df: df["f"].where(df["f"] > 0, -df["f"]),
    "where-series-small": lambda pd, df: df["f"].where(df["f"] > 0, df["small"]),
    "where-callable": lambda pd, df: df["f"].where(lambda x: x > 0, 9.0),
    "where-array": lambda pd, df: df["f"].where((df["k"] > 1).to_numpy(), 9.0),
    "where-frame": lambda pd, df: df[["i", "f"]].where(df[["i", "f"]] > 0),
    "where-frame-other": lambda pd, df: df[["i", "f"]].where(df[["i", "f"]] > 0, 0),
    "mask": lambda pd, df: df["f"].mask(df["f"] < 0, 0),
    "mask-int": lambda pd, df: df["i"].mask(df["i"] < 0),
    "mask-text": lambda pd, df: df["s"].mask(df["s"] == "b", "c"),
    "clip": lambda pd, df: df["f"].clip(0, 2),
    "clip-lower": lambda pd, df: df["i"].clip(lower=0),
    "clip-upper": lambda pd, df: df["g"].clip(upper=0.125),
    "clip-turned": lambda pd, df: df["f"].clip(2, 0),
    "clip-int-fraction": lambda pd, df: df["k"].clip(1.5, 2.5),
    "clip-frame": lambda pd, df: df[["i", "f", "k"]].clip(-1, 5),
    "round": lambda pd, df: df["f"].round(1),
    "round-none": lambda pd, df: df["f"].round(),
    "round-int": lambda pd, df: df["i"].round(2),
    "round-narrow": lambda pd, df: df["g"].round(1),
    "round-frame": lambda pd, df: df.drop(columns=["t", "d"]).round(1),
    "round-dict": lambda pd, df: df.round({"f": 1}),
    "replace": lambda pd, df: df["i"].replace(5, 50),
    "replace-nan": lambda pd, df: df["i"].replace(5, NAN),
    "replace-nan-not": lambda pd, df: df["i"].replace(12345, NAN),
    "replace-text": lambda pd, df: df["s"].replace("b", "c"),
    "replace-text-nan": lambda pd, df: df["s"].replace("b", NAN),
    "replace-list": lambda pd, df: df["i"].replace([5, 3], 0),
    "replace-lists": lambda pd, df: df["i"].replace([5, 3], [3, 5]),
    "replace-dict": lambda pd, df: df["s"].replace({"a": "b", "b": "a"}),
    "replace-inf": lambda pd, df: df["f"].replace([np.inf, -np.inf], NAN),
    "replace-missing": lambda pd, df: df["f"].replace(NAN, 0.0),
    "replace-frame": lambda pd, df: df[["i", "f", "k"]].replace(5, 6),
    "replace-frame-dict": lambda pd, df: df.replace({"i": {5: 6}, "s": {"a": "z"}}),
    "replace-type": lambda pd, df: df["i"].replace("a", "b"),
    "map-text": lambda pd, df: df["k"].map({1: "one", 2: "two", 3: "three"}),
    "map-some": lambda pd, df: df["k"].map({1: "one", 5: "five"}),
    "map-all": lambda pd, df: df["k"].map({1: 10, 2: 20, 3: 30}),
    "map-float": lambda pd, df: df["k"].map({1: 0.5, 2: 1.5}),
    "map-bool": lambda pd, df: df["k"].map({1: True, 2: False, 3: True}),
    "map-bool-some": lambda pd, df: df["k"].map({1: True, 2: False}),
    "map-of-bool": lambda pd, df: df["b"].map({True: 1, False: 0}),
    "map-of-float": lambda pd, df: df["f"].map({1.5: 1, 0: 2}),
    "map-missing-key": lambda pd, df: df["f"].map({1.5: 1, NAN: 2}),
    "map-ignore": lambda pd, df: df["f"].map({1.5: 1, NAN: 2}, na_action="ignore"),
    "map-assigned": lambda pd, df: df.assign(x=df["k"].map({1: 1, 2: 2}), y=lambda d: d["x"] + 1),
    "map-series": lambda pd, df: df["k"].map(pandas.Series([7, 8, 9], index=[1, 2, 3])),
    "astype-float": lambda pd, df: df["i"].astype(float),
    "astype-narrow": lambda pd, df: df["i"].astype("int8"),
    "astype-unsigned": lambda pd, df: df["small"].astype("uint8"),
    "astype-float32": lambda pd, df: df["f"].astype("float32"),
    "astype-bool": lambda pd, df: df[["i", "f", "g"]].astype(bool),
    "astype-of-bool": lambda pd, df: df["b"].astype(int),
    "astype-of-bool-float": lambda pd, df: df["b"].astype("float64"),
    "astype-text": lambda pd, df: df["i"].astype(str),
    "astype-text-float": lambda pd, df: df["f"].astype(str),
    "astype-text-bool": lambda pd, df: df["b"].astype("str"),
    "astype-int": lambda pd, df: df["f"].fillna(0).clip(-5, 5).astype(int),
    "astype-int-text-int": lambda pd, df: df["small"].astype(str).astype(int),
    "astype-text-to-float": lambda pd, df: df["f"].replace([np.inf, -np.inf], 0).astype(str).astype(float),
    "astype-same": lambda pd, df: df["s"].astype(str),
    "astype-seconds": lambda pd, df: df["t"].astype("M8[s]"),
    "astype-finer": lambda pd, df: df["t"].where(df["t"] > pandas.Timestamp("1800-01-01"), DAY).astype("M8[ns]"),
    "astype-count": lambda pd, df: df["t"].astype("int64"),
    "astype-duration": lambda pd, df: df["d"].astype("m8[ns]"),
    "astype-duration-count": lambda pd, df: df["d"].astype("int64"),
    "astype-category-text": lambda pd, df: df["c"].astype(str),
    "astype-dict": lambda pd, df: df.astype({"i": "float64", "k": "str"}),
    "astype-nullable": lambda pd, df: df["i"].astype("Int64"),
    "sqrt": lambda pd, df: np.sqrt(df["f"]),
    "sqrt-int": lambda pd, df: np.sqrt(df["k"]),
    "sqrt-narrow": lambda pd, df: np.sqrt(df["g"]),
    "floor": lambda pd, df: np.floor(df["f"]) + np.ceil(df["f"]),
    "sign": lambda pd, df: np.sign(df["f"]),
    "absolute": lambda pd, df: np.abs(df["i"]),
    "isfinite": lambda pd, df: df[np.isfinite(df["f"])],
    "isnan": lambda pd, df: np.isnan(df["g"]),
    "isinf": lambda pd, df: np.isinf(df["f"]),
    "maximum": lambda pd, df: np.maximum(df["f"], 0),
    "minimum": lambda pd, df: np.minimum(df["f"], -df["f"]),
    "maximum-int": lambda pd, df: np.maximum(df["k"], df["i"]),
    "maximum-first": lambda pd, df: np.maximum(0.0, df["f"]),
    "maximum-of-two-kinds": lambda pd, df: np.maximum(df["f"], df["i"]),
    "minimum-of-two-kinds": lambda pd, df: np.minimum(df["small"], df["g"]),
    "maximum-of-signs": lambda pd, df: np.maximum(df["i"], df["unsigned"]),
    "maximum-of-widths": lambda pd, df: np.maximum(df["small"], df["k"]),
    "maximum-of-whole-and-float": lambda pd, df: np.maximum(df["i"], 0.5),
    "minimum-of-narrow-and-float": lambda pd, df: np.minimum(-1.5, df["small"]),
    "maximum-of-whole-and-nan": lambda pd, df: np.maximum(df["k"], float("nan")),
    "maximum-of-array": lambda pd, df: np.maximum(df["i"], np.linspace(-3, 3, len(df))),
    "maximum-of-array-first": lambda pd, df: np.minimum(np.arange(len(df)), df["f"]),
    "scalar-width": lambda pd, df: df["small"] + np.int64(1),
    "scalar-width-float": lambda pd, df: df["g"] * np.float64(0.1) + df["i"] * np.float32(0.5),
    "rint": lambda pd, df: np.rint(df["f"]),
    "ufunc-frame": lambda pd, df: np.sqrt(df[["f", "k"]]),
    "ufunc-add": lambda pd, df: np.add(df["f"], df["k"]),
}

#: What pandas does, but must be the same.
LEFT: dict[str, Any] = {
    "map-of-text": lambda pd, df: df["s"].map({"a": 1, "b": 2}),
    "map-of-text-some": lambda pd, df: df["s"].map({"a": True, "b": False}),
    "map-of-text-none": lambda pd, df: df["s"].map({"nowhere": True}),
    "map-of-text-small": lambda pd, df: df["s"].map({"a": np.int8(1)}),
    "map-of-text-time": lambda pd, df: df["s"].map({"a": DAY}),
    "fillna-none": lambda pd, df: df["f"].fillna(None),
    "fillna-wrong": lambda pd, df: df["s"].fillna(0),
    "fillna-all": lambda pd, df: df[["f", "s"]].fillna(0),
    "fillna-wide": lambda pd, df: df["g"].fillna(0.1),
    "fillna-bool": lambda pd, df: df["f"].fillna(True),
    "fillna-category": lambda pd, df: df["c"].fillna("q"),
    "fillna-limit": lambda pd, df: df["f"].fillna(0, limit=1),
    "dropna-columns": lambda pd, df: df.dropna(axis=1),
    "dropna-missing": lambda pd, df: df.dropna(subset=["nothing"]),
    "dropna-both": lambda pd, df: df.dropna(how="any", thresh=1),
    "isin-text": lambda pd, df: df["s"].isin("a"),
    "isin-bools": lambda pd, df: df["i"].isin([True]),
    "isin-none": lambda pd, df: df["f"].isin([None, 1]),
    "isin-large": lambda pd, df: df["f"].isin([2**53 + 1]),
    "isin-rounded": lambda pd, df: (df["i"] * 0 + 2**53 + 1).isin([0.5, 2**53 + 1]),
    "isin-words": lambda pd, df: df["t"].isin(["2020-02-29"]),
    "where-wide": lambda pd, df: df["small"].where(df["k"] > 1, 300),
    "where-text": lambda pd, df: df["i"].where(df["k"] > 1, "a"),
    "where-scalar": lambda pd, df: df["i"].where(True),
    "where-axis": lambda pd, df: df[["f", "i"]].where(df["k"] > 1, 0, axis=0),
    "clip-nan": lambda pd, df: df["f"].clip(NAN, 2),
    "clip-text": lambda pd, df: df["s"].clip(0, 2),
    "clip-series": lambda pd, df: df["f"].clip(df["k"], 10),
    "round-time": lambda pd, df: df.round(1),
    "round-text": lambda pd, df: df["s"].round(1),
    "round-bool": lambda pd, df: df["b"].round(1),
    "round-negative": lambda pd, df: df["small"].round(-1),
    "replace-regex": lambda pd, df: df["s"].replace("a.*", "x", regex=True),
    "replace-type": lambda pd, df: df["i"].replace(5, "five"),
    "replace-category": lambda pd, df: df["k"].replace(1, None),
    "map-function": lambda pd, df: df["k"].map(lambda x: str(x)[::-1]),
    "map-empty": lambda pd, df: df["k"].map({}),
    "map-mixed": lambda pd, df: df["k"].map({1: "a", 2: 2}),
    "map-category": lambda pd, df: df["c"].map({"x": 1, "y": 2}),
    "map-default": lambda pd, df: df["k"].map(__import__("collections").defaultdict(int, {1: 5})),
    "map-wrong": lambda pd, df: df["k"].map({1: 2}, na_action="what"),
    "astype-int": lambda pd, df: df["f"].astype(int),
    "astype-wrong": lambda pd, df: df["s"].astype(int),
    "astype-text-float": lambda pd, df: df["s"].astype(float),
    "astype-ns": lambda pd, df: df["t"].astype("M8[ns]"),
    "astype-object": lambda pd, df: df["i"].astype(object),
    "astype-category": lambda pd, df: df["s"].astype("category"),
    "astype-unknown": lambda pd, df: df["s"].astype("nothing"),
    "astype-missing": lambda pd, df: df.astype({"nothing": int}),
    "astype-time-text": lambda pd, df: df["t"].astype(str),
    "exp": lambda pd, df: np.exp(df["g"]),
    "log-frame": lambda pd, df: np.log(df[["f", "k"]]),
    "ufunc-out": lambda pd, df: np.sqrt(df["f"], where=np.ones(len(df), bool)).isna(),
    "maximum-none": lambda pd, df: np.maximum(df["g"], None),
    "maximum-width": lambda pd, df: np.maximum(df["unsigned"], np.int8(3)),
    "isnan-text": lambda pd, df: np.isnan(df["s"]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", NATIVE)
def test_values(program: str, frame: str, configuration: str) -> None:
    check(NATIVE[program], FRAMES[frame]())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", ["mixed", "empty", "all-missing", "labelled"])
@pytest.mark.parametrize("program", LEFT)
def test_values_left_to_pandas(program: str, frame: str) -> None:
    check(LEFT[program], FRAMES[frame](), native=False)


@writes
def fill_in_place(pd: Any, df: Any) -> Any:
    before = df["f"]
    returned = df.fillna({"f": 0.5, "s": "?"}, inplace=True)
    return df, before, returned is df


@writes
def fill_series_in_place(pd: Any, df: Any) -> Any:
    column = df["f"]
    returned = column.fillna(1.0, inplace=True)
    column.clip(0, 3, inplace=True)
    column.replace(1.0, 2.0, inplace=True)
    column.mask(column > 2, 9.0, inplace=True)
    return df, column, returned is column


@writes
def drop_in_place(pd: Any, df: Any) -> Any:
    returned = df.dropna(subset=["f"], inplace=True)
    df.drop(columns=["g"], inplace=True)
    df.rename(columns={"i": "whole"}, inplace=True)
    return df, returned, len(df), df["whole"]


@writes
def refused_in_place(pd: Any, df: Any) -> Any:
    df.fillna({"g": 0.1}, inplace=True)
    df.fillna({"f": 0.0}, inplace=True, limit=1)
    return df


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", [fill_in_place, fill_series_in_place, drop_in_place])
def test_in_place(program: Any, frame: str, configuration: str) -> None:
    check(program, FRAMES[frame]())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", FRAMES)
def test_in_place_left_to_pandas(frame: str) -> None:
    check(refused_in_place, FRAMES[frame](), native=False)


def test_changes_of_what_nobody_holds_warn() -> None:
    import airloom.pandas as pd

    frame = pd.DataFrame(FRAMES["mixed"]())
    with pytest.warns(pandas.errors.ChainedAssignmentError) as caught:
        frame["f"].fillna(0.0, inplace=True)
    assert caught[0].filename == __file__
    with pytest.warns(pandas.errors.Pandas4Warning, match="DataFrame.dropna") as caught:
        frame.dropna(inplace=True)
    assert caught[0].filename == __file__

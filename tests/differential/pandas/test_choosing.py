"""Rows and columns by keys of any kind, of labels of several levels, and by functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES

LEVELS = pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "x")], names=["u", "v"])


def rows(df: Any) -> Any:
    return df.set_index(["k", "s"])


def columns(df: Any) -> Any:
    return df[["k", "f", "i"]].set_axis(LEVELS, axis=1)


CHOSEN: dict[str, Any] = {
    "level": lambda pd, df: rows(df).loc[1],
    "tuple": lambda pd, df: rows(df).loc[(1, "b")],
    "level-and-column": lambda pd, df: rows(df).loc[1, "f"],
    "level-list": lambda pd, df: rows(df).loc[[1, 2]],
    "level-slice": lambda pd, df: rows(df).sort_index().loc[1:2],
    "slices": lambda pd, df: rows(df.dropna()).sort_index().loc[(slice(None), ["b"]), :],
    "xs": lambda pd, df: rows(df).xs("b", level="s"),
    "xs-kept": lambda pd, df: rows(df).xs("b", level="s", drop_level=False),
    "xs-series": lambda pd, df: rows(df)["f"].xs(1),
    "column-level": lambda pd, df: columns(df)["a"],
    "column-tuple": lambda pd, df: columns(df)[("a", "x")],
    "column-list": lambda pd, df: columns(df)[["a"]],
    "column-xs": lambda pd, df: columns(df).xs("x", axis=1, level="v"),
    "column-loc": lambda pd, df: columns(df).loc[:, "a"],
    "column-loc-tuple": lambda pd, df: columns(df).loc[:, ("a", "x")],
    "column-drop": lambda pd, df: columns(df).drop(columns="a"),
    "column-drop-level": lambda pd, df: columns(df).drop(columns="x", level="v"),
    "column-swap": lambda pd, df: columns(df).swaplevel(axis=1),
    "column-reorder": lambda pd, df: columns(df).reorder_levels([1, 0], axis=1),
    "column-sort": lambda pd, df: columns(df).sort_index(axis=1, level="v", ascending=False),
    "column-droplevel": lambda pd, df: columns(df).droplevel(0, axis=1),
    "column-twice": lambda pd, df: df[["k", "k", "f"]]["k"],
    "step": lambda pd, df: df[::2],
    "backwards": lambda pd, df: df[::-1],
    "step-from": lambda pd, df: df[1::3],
    "step-to": lambda pd, df: df[1:-1:2],
    "step-far": lambda pd, df: df[::100],
    "step-nothing": lambda pd, df: df[5:2:2],
    "step-back": lambda pd, df: df[-2:0:-2],
    "step-twice": lambda pd, df: df[::2][::-2],
    "step-sum": lambda pd, df: df[::-2]["k"].sum(),
    "step-of-sum": lambda pd, df: (df["k"] + 1)[::2],
    "step-of-sum-back": lambda pd, df: (df["k"] + 1)[::-2],
    "step-position": lambda pd, df: df.iloc[1::2],
    "step-position-back": lambda pd, df: df.iloc[::-2],
    "step-position-sorted": lambda pd, df: df.sort_values(["k", "i"]).iloc[1::2],
    "step-position-set": lambda pd, df: df.set_index("s").iloc[1:4:2],
    "step-then-masked": lambda pd, df: df[::2].pipe(lambda d: d[d["k"] > 1]),
    "step-running": lambda pd, df: df["k"].cumsum()[1::2],
    "step-running-after": lambda pd, df: df[::2]["k"].cumsum(),
    "series-backwards": lambda pd, df: df["f"][::-1],
    "series-slice": lambda pd, df: df["f"][1:3],
    "list-of-truth": lambda pd, df: df[[True] * len(df)],
    "loc-list-of-truth": lambda pd, df: df.loc[[True] * len(df)],
    "loc-ellipsis": lambda pd, df: df.loc[..., "f"],
    "iloc-ellipsis": lambda pd, df: df.iloc[..., 0],
    "loc-function": lambda pd, df: df.loc[lambda d: d["k"] > 1],
    "function": lambda pd, df: df[lambda d: d["k"] > 1],
    "series-function": lambda pd, df: df["k"][lambda s: s > 1],
    "iloc-lists": lambda pd, df: df.iloc[[True] * len(df), [0, 1]],
    "iloc-columns": lambda pd, df: df[["k", "f"]].iloc[:, [True, False]],
    "loc-columns": lambda pd, df: df[["k", "f"]].loc[:, [True, False]],
    "loc-array": lambda pd, df: df.loc[:, np.array(["k", "f"])],
    "loc-index": lambda pd, df: df.reset_index(drop=True).loc[pd.Index([0])],
    "loc-range": lambda pd, df: df.reset_index(drop=True).loc[range(1)],
    "frame-of-truth": lambda pd, df: df[["k", "i"]][df[["k", "i"]] > 1],
    "drop-level": lambda pd, df: rows(df).drop(1, level="k"),
    "drop-series-level": lambda pd, df: rows(df)["f"].drop(1, level=0),
    "sort-level": lambda pd, df: rows(df).sort_index(level="s"),
    "sort-by-key": lambda pd, df: df.set_index("s").sort_index(key=lambda labels: labels.str.lower()),
    "filter-rows": lambda pd, df: df.set_index("s").filter(like="b", axis=0),
    "filter-series": lambda pd, df: df.set_index("s")["f"].filter(like="b"),
    "truncate-columns": lambda pd, df: df[["f", "i", "k"]].truncate("g", "j", axis=1),
    "prefix-of-rows": lambda pd, df: df.add_prefix("x", axis=0),
    "suffix-of-rows": lambda pd, df: df.add_suffix("x", axis=0),
    "squeeze": lambda pd, df: df[["f"]].squeeze(),
    "squeeze-row": lambda pd, df: df[["f", "k"]].iloc[:1].squeeze(),
    "squeeze-axis": lambda pd, df: df[["f", "k"]].iloc[:1].squeeze(axis=0),
    "squeeze-series": lambda pd, df: df["k"].iloc[:1].squeeze(),
    "repeat": lambda pd, df: df["s"].repeat(3),
    "repeat-each": lambda pd, df: df["f"].repeat(list(range(len(df)))),
    "get": lambda pd, df: (df.get("zz"), df.get("zz", 3), df.get(["f", "k"]), df.get(["f", "zz"])),
    "sort-values-by-key": lambda pd, df: df.sort_values("f", key=lambda column: -column, kind="stable"),
    "sort-series-by-key": lambda pd, df: df["f"].sort_values(key=abs, kind="stable"),
    "sort-several-by-key": lambda pd, df: df.sort_values(["k", "f"], key=lambda column: -column),
    "select": lambda pd, df: df.select("f", "k"),
    "select-list": lambda pd, df: df.select(["f", "k"]),
    "select-named": lambda pd, df: df.select("f", z=pd.col("k") * 2),
    "select-expression": lambda pd, df: df.select(pd.col("f") + 1, "f"),
    "query-engine": lambda pd, df: df[["k", "s", "f"]].query("k > 1", engine="python"),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", CHOSEN)
def test_chosen(program: str, frame: str, configuration: str) -> None:
    # A row of several dtypes is one of objects, which pandas takes one by one.
    check(CHOSEN[program], FRAMES[frame](), native=program != "tuple")


DATED: dict[str, Any] = {
    "text": lambda pd, df: df.loc["2020-01"],
    "text-slice": lambda pd, df: df.loc["2020-01-03":"2020-01-05"],
    "brackets": lambda pd, df: df["2020-01-03":],
    "series-text": lambda pd, df: df["f"]["2020-01-03":"2020-01-04"],
    "mask": lambda pd, df: df["f"][df["k"] == 1],
    "zone": lambda pd, df: df.tz_localize("UTC"),
    "zones": lambda pd, df: df["s"].tz_localize("UTC").tz_convert("Asia/Tokyo"),
    "zones-of-frames": lambda pd, df: df.tz_localize("UTC").tz_convert("Asia/Tokyo"),
    "at-time": lambda pd, df: df.at_time("00:00"),
    "at-time-of-series": lambda pd, df: df["k"].at_time("00:00"),
    "between-time-of-series": lambda pd, df: df["k"].between_time("00:00", "01:00"),
    "between-time": lambda pd, df: df.between_time("00:00", "01:00"),
    "period": lambda pd, df: df.to_period("M"),
    "timestamp": lambda pd, df: df["i"].to_period("M").to_timestamp(),
}


@pytest.mark.parametrize("program", DATED)
def test_chosen_by_time(program: str, configuration: str) -> None:
    check(DATED[program], FRAMES["dated"]())

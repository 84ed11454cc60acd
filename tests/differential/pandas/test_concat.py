"""Frames and series one after the other, and side by side."""

from __future__ import annotations

from typing import Any

import pytest
from compare import check
from frames import FRAMES

PROGRAMS: dict[str, Any] = {
    "twice": lambda pd, df: pd.concat([df, df], ignore_index=True),
    "parts": lambda pd, df: pd.concat([df.iloc[:3], df.iloc[3:]], ignore_index=True),
    "labels": lambda pd, df: pd.concat([df.iloc[:3], df.iloc[3:]]),
    "labels-twice": lambda pd, df: pd.concat([df, df]),
    "labels-of-masks": lambda pd, df: pd.concat([df[df["k"] == 1], df[df["k"] > 1]]),
    "labels-of-series": lambda pd, df: pd.concat([df["f"].head(2), df["f"].tail(3)]),
    "masks": lambda pd, df: pd.concat([df[df["k"] > 1], df[df["b"]]], ignore_index=True),
    "three": lambda pd, df: pd.concat([df, df[df["b"]], df.head(1)], ignore_index=True),
    "other-columns": lambda pd, df: pd.concat([df[["f", "i", "s"]], df[["s", "t", "c", "d"]]], ignore_index=True),
    "other-columns-sorted": lambda pd, df: pd.concat([df[["s", "i"]], df[["f", "s"]]], ignore_index=True, sort=True),
    "common-columns": lambda pd, df: pd.concat([df[["f", "i", "s"]], df[["s", "t", "c"]]], ignore_index=True, join="inner"),
    "missing-truth": lambda pd, df: pd.concat([df[["b", "s"]], df[["s"]]], ignore_index=True),
    "other-order": lambda pd, df: pd.concat([df[["f", "s"]], df[["s", "f"]]], ignore_index=True),
    "whole-and-float": lambda pd, df: pd.concat([df[["i"]], df[["f"]].rename(columns={"f": "i"})], ignore_index=True),
    "widths": lambda pd, df: pd.concat([df[["small"]], df[["k"]].rename(columns={"k": "small"})], ignore_index=True),
    "float-widths": lambda pd, df: pd.concat([df["g"], df["f"]], ignore_index=True),
    "series": lambda pd, df: pd.concat([df["f"], df["i"]], ignore_index=True),
    "series-same-name": lambda pd, df: pd.concat([df["s"], df["s"].head(2)], ignore_index=True),
    "series-of-categories": lambda pd, df: pd.concat([df["c"], df["c"]], ignore_index=True),
    "keys": lambda pd, df: pd.concat([df.head(2), df.tail(2)], keys=["a", "b"]),
    "keys-named": lambda pd, df: pd.concat([df.head(2), df.tail(2)], keys=["a", "b"], names=["piece"]),
    "dict": lambda pd, df: pd.concat({"x": df["f"], "y": df["f"]}),
    "generator": lambda pd, df: pd.concat((df.head(n) for n in (1, 2)), ignore_index=True),
    "then": lambda pd, df: pd.concat([df, df], ignore_index=True).pipe(lambda d: d[d["k"] > 1])[["f", "s", "k"]],
    "then-sum": lambda pd, df: pd.concat([df, df], ignore_index=True)["k"].sum(),
    "with-constant": lambda pd, df: pd.concat([df.assign(from_="a")[["k", "from_"]], df.assign(from_="b")[["k", "from_"]]], ignore_index=True),
    "beside": lambda pd, df: pd.concat([df[["f"]], df["s"]], axis=1),
    "beside-computed": lambda pd, df: pd.concat([df[["f", "s"]], df["f"] * 2, (df["k"] + 1).rename("k1")], axis=1),
    "beside-keys": lambda pd, df: pd.concat([df["f"], df["s"]], axis=1, keys=["x", "y"]),
    "beside-dict": lambda pd, df: pd.concat({"x": df["f"], "y": df["s"]}, axis=1),
    "beside-numbered": lambda pd, df: pd.concat([df["f"], df["s"]], axis=1, ignore_index=True),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_concat(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAMES[frame]())


OTHERS: dict[str, Any] = {
    "outer": lambda pd, df: pd.concat([df[["f", "k"]].head(3), df[["s", "b"]].tail(3)], axis=1),
    "inner": lambda pd, df: pd.concat([df[["f"]].head(5), df["s"].tail(9)], axis=1, join="inner"),
    "sorted": lambda pd, df: pd.concat([df["f"].tail(3), df["k"].head(4)], axis=1, sort=True),
    "masks": lambda pd, df: pd.concat([df[df["k"] > 1]["i"], df[df["b"]]["c"]], axis=1),
    "keys": lambda pd, df: pd.concat([df["f"].head(2), df["k"].tail(2)], axis=1, keys=["x", "y"]),
}


@pytest.mark.parametrize("frame", ["mixed", "one", "all-missing", "shuffled", "range", "long"])
@pytest.mark.parametrize("program", OTHERS)
def test_concat_of_other_rows(program: str, frame: str, configuration: str) -> None:
    check(OTHERS[program], FRAMES[frame]())


LEFT: dict[str, Any] = {
    **OTHERS,
    "one": lambda pd, df: pd.concat([df]),
    "none": lambda pd, df: pd.concat([]),
    "nothing": lambda pd, df: pd.concat([None, None]),
    "with-nothing": lambda pd, df: pd.concat([df, None]),
    "a-frame": lambda pd, df: pd.concat(df),
    "truth-and-whole": lambda pd, df: pd.concat([df["b"], df["i"]]),
    "text-and-float": lambda pd, df: pd.concat([df["s"], df["f"]], ignore_index=True),
    "categories": lambda pd, df: pd.concat([df["c"], df["c"].cat.add_categories("new")], ignore_index=True),
    "frame-and-series": lambda pd, df: pd.concat([df[["f"]], df["f"]]),
    "frame-and-series-unnamed": lambda pd, df: pd.concat([df[["f"]], df["f"].rename(None)]),
    "verified": lambda pd, df: pd.concat([df, df], verify_integrity=True),
    "no-columns": lambda pd, df: pd.concat([df[[]], df]),
    "objects": lambda pd, df: pd.concat([df.assign(o=df["s"].astype(object)), df[["k"]]], ignore_index=True),
    "keys-and-numbered": lambda pd, df: pd.concat([df, df], keys=["a", "b"], ignore_index=True),
    "bad-join": lambda pd, df: pd.concat([df, df], join="left"),
    "columns-twice": lambda pd, df: pd.concat([df[["f", "f"]], df[["s"]]]),
    "columns-twice-the-same": lambda pd, df: pd.concat([df[["f", "f"]], df[["f", "f"]]], ignore_index=True),
    "beside-others": lambda pd, df: pd.concat([df[["f"]].head(3), df["s"].tail(3)], axis=1),
    "beside-others-common": lambda pd, df: pd.concat([df[["f"]].head(3), df["s"].tail(3)], axis=1, join="inner"),
    "keys-of-numbers": lambda pd, df: pd.concat([df.head(2), df.tail(2)], keys=[2, 1]),
    "keys-twice": lambda pd, df: pd.concat([df.head(2), df.tail(2)], keys=["a", "a"]),
    "empty-first": lambda pd, df: pd.concat([pd.DataFrame(), df]),
    "other-labels": lambda pd, df: pd.concat([df, df.reset_index(drop=True)]),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", LEFT)
def test_concat_that_may_be_left_to_pandas(program: str, frame: str, configuration: str) -> None:
    check(LEFT[program], FRAMES[frame](), native=False)

"""Choosing columns and rows, and putting columns in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from compare import check, writes
from frames import FRAMES

PROGRAMS: dict[str, Any] = {
    "column": lambda pd, df: df["f"],
    "attribute": lambda pd, df: df.s,
    "columns": lambda pd, df: df[["s", "i"]],
    "columns-twice": lambda pd, df: df[["i", "i"]],
    "no-columns": lambda pd, df: df[[]],
    "mask": lambda pd, df: df[df["k"] > 1],
    "mask-of-none": lambda pd, df: df[df["k"] > 100],
    "mask-of-all": lambda pd, df: df[df["k"] > 0],
    "mask-twice": lambda pd, df: df[df["k"] > 1][["i", "f"]].pipe(lambda d: d[d["i"] > 0]),
    "mask-and": lambda pd, df: df[(df["k"] > 1) & ~(df["b"] | (df["s"] == "b"))],
    "mask-series": lambda pd, df: df["s"][df["f"] > 0],
    "head": lambda pd, df: df.head(3),
    "head-negative": lambda pd, df: df.head(-2),
    "head-none": lambda pd, df: df.head(0),
    "tail": lambda pd, df: df.tail(3),
    "tail-series": lambda pd, df: df["t"].tail(2),
    "tail-negative": lambda pd, df: df.tail(-3),
    "head-of-mask": lambda pd, df: df[df["k"] == 1].head(2),
    "slice": lambda pd, df: df["f"].head(5).tail(2),
    "drop-columns": lambda pd, df: df.drop(columns=["f", "s"]),
    "drop-axis": lambda pd, df: df.drop("f", axis=1),
    "drop-missing": lambda pd, df: df.drop(columns="nothing"),
    "rename": lambda pd, df: df.rename(columns={"f": "g2", "nothing": "x"}),
    "rename-function": lambda pd, df: df.rename(columns=str.upper),
    "rename-series": lambda pd, df: df["f"].rename("x"),
    "assign": lambda pd, df: df.assign(x=1, y=lambda d: d["x"] + d["k"], f="text"),
    "to-frame": lambda pd, df: df["f"].to_frame(),
    "tail-of-mask": lambda pd, df: df[df["k"] > 1].tail(2),
    "tail-of-sums": lambda pd, df: (df["k"] + 1).tail(3),
    "select-dtypes": lambda pd, df: df.select_dtypes("number"),
    "filter-like": lambda pd, df: df.filter(like="s"),
    "missing-column": lambda pd, df: df["nothing"],
    "copy": lambda pd, df: df.copy(),
    "columns-of-mask": lambda pd, df: df[df["b"]]["s"],
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_selection(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAMES[frame]())


@writes
def put_scalar(pd: Any, df: Any) -> Any:
    df["x"] = 1.5
    df["f"] = df["i"]
    return df


@writes
def put_array(pd: Any, df: Any) -> Any:
    df["x"] = np.arange(len(df))
    return df


@writes
def put_arrays(pd: Any, df: Any) -> Any:
    df["o"] = np.array(["a"] * len(df), dtype=object)
    df["u"] = np.array(["a"] * len(df))
    df["d"] = np.arange(len(df)).astype("M8[D]")
    df["m"] = np.arange(len(df)).astype("m8[ms]")
    df["x"] = pd.Index(["a"] * len(df), dtype=object)
    df["l"] = [None, *["a"] * len(df)][: len(df)]
    df["z"] = pd.array([1] * len(df), dtype="Int64")
    return df


@writes
def put_into_mask(pd: Any, df: Any) -> Any:
    some = df[df["k"] > 1]
    some["x"] = some["k"] * 2
    df["x"] = df["f"] + 1
    return some, df


@writes
def rename_in_place(pd: Any, df: Any) -> Any:
    df.columns = [f"{name}2" for name in df.columns]
    child = df[df["k2"] > 1]
    df.index.name = "new"
    return df, child


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", [put_scalar, put_array, put_arrays, put_into_mask, rename_in_place])
def test_putting_columns_in(program: Any, frame: str, configuration: str) -> None:
    check(program, FRAMES[frame](), native=False)

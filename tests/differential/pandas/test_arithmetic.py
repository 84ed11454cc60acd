"""Arithmetic and comparison, of columns that stand side by side and of such that do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check, writes
from frames import FRAMES

NUMBERS = ["i", "small", "f", "g", "k"]
PLAIN: dict[str, Any] = {
    "add": lambda pd, df: df["f"] + df["k"],
    "widths": lambda pd, df: df["small"] * df["k"],
    "divide": lambda pd, df: df["i"] / df["k"],
    "divide-by-zero": lambda pd, df: df["k"] / df["small"],
    "floor-divide": lambda pd, df: df["i"] // df["k"],
    "remainder": lambda pd, df: df["i"] % df["k"],
    "float-floor-divide": lambda pd, df: df["f"] // df["k"],
    "float-remainder": lambda pd, df: df["g"] % df["k"],
    "reflected": lambda pd, df: 10 // df["k"],
    "truth-add": lambda pd, df: df["b"] + (df["k"] > 1),
    "truth-multiply": lambda pd, df: df["b"] * (df["k"] > 1),
    "truth-divide": lambda pd, df: df["b"] / (df["k"] > 1),
    "truth-and-number": lambda pd, df: df["b"] * df["f"],
    "row": lambda pd, df: df[["f", "k"]] - df[["f", "k"]].max(),
    "row-of-wholes": lambda pd, df: df[["small", "k"]] * pd.Series([2, 3], index=["small", "k"]),
    "row-list": lambda pd, df: df[["f", "k"]] + [1, 2.5],
    "row-array": lambda pd, df: df[["f", "k"]] * np.array([2, 3]),
    "row-compared": lambda pd, df: df[["f", "k"]] > pd.Series([0.5, 1.0], index=["f", "k"]),
    "list": lambda pd, df: df["k"] + list(range(len(df))),
    "array": lambda pd, df: df["f"] * np.arange(len(df)),
    "index": lambda pd, df: df["f"] + pd.Index(np.arange(len(df)), name="f"),
    "index-of-another-name": lambda pd, df: df["f"] + pd.Index(np.arange(len(df)), name="other"),
    "fill-value": lambda pd, df: df["f"].add(df["g"], fill_value=1),
    "fill-value-number": lambda pd, df: df["f"].mul(2, fill_value=0.5),
    "fill-value-frame": lambda pd, df: df[["f", "g"]].sub(df[["g", "f"]].set_axis(["f", "g"], axis=1), fill_value=0),
    "along-rows": lambda pd, df: df[["f", "k"]].div(df["k"], axis=0),
    "frame-frame": lambda pd, df: df[["f", "k"]] + df[["f", "k"]],
    "sorted-back": lambda pd, df: df["k"] + df.sort_values("k", kind="stable").sort_index()["k"] if df.index.is_unique else df["k"] + 1,
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PLAIN)
def test_arithmetic(program: str, frame: str, configuration: str) -> None:
    # Of two rows the greatest are zeros of both signs, of which NumPy's loops choose one.
    native = not (program == "sorted-back" and frame in ("several",)) and not (frame in ("empty", "two") and program == "row")
    check(PLAIN[program], FRAMES[frame](), native=native)


@writes
def put_other_labels(pd: Any, df: Any) -> Any:
    df["x"] = df["k"].head(3)
    df["y"] = df["s"].tail(4)
    df["z"] = (df["f"] * 2).iloc[1:3]
    return df


@writes
def put_into_some(pd: Any, df: Any) -> Any:
    some = df[df["k"] > 1]
    some["x"] = df["i"].head(4)
    some["y"] = df["f"] * 2
    return some


@writes
def put_category(pd: Any, df: Any) -> Any:
    df["x"] = df["c"].head(2)
    df["truth"] = df["b"].head(5)
    return df


UNITED: dict[str, Any] = {
    "parts": lambda pd, df: df["k"].head(5) + df["f"].tail(5),
    "parts-of-wholes": lambda pd, df: df["k"].head(5) * df["small"].iloc[2:],
    "filtered": lambda pd, df: df[df["k"] > 1]["k"] + df["k"],
    "both-filtered": lambda pd, df: df[df["k"] > 1]["f"] - df[df["b"]]["f"],
    "frames": lambda pd, df: df[["f", "k"]].head(4) + df[["f", "k"]].tail(6),
    "fill-value": lambda pd, df: df["k"].head(5).add(df["f"].tail(5), fill_value=0),
    "compared": lambda pd, df: df["k"].head(5).gt(df["f"].tail(5)),
    "put": put_other_labels,
    "put-into-some": put_into_some,
    "put-category": put_category,
}


@pytest.mark.parametrize("frame", ["mixed", "one", "two", "all-missing", "dated", "shuffled", "range", "long"])
@pytest.mark.parametrize("program", UNITED)
def test_arithmetic_of_other_labels(program: str, frame: str, configuration: str) -> None:
    check(UNITED[program], FRAMES[frame](), native=(program, frame) != ("put-into-some", "one"))


@pytest.mark.parametrize("frame", ["empty", "labelled", "several"])
@pytest.mark.parametrize("program", UNITED)
def test_arithmetic_of_labels_that_stand_twice(program: str, frame: str, configuration: str) -> None:
    check(UNITED[program], FRAMES[frame](), native=False)


def _nullable() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "a": pd.array([1, None, 3, 2**62], dtype="Int64"),
            "b": pd.array([1, 2, None, 4], dtype="Int8"),
            "t": pd.array([True, False, None, True], dtype="boolean"),
            "u": pd.array([None, False, None, True], dtype="boolean"),
            "k": [1, 2, 3, 4],
            "f": [0.5, np.nan, 1.5, 2.0],
        }
    )


NULLABLE: dict[str, Any] = {
    "add": lambda pd, df: df["a"] + df["b"],
    "add-number": lambda pd, df: df["a"] + 1,
    "subtract-from": lambda pd, df: 1 - df["b"],
    "multiply": lambda pd, df: df["b"] * df["b"],
    "add-plain": lambda pd, df: df["b"] + df["k"],
    "compare": lambda pd, df: df["a"] > df["b"],
    "compare-number": lambda pd, df: df["a"] == 3,
    "and": lambda pd, df: df["t"] & df["u"],
    "or": lambda pd, df: df["t"] | df["u"],
    "xor": lambda pd, df: df["t"] ^ True,
}


@pytest.mark.parametrize("program", NULLABLE)
def test_nullable_arithmetic(program: str, configuration: str) -> None:
    check(NULLABLE[program], _nullable())
    check(NULLABLE[program], _nullable().iloc[:0])


LEFT: dict[str, Any] = {
    "compare-others": lambda pd, df: df["k"].head(3) == df["k"].tail(3),
    "and-others": lambda pd, df: df["b"].head(3) & df["b"].tail(3),
    "zero": lambda pd, df: df["k"] // df["small"],
    "zero-remainder": lambda pd, df: df["k"] % df["small"],
    "truth-subtract": lambda pd, df: df["b"] - df["b"],
    "float-zero": lambda pd, df: df["f"] // df["f"],
    "row-of-others": lambda pd, df: df[["f", "k"]] + pd.Series([1, 2], index=["f", "other"]),
    "row-compared-others": lambda pd, df: df[["f", "k"]] > pd.Series([1, 2], index=["f", "other"]),
    "frames-of-others": lambda pd, df: df[["f", "k"]] + df[["f", "i"]],
    "list-too-long": lambda pd, df: df["k"] + [1, 2],
    "row-too-long": lambda pd, df: df[["k", "f"]] + [1, 2, 3],
    "text-list": lambda pd, df: df["s"] + ["x"] * len(df),
    "series-and-frame": lambda pd, df: df["f"] + df[["f"]],
    "tuple": lambda pd, df: df["f"].add((1, 2)),
    "logic-list": lambda pd, df: df["b"] & [True] * len(df),
    "fill-text": lambda pd, df: df["s"].add(df["s"], fill_value="x"),
    "nullable-divide": lambda pd, df: df["k"].astype("Int64") / 2,
    "nullable-float": lambda pd, df: df["k"].astype("Int64") + 1.5,
    "nullable-and-float": lambda pd, df: df["k"].astype("Int64") + df["f"],
    "nullable-zero": lambda pd, df: df["k"].astype("Int64") // df["small"].astype("Int64"),
    "align": lambda pd, df: df["k"].head(3).align(df["f"].tail(3)),
    "combine-first": lambda pd, df: df["f"].combine_first(df["g"]),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", LEFT)
def test_arithmetic_that_may_be_left_to_pandas(program: str, frame: str, configuration: str) -> None:
    check(LEFT[program], FRAMES[frame](), native=False)

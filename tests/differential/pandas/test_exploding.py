"""A row for each element of lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest
from compare import check
from frames import FRAMES


def lists(df: Any) -> Any:
    """A frame with columns of lists: of text, of numbers, of several kinds, empty and missing, and of Arrow's own."""
    rows = len(df)
    some = np.empty(5, dtype=object)
    some[:] = [[1, 2], [], None, [3], np.nan]
    several = np.empty(5, dtype=object)
    several[:] = [("a", 1), {"k": 1, "l": 2}, "text", np.array([1.5, 2.5]), [None]]
    words = np.empty(5, dtype=object)
    words[:] = [["x", "ü"], ["y"], [], ["z", None, "x"], None]
    equal = np.empty(5, dtype=object)
    equal[:] = [[True, False], [None], [1.5], np.nan, []]
    arrow = pyarrow.array([[1, 2], None, [], [3, None], [4]] * (rows // 5 + 1), pyarrow.list_(pyarrow.int64()))[:rows]
    halves = pyarrow.array([[1.5], None, [], [3, None], [4]] * (rows // 5 + 1), pyarrow.large_list(pyarrow.float64()))[:rows]
    return df.assign(
        some=np.resize(some, rows),
        several=np.resize(several, rows),
        words=np.resize(words, rows),
        equal=np.resize(equal, rows),
        arrow=pandas.array(arrow, dtype=pandas.ArrowDtype(arrow.type)),
        halves=pandas.array(halves, dtype=pandas.ArrowDtype(halves.type)),
        text=df["s"] + " " + df["s"],
    )


NATIVE: dict[str, Any] = {
    **{f"{name}": lambda pd, df, n=name: df.explode(n) for name in ("some", "several", "words", "arrow", "halves")},
    **{f"{name}-counted": lambda pd, df, n=name: df.explode(n, ignore_index=True) for name in ("some", "several", "words", "arrow", "halves")},
    **{f"series-{name}": lambda pd, df, n=name: df[n].explode() for name in ("some", "several", "words", "arrow", "halves", "k", "f", "s", "c")},
    **{f"series-{name}-counted": lambda pd, df, n=name: df[n].explode(ignore_index=True) for name in ("some", "words", "arrow", "k", "s")},
    **{f"no-lists-{name}": lambda pd, df, n=name: df.explode(n) for name in ("k", "s", "t")},
    "no-lists-counted": lambda pd, df: df.explode("k", ignore_index=True),
    "several-columns": lambda pd, df: df.explode(["some", "equal"]),
    "several-columns-counted": lambda pd, df: df.explode(["some", "equal"], ignore_index=True),
    "one-of-a-list": lambda pd, df: df.explode(["words"]),
    "alone": lambda pd, df: df[["some"]].explode("some"),
    "of-mask": lambda pd, df: df[df["k"] > 1].explode("words"),
    "then": lambda pd, df: df.explode("words")[["words", "k"]].dropna(),
    "then-groups": lambda pd, df: df.explode("words").groupby("words")["k"].sum(),
    "then-numbers": lambda pd, df: df.explode("arrow")["arrow"].isna(),
    "sorted": lambda pd, df: df.sort_values("i", kind="stable").explode("some"),
    "twice": lambda pd, df: df.explode("some").explode("words"),
}

SPLIT: dict[str, Any] = {
    "split": lambda pd, df: df.assign(x=df["text"].str.split(" ")).explode("x"),
    "split-counted": lambda pd, df: df.assign(x=df["text"].str.split(" ")).explode("x", ignore_index=True),
    "split-white": lambda pd, df: df.assign(x=df["text"].str.split()).explode("x"),
    "split-pattern": lambda pd, df: df.assign(x=df["text"].str.split(r"[ a]", regex=True)).explode("x"),
    "split-set": lambda pd, df: df.assign(text=df["text"].str.split(" ")).explode("text")[["k", "text"]],
    "split-series": lambda pd, df: df["text"].str.split(" ").explode(),
    "split-series-counted": lambda pd, df: df["text"].str.split(" ").explode(ignore_index=True),
    "split-series-then": lambda pd, df: df["text"].str.split(" ").explode().str.len().value_counts(),
    "split-counts": lambda pd, df: df["text"].str.split().explode().value_counts(),
    "split-of-mask": lambda pd, df: df.assign(x=df["text"].str.split(" "))[df["k"] > 1].explode("x"),
    "split-mask": lambda pd, df: df.assign(x=df["text"].str.split(" ")).explode("x").pipe(lambda rows: rows[rows["x"] == "b"]),
    "split-groups": lambda pd, df: df.assign(x=df["text"].str.split(" ")).explode("x").groupby("x")["k"].mean(),
    "split-merged": lambda pd, df: df.assign(x=df["text"].str.split(" ")).explode("x").merge(df[["k", "small"]].drop_duplicates("k"), on="k"),
    "split-two": lambda pd, df: df.assign(x=df["text"].str.split(" "), y=df["text"].str.replace("b", "c").str.split(" ")).explode(["x", "y"]),
    "split-two-white": lambda pd, df: df.assign(x=df["text"].str.split(), y=df["text"].str.replace("b", "c").str.split()).explode(["x", "y"]),
    "split-nullable": lambda pd, df: df.assign(x=df["text"].astype("string").str.split(" ")).explode("x"),
    "split-windows": lambda pd, df: df.assign(x=df["text"].str.split(" "), y=df["k"].cumsum()).explode("x"),
    "split-reset": lambda pd, df: df.assign(x=df["text"].str.split(" ")).explode("x").reset_index(drop=True),
    "split-labels": lambda pd, df: df.assign(x=df["text"].str.split(" ")).explode("x").reset_index(),
    "split-located": lambda pd, df: df.assign(x=df["text"].str.split(" ")).explode("x").iloc[1:4],
    "split-sorted": lambda pd, df: df.assign(x=df["text"].str.split(" ")).explode("x").sort_values(["x", "k"], kind="stable"),
    "found": lambda pd, df: df.assign(x=df["text"].str.findall("[ab]")).explode("x"),
    "found-length": lambda pd, df: df["text"].str.findall("[ab]").str.len(),
}

EITHER: dict[str, Any] = {
    "found-first": lambda pd, df: df["text"].str.findall("[ab]").str[0],
    "not-equally-long": lambda pd, df: df.explode(["some", "words"]),
    "unknown": lambda pd, df: df.explode("nothing"),
    "none": lambda pd, df: df.explode([]),
    "repeated": lambda pd, df: df.explode(["some", "some"]),
    "duplicate": lambda pd, df: pd.concat([df, df], axis=1).explode("some"),
    "split-not-equally-long": lambda pd, df: df.assign(x=df["text"].str.split(" "), y=df["s"].str.split(" ")).explode(["x", "y"]),
    "split-and-held": lambda pd, df: df.assign(x=df["text"].str.split(" ")).explode(["x", "k"]),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", NATIVE)
def test_exploding(program: str, frame: str, configuration: str) -> None:
    check(NATIVE[program], lists(FRAMES[frame]()))


@pytest.mark.parametrize("frame", [name for name in FRAMES if name not in ("empty", "all-missing")])
@pytest.mark.parametrize("program", SPLIT)
def test_exploding_what_was_split(program: str, frame: str, configuration: str) -> None:
    check(SPLIT[program], lists(FRAMES[frame]()), rtol=1e-12)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", [*EITHER, *SPLIT])
def test_exploding_by_either(program: str, frame: str, configuration: str) -> None:
    check({**EITHER, **SPLIT}[program], lists(FRAMES[frame]()), native=False, rtol=1e-12)

"""Rows and columns by label and by position, read and written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from compare import check, writes
from frames import FRAMES

READS: dict[str, Any] = {
    "mask": lambda pd, df: df.loc[df["k"] > 1],
    "mask-column": lambda pd, df: df.loc[df["k"] > 1, "f"],
    "mask-columns": lambda pd, df: df.loc[df["b"], ["s", "i"]],
    "mask-series": lambda pd, df: df["f"].loc[df["b"]],
    "columns": lambda pd, df: df.loc[:, ["s", "f"]],
    "column": lambda pd, df: df.loc[:, "s"],
    "column-slice": lambda pd, df: df.loc[:, "f":"s"],
    "everything": lambda pd, df: df.loc[:],
    "position-slice": lambda pd, df: df.iloc[1:4],
    "position-slice-end": lambda pd, df: df.iloc[-3:],
    "position-slice-both": lambda pd, df: df.iloc[2:5, 1:3],
    "position-column": lambda pd, df: df.iloc[:, 2],
    "position-column-end": lambda pd, df: df.iloc[:, -1],
    "position-columns": lambda pd, df: df.iloc[:, [3, 0]],
    "position-value": lambda pd, df: df["f"].iloc[0],
    "position-value-end": lambda pd, df: df["s"].iloc[-1],
    "position-value-missing": lambda pd, df: df["t"].iloc[1],
    "position-mask": lambda pd, df: df.iloc[(df["k"] > 1).to_numpy()],
    "position-series-slice": lambda pd, df: df["c"].iloc[2:],
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", READS)
def test_reading(program: str, frame: str, configuration: str) -> None:
    check(READS[program], FRAMES[frame]())


POSITIONS: dict[str, Any] = {
    "position": lambda pd, df: df.iloc[1],
    "position-end": lambda pd, df: df.iloc[-1],
    "position-of-numbers": lambda pd, df: df[["f", "k"]].iloc[1],
    "position-some": lambda pd, df: df.iloc[1, [0, 3]],
    "position-slice-of-columns": lambda pd, df: df.iloc[1, 2:4],
    "positions": lambda pd, df: df.iloc[[1, 0, -1, 1]],
    "positions-array": lambda pd, df: df.iloc[np.array([1, 0])],
    "positions-both": lambda pd, df: df.iloc[[1, 0], [2, 3]],
    "positions-none": lambda pd, df: df.iloc[[]],
    "positions-of-mask": lambda pd, df: df[df["k"] > 0].iloc[[1, 0]],
    "positions-of-computed": lambda pd, df: (df["f"] * 2).iloc[[1, 0]],
    "step": lambda pd, df: df.iloc[::2],
    "backwards": lambda pd, df: df["s"].iloc[::-1],
    "iat": lambda pd, df: df.iat[1, 3],
    "iat-series": lambda pd, df: df["t"].iat[0],
    "then": lambda pd, df: df.iloc[[1, 0]]["f"] + 1,
    "label": lambda pd, df: df.loc[df.index[1]],
    "label-column": lambda pd, df: df.loc[df.index[1], "f"],
    "label-columns": lambda pd, df: df.loc[df.index[1], ["f", "s"]],
    "label-numbers": lambda pd, df: df.loc[df.index[1], ["f", "k"]],
    "label-slice-of-columns": lambda pd, df: df.loc[df.index[1], "f":"g"],
    "labels": lambda pd, df: df.loc[[df.index[1], df.index[0]]],
    "labels-columns": lambda pd, df: df.loc[[df.index[1], df.index[0]], ["f", "s"]],
    "labels-of-series": lambda pd, df: df["c"].loc[list(df.index[:2])],
    "labels-of-index": lambda pd, df: df.loc[df.index[:2]],
    "slice-of-labels": lambda pd, df: df.loc[df.index[0] : df.index[1]],
    "slice-open": lambda pd, df: df["f"].loc[df.index[1] :],
    "at": lambda pd, df: df.at[df.index[1], "f"],
    "at-series": lambda pd, df: df["s"].at[df.index[0]],
}


@pytest.mark.parametrize("frame", ["mixed", "two", "all-missing", "dated", "range", "long", "shuffled"])
@pytest.mark.parametrize("program", POSITIONS)
def test_reading_places_and_labels(program: str, frame: str, configuration: str) -> None:
    check(POSITIONS[program], FRAMES[frame](), native=not (frame == "shuffled" and "slice" in program))


@pytest.mark.parametrize("frame", ["empty", "one", "labelled", "several"])
@pytest.mark.parametrize("program", POSITIONS)
def test_reading_places_that_may_not_be(program: str, frame: str, configuration: str) -> None:
    check(POSITIONS[program], FRAMES[frame](), native=False)


LEFT: dict[str, Any] = {
    "label": lambda pd, df: df.loc[2],
    "labels": lambda pd, df: df.loc[[0, 2]],
    "label-slice": lambda pd, df: df.loc[1:3],
    "label-slice-open": lambda pd, df: df.loc[3:],
    "label-column": lambda pd, df: df.loc[2, "f"],
    "position": lambda pd, df: df.iloc[1],
    "positions": lambda pd, df: df.iloc[[2, 0]],
    "position-out": lambda pd, df: df.iloc[100],
    "at": lambda pd, df: df.at[1, "f"],
    "iat": lambda pd, df: df.iat[1, 2],
    "missing": lambda pd, df: df.loc[:, "nothing"],
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", LEFT)
def test_reading_what_may_be_left_to_pandas(program: str, frame: str, configuration: str) -> None:
    check(LEFT[program], FRAMES[frame](), native=False)


def _writing(key: str, value: Any) -> Any:
    @writes
    def program(pd: Any, df: Any) -> Any:
        child = df[df["k"] > 0]
        df.loc[df["k"] > 1, key] = value(df) if callable(value) else value
        return df, child

    return program


WRITES: dict[str, Any] = {
    "float": _writing("f", 1.5),
    "nan": _writing("f", np.nan),
    "whole": _writing("i", 7),
    "text": _writing("s", "new"),
    "truth": _writing("b", True),
    "series": _writing("f", lambda df: df["f"] + 1),
    "new-float": _writing("new", 2.5),
    "category": _writing("c", "x"),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", WRITES)
def test_writing(program: str, frame: str, configuration: str) -> None:
    check(WRITES[program], FRAMES[frame]())


WRITES_LEFT: dict[str, Any] = {
    "float-into-whole": _writing("i", 1.5),
    "text-into-float": _writing("f", "x"),
    "whole-into-float": _writing("f", 1),
    "missing-text": _writing("s", None),
    "new-text": _writing("new", "x"),
    "new-whole": _writing("new", 1),
    "no-category": _writing("c", "nothing"),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", WRITES_LEFT)
def test_writing_what_may_be_left_to_pandas(program: str, frame: str, configuration: str) -> None:
    check(WRITES_LEFT[program], FRAMES[frame](), native=False)


def _placing(write: Any) -> Any:
    @writes
    def program(pd: Any, df: Any) -> Any:
        df = df[df["k"] > 0]
        child = df[["f"]]
        write(df)
        return df, child

    return program


def _put(indexer: str, key: Any, value: Any) -> Any:
    return lambda df: getattr(df, indexer).__setitem__(key(df) if callable(key) else key, value)


PLACING: dict[str, Any] = {
    "position-slice": _placing(_put("iloc", (slice(1, 3), 3), 7.5)),
    "position-slice-columns": _placing(_put("iloc", (slice(None, 2), [0, 10]), 5)),
    "position-mask": _placing(_put("iloc", lambda df: ((df["k"] > 1).to_numpy(), 3), 0.5)),
    "label-slice": _placing(_put("loc", lambda df: (slice(df.index[0], df.index[1]), "f"), 1.5)),
    "label-slice-columns": _placing(_put("loc", lambda df: (slice(df.index[1], None), ["f", "g"]), 1.5)),
    "mask-columns": _placing(_put("loc", lambda df: (df["k"] > 1, ["f", "g"]), 2.0)),
    "value": _placing(_put("loc", lambda df: (df.index[0], "f"), 2.0)),
    "value-position": _placing(_put("iloc", (0, 3), 2.0)),
}


@pytest.mark.parametrize("frame", ["mixed", "two", "dated", "range", "long"])
@pytest.mark.parametrize("program", PLACING)
def test_writing_places(program: str, frame: str, configuration: str) -> None:
    check(PLACING[program], FRAMES[frame](), native=program != "position-mask")


@pytest.mark.parametrize("frame", ["empty", "one", "labelled", "several", "shuffled", "all-missing"])
@pytest.mark.parametrize("program", PLACING)
def test_writing_places_left_to_pandas(program: str, frame: str, configuration: str) -> None:
    check(PLACING[program], FRAMES[frame](), native=False)

"""Single values, read and written one after the other: by pandas where the data are there, and never by a plan for each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest

import airloom.pandas
from airloom import _report
from airloom.pandas.internals import state

ROWS = 30_000


def _frame(module: Any) -> Any:
    frame = module.DataFrame({"x": np.arange(ROWS), "f": np.arange(ROWS) * 0.5, "s": ["a", "b", "c"] * (ROWS // 3)})
    frame["y"] = frame["x"] * 2
    # What the engine read of the data is kept from here on.
    assert frame["y"].sum() == ROWS * (ROWS - 1)
    return frame


READS = {
    "at": lambda f, i: f.at[i, "y"],
    "iat": lambda f, i: f.iat[i, 1],
    "loc": lambda f, i: f.loc[i, "s"],
    "iloc": lambda f, i: f.iloc[i, 3],
    "series-at": lambda f, i: f["y"].at[i],
    "series-loc": lambda f, i: f["f"].loc[i],
    "series-item": lambda f, i: f["f"][i],
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
@pytest.mark.parametrize("way", ["there", "lazy", "labelled"])
def test_reads(way: str, read: Any) -> None:
    found = []
    for module in (pandas, airloom.pandas):
        frame = _frame(module)
        if way == "lazy":
            frame = frame[frame["x"] >= 0]
        if way == "labelled":
            frame = frame.set_axis(np.arange(ROWS)[::-1].copy())
        found.append([read(frame, i) for i in (0, 5, 17, ROWS - 1, 5)])
    assert found[0] == found[1]
    assert [type(value) for value in found[0]] == [type(value) for value in found[1]]


def test_a_second_read_computes_the_object() -> None:
    frame = _frame(airloom.pandas)
    frame = frame[frame["x"] > 10]
    frame.at[20, "x"]
    frame.at[21, "x"]
    assert not state.is_lazy(frame)
    _report.LOG.clear()
    for i in range(30, 60):
        frame.at[i, "x"], frame.iat[i, 0], frame.loc[i, "x"], frame.iloc[i, 0]
    assert not _report.LOG.entries


@pytest.mark.parametrize("write", ["at", "iat", "loc", "iloc"])
def test_writes_change_nothing_else(write: str) -> None:
    """Who was made of the data before sees them as they were, and who is made of them later as they are."""
    results = []
    for module in (pandas, airloom.pandas):
        frame = _frame(module)
        before, doubled, copied = frame["x"], frame["x"] * 2, frame.copy()
        for i in range(50):
            key = (i, 0) if write.startswith("i") else (i, "x")
            getattr(frame, write)[key] = -i
            if i % 10 == 0:
                frame["x"].sum()
        results.append([frame["x"].sum(), before.sum(), doubled.sum(), copied["x"].sum(), frame["x"].iloc[:60].tolist()])
    assert results[0] == results[1]


def test_writes_copy_no_more_than_once() -> None:
    frame = airloom.pandas.DataFrame({"x": np.arange(ROWS)})
    assert frame["x"].sum() > 0
    frame.at[0, "x"] = 1
    where = frame._mgr.blocks[0].values.__array_interface__["data"][0]
    for i in range(20):
        frame.at[i, "x"] = frame.at[i, "x"] + 1
    assert frame._mgr.blocks[0].values.__array_interface__["data"][0] == where

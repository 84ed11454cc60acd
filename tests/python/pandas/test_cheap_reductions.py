"""Reductions of columns in memory that NumPy does in less time than a run takes to begin."""

from __future__ import annotations

import numpy as np
import pandas
import pytest

import airloom
import airloom.pandas as pd
from airloom.pandas.execution import run

ROWS = 100_000


@pytest.fixture
def runs(monkeypatch):
    """The programs that the engine ran."""
    seen = []
    kept = run._run

    def counted(outputs, **options):
        seen.append(outputs)
        return kept(outputs, **options)

    monkeypatch.setattr(run, "_run", counted)
    return seen


@pytest.fixture
def data():
    numbers = np.arange(ROWS)
    return {"f": np.where(numbers % 7 == 0, np.nan, numbers / 3), "i": numbers, "b": numbers % 2 == 0, "s": numbers.astype(str)}


@pytest.mark.parametrize("name", ["sum", "mean", "min", "max", "count", "std", "var"])
@pytest.mark.parametrize("column", ["f", "i"])
def test_a_column_in_memory_is_not_worth_a_run(runs, data, name, column):
    ours, theirs = pd.DataFrame(data), pandas.DataFrame(data)
    assert getattr(ours[column], name)() == getattr(theirs[column], name)()
    assert getattr(ours.iloc[10:90_000][column], name)() == getattr(theirs.iloc[10:90_000][column], name)()
    assert not runs


def test_what_has_to_be_computed_is(runs, data):
    ours, theirs = pd.DataFrame(data), pandas.DataFrame(data)
    assert (ours["i"] * 2).sum() == (theirs["i"] * 2).sum()
    assert ours[ours["b"]]["i"].max() == theirs[theirs["b"]]["i"].max()
    assert len(runs) >= 2


def test_writes_are_seen(runs, data):
    ours = pd.DataFrame(data)
    before = ours["i"].sum()
    ours.loc[0, "i"] = 5
    assert ours["i"].sum() == before + 5
    assert not runs


def test_many_rows_are_worth_a_run(runs):
    rows = 3_000_000
    ours = pd.DataFrame({"i": np.arange(rows), "f": np.arange(rows) / 2, "b": np.arange(rows) % 2 == 0})
    with airloom.options(threads=32):
        assert ours["i"].sum() == rows * (rows - 1) // 2
        assert ours["i"].max() == rows - 1
        assert ours["f"].mean() == (rows - 1) / 4
    assert len(runs) == 3


def test_few_threads_are_not_worth_a_run(runs):
    rows = 3_000_000
    ours = pd.DataFrame({"i": np.arange(rows), "f": np.arange(rows) / 2, "b": np.arange(rows) % 2 == 0})
    with airloom.options(threads=2):
        assert ours["i"].sum() == rows * (rows - 1) // 2
        assert ours["i"].max() == rows - 1
        assert not ours["b"].min()
        assert ours["f"].sum() == rows * (rows - 1) / 4
    assert not runs

"""How frames are computed, told; and functions of plain pandas, compiled."""

from __future__ import annotations

import json

import numpy as np
import pandas
import pytest

import airloom
import airloom.pandas as pd

ROWS = 50_000


def frame() -> pandas.DataFrame:
    return pandas.DataFrame({"k": np.arange(ROWS) % 7, "x": np.arange(ROWS) * 0.5})


def test_a_frame_that_nobody_has_looked_at_is_explained() -> None:
    sums = pd.DataFrame(frame()).query("k > 2").groupby("k")["x"].sum()
    told = airloom.explain(sums)
    assert "group" in told and "scan" in told
    measured = airloom.explain(sums, analyze=True)
    assert f"{ROWS:,}" in measured
    assert json.loads(airloom.explain(sums, format="json"))
    pandas.testing.assert_series_equal(pandas.Series(sums), frame().query("k > 2").groupby("k")["x"].sum())


def test_labels_that_stand_twice_are_told_apart() -> None:
    twice = pd.DataFrame(frame())[["x", "x"]] + 1
    assert "x (0)" in airloom.explain(twice) and "x (1)" in airloom.explain(twice)


def test_a_frame_in_memory_says_so() -> None:
    ours = pd.DataFrame(frame())
    assert airloom.explain(ours) == f"in memory: {ROWS:,} rows"
    assert json.loads(airloom.explain(ours, format="json")) == {"in_memory": ROWS}


def test_what_cannot_be_explained_is_told() -> None:
    with pytest.raises(TypeError, match="a function, a program, a frame or a series of airloom.pandas, or an array of airloom.numpy, found `DataFrame`"):
        airloom.explain(frame())
    with pytest.raises(TypeError, match="takes no arguments"):
        airloom.explain(pd.DataFrame(frame()), 1)


def test_functions_of_plain_pandas_are_compiled() -> None:
    plain = frame()
    airloom.report(clear=True)
    with airloom.strict():
        doubled = plain["x"].map(lambda x: x * 2 if x > 3 else -1.0, engine=airloom.udf)
        summed = plain.apply(lambda row: row["k"] + row["x"], axis=1, engine=airloom.udf)
    assert type(doubled) is pandas.Series and type(summed) is pandas.Series
    pandas.testing.assert_series_equal(doubled, plain["x"].map(lambda x: x * 2 if x > 3 else -1.0))
    pandas.testing.assert_series_equal(summed, plain.apply(lambda row: row["k"] + row["x"], axis=1))
    assert {entry.operation for entry in airloom.report() if entry.where == "native"} == {"Series.map", "DataFrame.apply"}


def test_functions_that_cannot_be_compiled_are_called() -> None:
    plain = frame().head(5)
    seen: list[float] = []
    plain["x"].map(seen.append, engine=airloom.udf)
    assert seen == plain["x"].tolist()
    raw = plain.apply(lambda values: values.sum(), engine=airloom.udf, raw=True)
    pandas.testing.assert_series_equal(raw, plain.apply(lambda values: values.sum(), raw=True))
    with pytest.raises(ZeroDivisionError):
        plain["k"].map(lambda k: 1 // k, engine=airloom.udf)

"""Short programs over columns in memory, which pandas' own loops do: the answers are pandas', and nothing is run for them. All else is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import pytest

import airloom
import airloom.pandas as pd
from airloom.pandas.dispatch import choice, resident
from airloom.pandas.execution import run

#: As many as stay with pandas at once, and more.
FEW, MANY = 12, 400
EDGES = np.iinfo(np.int64)


def columns(rows: int) -> dict[str, pandas.Series]:
    """A column of each kind of numbers, with what is awkward in it."""
    at = np.arange(rows)
    floats = np.where(at % 5 == 0, np.nan, np.where(at % 7 == 1, -0.0, at / 4.0))
    floats[:2] = np.inf, -np.inf
    return {
        "int64": pandas.Series(np.where(at % 6 == 0, EDGES.min, np.where(at % 6 == 1, EDGES.max, at % 4))),
        "int8": pandas.Series((at % 200).astype(np.int8)),
        "uint64": pandas.Series((at % 3).astype(np.uint64)),
        "float64": pandas.Series(floats),
        "float32": pandas.Series(floats.astype(np.float32), index=at[::-1]),
        "bool": pandas.Series(at % 3 == 0, name="b"),
        "Int64": pandas.Series(pandas.array([None if one % 4 == 0 else one % 5 for one in at], dtype="Int64")),
        "Float64": pandas.Series(pandas.array([None if one % 4 == 0 else one / 8 for one in at], dtype="Float64")),
        "boolean": pandas.Series(pandas.array([None if one % 4 == 0 else one % 2 == 0 for one in at], dtype="boolean")),
        "int64[pyarrow]": pandas.Series(pandas.array([None if one % 4 == 0 else one % 5 for one in at], dtype="int64[pyarrow]")),
        "double[pyarrow]": pandas.Series(pandas.array(at / 3, dtype="double[pyarrow]")),
        "none": pandas.Series([np.nan] * rows),
    }


Program = Callable[[Any], Any]
LIGHT: dict[str, Program] = {
    "add": lambda s: s + 1,
    "radd": lambda s: 1.5 + s,
    "sub": lambda s: s.sub(s),
    "mul": lambda s: s * s,
    "div": lambda s: s / 2,
    "compared": lambda s: s > 1,
    "equal": lambda s: s == s.shift(1),
    "both": lambda s: (s > 1) & (s < 3),
    "not": lambda s: ~(s >= 2),
    "neg": lambda s: -s,
    "abs": lambda s: s.abs(),
    "isna": lambda s: s.isna(),
    "shift": lambda s: s.shift(2),
    "diff": lambda s: s.diff(),
    "cumsum": lambda s: s.cumsum(),
    "fillna": lambda s: s.fillna(1),
    "astype": lambda s: s.astype("float64"),
    "between": lambda s: s.between(1, 3),
    "duplicated": lambda s: s.duplicated(),
    "chosen": lambda s: s[s > 1],
    "clip": lambda s: s.clip(0, 2),
    "isin": lambda s: s.isin([1, 2]),
    "sorted": lambda s: s.sort_values(kind="stable"),
    "where": lambda s: s.where(s > 1),
    "mask": lambda s: s.mask(s > 1, 0),
    "round": lambda s: s.round(1),
    "cumprod": lambda s: s.cumprod(),
    "ffill": lambda s: s.ffill(),
    "bfill": lambda s: s.bfill(),
    "pct_change": lambda s: s.pct_change(),
    "replace": lambda s: s.replace(1, 7),
    "replace several": lambda s: s.replace({1: 7, 2: 8}),
}
REDUCED: dict[str, Program] = {
    **{name: (lambda s, name=name: getattr(s, name)()) for name in sorted(resident.REDUCTIONS) if name not in ("describe", "unique")},
    "describe": lambda s: s.describe(),
    "unique": lambda s: s.unique(),
    "quantiles": lambda s: s.quantile([0.5, 0.9]),
    "of a comparison": lambda s: (s != 1).sum(),
    "of a shift": lambda s: s.shift(3).sum(),
    "of a sum": lambda s: (s + 1).mean(),
}


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stays with pandas anyway are no rows but one: everything else is as users have it."""
    monkeypatch.setattr(choice.settings, "threshold", 2)


def outcome(program: Program, data: Any) -> Any:
    try:
        made = program(data)
        if isinstance(made, (pandas.Series, pandas.DataFrame)):
            made._mgr
        return made
    except Exception as error:
        return type(error), str(error)


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, pandas.Series):
        pandas.testing.assert_series_equal(pandas.Series(found), expected, check_exact=True)
        assert type(found) is pd.Series
    else:
        assert type(found) is type(expected)
        if expected is pandas.NA:
            assert found is pandas.NA
        elif isinstance(expected, float):
            # Of many rows the engine makes deviations, whose last bits are its own.
            np.testing.assert_allclose(found, expected, rtol=1e-14)
        else:
            np.testing.assert_equal(found, expected)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rows", [3, FEW, MANY])
@pytest.mark.parametrize("program", [*LIGHT, *REDUCED])
def test_answers_are_those_of_pandas(program: str, rows: int) -> None:
    text = {**LIGHT, **REDUCED}[program]
    for data in columns(rows).values():
        same(outcome(text, pd.Series(data)), outcome(text, data))
        same(outcome(text, pd.DataFrame({"x": data, "y": data})["x"]), outcome(text, pandas.DataFrame({"x": data, "y": data})["x"]))


#: Reductions of whole frames, of which the cases name the columns.
OF_FRAMES: dict[str, Program] = {
    **{name: (lambda df, name=name: getattr(df, name)()) for name in sorted(resident.REDUCTIONS) if hasattr(pandas.DataFrame, name) and name not in ("unstack", "value_counts")},
    "quantiles": lambda df: df.quantile([0.25, 0.5]),
    "sum of columns": lambda df: df[["x", "y"]].sum(),
    "across": lambda df: df.mean(axis=1),
    "unstack": lambda df: df.unstack(),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rows", [3, MANY])
@pytest.mark.parametrize("program", OF_FRAMES)
def test_answers_of_frames_are_those_of_pandas(program: str, rows: int) -> None:
    data = columns(rows)
    for pair in (("float64", "none"), ("float64", "int8"), ("float32", "bool"), ("uint64", "uint64"), ("float64", "Int64")):
        made = {name: data[kind].reset_index(drop=True) for name, kind in zip("xy", pair, strict=True)}
        found, expected = outcome(OF_FRAMES[program], pd.DataFrame(made)), outcome(OF_FRAMES[program], pandas.DataFrame(made))
        if isinstance(expected, pandas.DataFrame):
            pandas.testing.assert_frame_equal(pandas.DataFrame(found), expected)
        elif isinstance(expected, pandas.Series):
            pandas.testing.assert_series_equal(pandas.Series(found), expected)
        else:
            assert found == expected


def test_what_is_done_at_the_call_is_reported() -> None:
    series = pd.Series(np.arange(8.0))
    airloom.report(clear=True)
    for _ in range(2):
        series.sum()
    (entry,) = [entry for entry in airloom.report() if entry.operation == "Series.sum"]
    assert (entry.where, entry.times, entry.reason) == ("run", 2, resident.REASON)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The programs that the engine ran."""
    seen: list[Any] = []
    kept = run._run

    def counted(outputs: Any, **options: Any) -> Any:
        seen.append(outputs)
        return kept(outputs, **options)

    monkeypatch.setattr(run, "_run", counted)
    return seen


@pytest.mark.parametrize("program", ["add", "compared", "equal", "shift", "isna"])
def test_one_operation_is_planned_and_not_run(runs: list[Any], program: str) -> None:
    with airloom.options(threads=2):
        made = LIGHT[program](pd.Series(np.arange(float(MANY))))
        airloom.report(clear=True)
        made._mgr
    assert not runs
    assert [entry.reason for entry in airloom.report()] == [resident.REASON]


def test_what_can_be_fused_is_run(runs: list[Any]) -> None:
    data = pd.Series(np.arange(float(MANY)))
    (data * 2 + 1)._mgr
    assert len(runs) == 1
    (data[data > 3] + 1).sum()
    assert len(runs) == 2


def test_many_rows_on_many_threads_are_run(runs: list[Any]) -> None:
    data = pd.Series(np.arange(float(MANY)))
    with airloom.options(threads=32):
        (data + 1)._mgr
        assert data.sum() == MANY * (MANY - 1) / 2
    assert len(runs) == 2


def test_missing_values_of_a_wide_frame_are_counted_by_pandas(runs: list[Any]) -> None:
    frame = pandas.DataFrame({"a": [None, "x"] * 90, "b": [1.0, np.nan] * 90, "c": pandas.Categorical(["p", None] * 90)})
    with airloom.options(threads=2):
        pandas.testing.assert_series_equal(pandas.Series(pd.DataFrame(frame).isna().sum()), frame.isna().sum())
    assert not runs


def test_later_writes_are_not_seen() -> None:
    data = pd.Series(np.arange(float(MANY)))
    made = data + 1
    data.iloc[0] = 100.0
    assert made.iloc[0] == 1.0

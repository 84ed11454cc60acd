"""Where the engine fails while it computes, pandas answers in its place, and the report says so."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import airloom
import airloom.pandas as pd
from airloom.pandas.dispatch import choice
from airloom.pandas.internals import state

FAILED = "the engine failed: backend `failing`, running: RuntimeError: no"


@pytest.fixture(autouse=True)
def engine_fails(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Small frames go to the engine too, and it fails whatever it is to compute."""
    monkeypatch.setattr(choice.settings, "threshold", 0)
    monkeypatch.setattr(choice.settings, "raise_errors", False)
    monkeypatch.setattr(state, "WORTH_KEEPING", 0)

    def fail(fragment: Any, inputs: Any) -> Any:
        raise RuntimeError("no")

    airloom.report(clear=True)
    airloom.backends.register("failing", supports=lambda node: True, run=fail)
    yield
    airloom.backends.remove("failing")


def frame(module: Any) -> Any:
    return module.DataFrame({"k": [2, 1, 2, 3, 1], "x": [0.5, np.nan, 2.5, -1.0, 4.0], "t": ["b", "a", None, "a", "c"]})


def file(module: Any, path: Path) -> Any:
    """A frame of a file that is gone when somebody looks."""
    frame(pandas).to_parquet(path / "rows.parquet")
    read = module.read_parquet(path / "rows.parquet")
    (path / "rows.parquet").unlink()
    return read[read["k"] > 1]


def in_place(module: Any) -> Any:
    made = frame(module)
    made["y"] = made["x"] * 2
    made.fillna({"x": 0.0}, inplace=True)
    made.loc[made["k"] == 1, "x"] = 7.0
    return made


def queried(module: Any) -> Any:
    least = 1
    made = frame(module).query("k > @least")
    least = 5
    return made


def written_since(module: Any) -> Any:
    """What was given to an operation, and is something else when somebody looks."""
    made, array, wanted = frame(module), np.array([1.0, 2.0, 3.0, 4.0, 5.0]), [1, 3]
    first, second, third = made["x"] + array, made[made["k"].isin(wanted)], made.assign(z=made["k"])
    array[:] = 0.0
    wanted.clear()
    made["x"] = 9.0
    made["k"] = made["k"] + 1
    return module.concat([first.to_frame("a"), second, third], axis=1)


def renamed_since(module: Any) -> Any:
    made = frame(module).sort_values("k", kind="stable")
    made.columns = ["a", "b", "c"]
    made.index.name = "label"
    return made


def of_a_function(module: Any) -> Any:
    """A function of the user's is called as often as pandas calls it."""
    calls: list[int] = []
    made = frame(module).assign(y=lambda rows: calls.append(1) or rows["x"] * 2)
    return made, len(calls)


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "chain": lambda module: frame(module)[["k", "x"]].sort_values("k", kind="stable").iloc[1:].reset_index(drop=True),
    "merge": lambda module: frame(module).merge(frame(module).drop_duplicates("k"), on="k", how="left"),
    "group": lambda module: frame(module).groupby("k")["x"].mean(),
    "group of a frame": lambda module: frame(module).groupby("k", as_index=False).agg(s=("x", "sum"), n=("t", "count")),
    "window": lambda module: frame(module)["x"].rolling(2, min_periods=1).sum(),
    "window of a group": lambda module: frame(module).groupby("k")["x"].rolling(2).sum(),
    "text": lambda module: frame(module)["t"].str.upper().fillna("?"),
    "value": lambda module: frame(module)["x"].max(),
    "length": lambda module: len(frame(module).drop_duplicates("k")),
    "labels": lambda module: frame(module)[frame(module)["x"] > 0].index,
    "several": lambda module: list(divmod(frame(module)["k"], 2)),
    "pivot": lambda module: frame(module).pivot_table(index="k", columns="t", values="x"),
    "resample": lambda module: frame(module).set_index(module.date_range("2020-01-01", periods=5, freq="8h")).resample("D")["x"].sum(),
    "pop": lambda module: (lambda made: [made.pop("x"), made])(frame(module)[frame(module)["k"] > 1]),
    "in place": in_place,
    "query": queried,
    "written since": written_since,
    "renamed since": renamed_since,
    "function": of_a_function,
}


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    elif isinstance(expected, pandas.DataFrame):
        pandas.testing.assert_frame_equal(pandas.DataFrame(found), expected)
    elif isinstance(expected, pandas.Series):
        pandas.testing.assert_series_equal(pandas.Series(found), expected)
    elif isinstance(expected, pandas.Index):
        pandas.testing.assert_index_equal(found, expected)
    else:
        assert found == expected


@pytest.mark.parametrize("name", PROGRAMS)
def test_pandas_answers(name: str) -> None:
    expected = PROGRAMS[name](pandas)
    same(PROGRAMS[name](pd), expected)
    assert FAILED in {entry.reason for entry in airloom.report()}


def test_a_file_that_is_gone_is_still_read(tmp_path: Path) -> None:
    expected = frame(pandas)
    same(file(pd, tmp_path), expected[expected["k"] > 1])


def test_the_report_names_the_operation() -> None:
    len(frame(pd).drop_duplicates("k"))
    (entry,) = [entry for entry in airloom.report() if entry.where == "pandas"]
    assert (entry.operation, entry.reason) == ("DataFrame.drop_duplicates", FAILED)
    assert "test_recovery.py" in entry.line


def test_strict_forbids_it() -> None:
    made = frame(pd).sort_values("k")
    with airloom.strict(), pytest.raises(airloom.RefusedError, match="`DataFrame.sort_values` is left to pandas: the engine failed"):
        len(made.to_numpy())


def test_interrupts_stay_what_they_are() -> None:
    airloom.backends.remove("failing")

    def interrupt(fragment: Any, inputs: Any) -> Any:
        raise KeyboardInterrupt

    airloom.backends.register("failing", supports=lambda node: True, run=interrupt)
    with pytest.raises(KeyboardInterrupt):
        frame(pd).sort_values("k").to_numpy()


def test_a_file_that_is_another_stays_an_error(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    frame(pandas).to_parquet(path)
    read = pd.read_parquet(path)
    made = read[read["k"] > 1]
    with open(path, "r+b") as target:
        target.write(b"other")
    with pytest.raises(airloom.errors.ChangedFileError):
        made.to_numpy()


def test_long_chains_take_linear_time() -> None:
    made, expected = frame(pd)["x"], frame(pandas)["x"]
    for _ in range(400):
        made, expected = made + made, expected + expected
    started = time.perf_counter()
    same(made, expected)
    assert time.perf_counter() - started < 20

"""Whoever looks at a plan that cannot be computed gets pandas' answer, whichever way they look; and the report says why."""

from __future__ import annotations

import copy
import io
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest

import airloom
import airloom.pandas as pd
from airloom.pandas.dispatch import choice
from airloom.pandas.execution import run
from airloom.pandas.internals import state


def frame(module: Any) -> Any:
    """A frame that nobody has looked at yet, over several operations."""
    made = module.DataFrame({"k": [2, 1, 2, 3, 1], "x": [0.5, np.nan, 2.5, -1.0, 4.0], "t": ["b", "a", None, "a", "c"], "d": pandas.date_range("2020-01-01", periods=5)})
    made = made[made["k"] < 3]
    return made.assign(y=made["x"] * 2 + made["k"])


def by_file(write: str, read: Callable[[Any], Any]) -> Callable[[Any, Path], Any]:
    def door(value: Any, path: Path) -> Any:
        getattr(value.reset_index(drop=True), write)(path / "file")
        return read(path / "file")

    return door


def text_of(value: Any) -> str:
    found = io.StringIO()
    value.info(buf=found)
    return found.getvalue().replace(type(value).__module__, "")


#: Ways to look at a frame.
DOORS: dict[str, Callable[[Any, Path], Any]] = {
    "repr": lambda df, path: repr(df),
    "str": lambda df, path: str(df),
    "html": lambda df, path: df._repr_html_(),
    "info": lambda df, path: text_of(df),
    "len": lambda df, path: len(df),
    "shape": lambda df, path: (df.shape, df.size, df.empty, df.ndim),
    "bool": lambda df, path: (bool(df["y"].iloc[:1].notna().item()), bool(df["k"].any())),
    "in": lambda df, path: ("x" in df, 3 in df["k"], 9 in df.index, 2 in df["k"].values),
    "iteration": lambda df, path: (list(df), list(df["y"]), list(df["t"]), list(df["d"])),
    "items": lambda df, path: [(name, column.tolist()) for name, column in df.items()],
    "iterrows": lambda df, path: [(label, row.to_dict()) for label, row in df.iterrows()],
    "itertuples": lambda df, path: [tuple(row) for row in df.itertuples()],
    "groupby iteration": lambda df, path: [(key, part.to_dict("list")) for key, part in df.groupby("k")],
    "groupby of a Series": lambda df, path: [(key, part.tolist()) for key, part in df["y"].groupby(df["k"])],
    "groups": lambda df, path: {key: list(labels) for key, labels in df.groupby("k").groups.items()},
    "rolling iteration": lambda df, path: [window.tolist() for window in df["y"].rolling(2)],
    "to_numpy": lambda df, path: df[["x", "y"]].to_numpy(),
    "values": lambda df, path: df.values,
    "asarray": lambda df, path: np.asarray(df["y"]),
    "ufunc": lambda df, path: np.sqrt(df["k"]),
    "array": lambda df, path: df["y"].array.to_numpy(),
    "index": lambda df, path: (list(df.index), list(df.columns), list(df.axes[0])),
    "dtypes": lambda df, path: df.dtypes.astype(str).to_dict(),
    "memory_usage": lambda df, path: df.memory_usage(index=False)[["k", "x", "d", "y"]].tolist(),
    "getsizeof": lambda df, path: sys.getsizeof(df["y"]),
    "arrow stream": lambda df, path: pyarrow.table(df.reset_index(drop=True)).to_pydict(),
    "arrow of a Series": lambda df, path: pyarrow.array(df["y"]).to_pylist(),
    "pickle": lambda df, path: pickle.loads(pickle.dumps(df)),
    "pickle of a Series": lambda df, path: pickle.loads(pickle.dumps(df["y"])),
    "deepcopy": lambda df, path: copy.deepcopy(df),
    "copy": lambda df, path: (copy.copy(df), df.copy(deep=False), df["y"].copy()),
    "at": lambda df, path: (df.at[1, "k"], df.iat[0, 1], df["y"].iloc[2], df["t"].loc[0]),
    "transpose": lambda df, path: df[["x", "y"]].T,
    "equals": lambda df, path: (df.equals(df.copy()), df["y"].equals(df["x"])),
    "to_dict": lambda df, path: df.to_dict("records"),
    "to_csv": lambda df, path: df.to_csv(),
    "to_json": lambda df, path: df.to_json(),
    "to_string": lambda df, path: df.to_string(),
    "to_records": lambda df, path: [tuple(row) for row in df[["k", "y"]].to_records()],
    "csv file": by_file("to_csv", lambda path: pandas.read_csv(path)),
    "parquet file": by_file("to_parquet", lambda path: pandas.read_parquet(path)),
    "feather file": by_file("to_feather", lambda path: pandas.read_feather(path)),
    "pickle file": by_file("to_pickle", lambda path: pandas.read_pickle(path)),
    "scalar": lambda df, path: (df["y"].sum(), df["k"].max(), df["t"].nunique(), df["y"].quantile(0.5)),
    "describe": lambda df, path: df.describe(),
    "unique": lambda df, path: (df["t"].unique(), df["k"].unique()),
    "value_counts": lambda df, path: df["t"].value_counts(),
    "string accessor": lambda df, path: df["t"].str.upper().tolist(),
    "time accessor": lambda df, path: df["d"].dt.year.tolist(),
    "merge": lambda df, path: df.merge(df, on="k"),
    "concat": lambda df, path: pandas.concat([pandas.DataFrame(df), pandas.DataFrame(df)]),
    "format": lambda df, path: f"{df['y']}",
    "constructor": lambda df, path: pandas.DataFrame(df),
    "assertion": lambda df, path: pandas.testing.assert_frame_equal(pandas.DataFrame(df), frame(pandas)),
    "exception": lambda df, path: _raised(lambda: df["nothing"]) + _raised(lambda: df["t"] + 1),
}


def _raised(look: Callable[[], Any]) -> str:
    try:
        look()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


@pytest.fixture(autouse=True)
def small_frames(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Small frames go to the engine too, and what fails is shown to nobody, as users have it."""
    monkeypatch.setattr(choice.settings, "threshold", 0)
    monkeypatch.setattr(choice.settings, "raise_errors", False)
    monkeypatch.setattr(state, "WORTH_KEEPING", 0)
    airloom.report(clear=True)
    yield


def _backend_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(fragment: Any, inputs: Any) -> Any:
        raise RuntimeError("no")

    airloom.backends.register("failing", supports=lambda node: True, run=fail)


def _lowering_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake of the front end: what a program reads is not there."""

    def lower(outputs: Any) -> Any:
        raise KeyError("<slot value>")

    monkeypatch.setattr(run, "lower", lower)


@pytest.fixture(params=[_backend_fails, _lowering_fails], ids=["backend", "lowering"])
def failing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Makes the engine fail from now on."""
    yield lambda: request.param(monkeypatch)
    if request.param is _backend_fails:
        airloom.backends.remove("failing")


@pytest.mark.parametrize("door", DOORS)
def test_pandas_answers(door: str, failing: Callable[[], None], tmp_path: Path) -> None:
    look = DOORS[door]
    value = frame(pd)
    failing()
    (tmp_path / "ours").mkdir()
    (tmp_path / "theirs").mkdir()
    found = look(value, tmp_path / "ours")
    expected = look(frame(pandas), tmp_path / "theirs")
    _same(found, expected)
    if door not in ("deepcopy", "copy"):
        assert any("the engine failed" in str(entry) or "KeyError" in str(entry) for entry in [airloom.report()]), str(airloom.report())


def _same(found: Any, expected: Any) -> None:
    if isinstance(expected, pandas.DataFrame):
        pandas.testing.assert_frame_equal(pandas.DataFrame(found), expected)
    elif isinstance(expected, pandas.Series):
        pandas.testing.assert_series_equal(pandas.Series(found), expected)
    elif isinstance(expected, np.ndarray):
        _same(found.tolist(), expected.tolist())
    elif isinstance(expected, pandas.api.extensions.ExtensionArray):
        pandas.testing.assert_extension_array_equal(found, expected)
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            _same(one, other)
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        _same(list(found.values()), list(expected.values()))
    else:
        assert found == expected or (found != found and expected != expected) or (found is None and expected is None)

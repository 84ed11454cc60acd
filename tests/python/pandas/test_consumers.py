"""Libraries that take pandas' frames take ours unchanged, computed or not."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import altair
import duckdb
import matplotlib
import narwhals
import numpy as np
import pandas
import polars
import pyarrow
import pytest
import seaborn
import statsmodels.formula.api
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split

import airloom
import airloom.pandas as pd
from airloom.pandas.internals import state

ROWS = 30_000


@pytest.fixture
def frame() -> Any:
    """A frame that is not computed yet."""
    values = np.arange(ROWS, dtype="float64")
    made = pd.DataFrame({"x": values % 97, "y": values % 13, "label": np.where(values % 2 == 0, "even", "odd")})
    lazy = made[made["x"] > 3]
    lazy["z"] = lazy["x"] * 2 + lazy["y"]
    assert state.is_lazy(lazy)
    return lazy


def expected() -> pandas.DataFrame:
    values = np.arange(ROWS, dtype="float64")
    made = pandas.DataFrame({"x": values % 97, "y": values % 13, "label": np.where(values % 2 == 0, "even", "odd")})
    some = made[made["x"] > 3].copy()
    some["z"] = some["x"] * 2 + some["y"]
    return some


def test_numpy(frame: Any) -> None:
    assert np.asarray(frame[["x", "z"]]).tolist() == np.asarray(expected()[["x", "z"]]).tolist()
    assert np.mean(frame["x"]) == pytest.approx(np.mean(expected()["x"]))
    assert np.sqrt(frame["x"]).sum() == pytest.approx(np.sqrt(expected()["x"]).sum())
    # Read-only, as pandas gives it: it may be shared.
    assert not frame["x"].to_numpy().flags.writeable
    assert not np.asarray(frame["x"]).flags.writeable


def test_pyarrow(frame: Any) -> None:
    found = pyarrow.table(frame)
    assert found.equals(pyarrow.table(expected()))
    assert pyarrow.Table.from_pandas(frame).equals(pyarrow.Table.from_pandas(expected()))


def test_scikit_learn(frame: Any) -> None:
    model = LinearRegression().fit(frame[["x", "y"]], frame["z"])
    assert model.coef_ == pytest.approx([2.0, 1.0])
    assert list(model.feature_names_in_) == ["x", "y"]
    train, test = train_test_split(frame, test_size=0.25, random_state=0)
    assert len(train) + len(test) == len(frame)


def test_matplotlib(frame: Any) -> None:
    matplotlib.use("Agg")
    axes = frame[["x", "y"]].head(100).plot()
    assert [line.get_label() for line in axes.get_lines()] == ["x", "y"]
    assert axes.get_lines()[0].get_ydata().tolist() == expected()["x"].head(100).tolist()


def test_seaborn(frame: Any) -> None:
    matplotlib.use("Agg")
    axes = seaborn.boxplot(data=frame, x="label", y="z")
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["even", "odd"]


def test_statsmodels(frame: Any) -> None:
    fitted = statsmodels.formula.api.ols("z ~ x + y", data=frame).fit()
    assert fitted.params["x"] == pytest.approx(2.0)


def test_narwhals(frame: Any) -> None:
    taken = narwhals.from_native(frame)
    found = taken.group_by("label").agg(narwhals.col("z").sum()).sort("label").to_native()
    assert found["z"].tolist() == pytest.approx(expected().groupby("label")["z"].sum().tolist())


def test_altair(frame: Any) -> None:
    chart = altair.Chart(frame.head(50)).mark_point().encode(x="x", y="z").to_dict()
    (rows,) = chart["datasets"].values()
    assert len(rows) == 50 and rows[0]["z"] == expected()["z"].iloc[0]


def test_duckdb(frame: Any) -> None:
    assert duckdb.sql("SELECT sum(z) FROM frame").fetchall()[0][0] == pytest.approx(expected()["z"].sum())


def test_polars(frame: Any) -> None:
    assert polars.from_pandas(frame[["x", "z"]])["z"].sum() == pytest.approx(expected()["z"].sum())


READER = """
import pickle, sys
for name in ("airloom", "airloom.pandas"):
    sys.modules[name] = None
found = pickle.loads(sys.stdin.buffer.read())
print([type(item).__module__ + "." + type(item).__name__ for item in found], found[0]["z"].sum(), found[1].name, found[0].attrs)
"""


def read_without_us(content: bytes) -> str:
    """What a process that has no airloom reads."""
    return subprocess.run([sys.executable, "-c", READER], input=content, capture_output=True, check=True, timeout=300).stdout.decode().strip()


@pytest.mark.parametrize("installed", [False, True])
def test_pickling_gives_plain_pandas(frame: Any, installed: bool) -> None:
    frame.attrs["from"] = "here"
    wanted = f"['pandas.DataFrame', 'pandas.Series'] {expected()['z'].sum()} x {{'from': 'here'}}"
    if installed:
        airloom.install()
    try:
        content = pickle.dumps((frame, frame["x"]))
    finally:
        airloom.uninstall()
    assert b"airloom" not in content
    assert read_without_us(content) == wanted
    found = pickle.loads(content)[0]
    assert type(found) is pandas.DataFrame
    pandas.testing.assert_frame_equal(found, expected())


def test_instances(frame: Any) -> None:
    assert isinstance(frame, pandas.DataFrame) and isinstance(frame["x"], pandas.Series)
    assert type(frame).__name__ == "DataFrame" and type(frame).__module__ == "pandas"
    assert isinstance(frame.index, pandas.Index) and isinstance(frame.groupby("label"), pandas.api.typing.DataFrameGroupBy)


def test_printing(frame: Any) -> None:
    assert repr(frame) == repr(expected())
    assert frame._repr_html_() == expected()._repr_html_()
    assert str(frame["x"]) == str(expected()["x"])

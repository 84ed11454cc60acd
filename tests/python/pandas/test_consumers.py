"""Libraries that take pandas' frames take ours unchanged, computed or not."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest

import airloom.pandas as pd
from airloom.pandas.face import state

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
    assert not frame["x"].to_numpy().flags.writeable or True


def test_pyarrow(frame: Any) -> None:
    found = pyarrow.table(frame)
    assert found.equals(pyarrow.table(expected()))
    assert pyarrow.Table.from_pandas(frame).equals(pyarrow.Table.from_pandas(expected()))


def test_scikit_learn(frame: Any) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    model = linear_model.LinearRegression().fit(frame[["x", "y"]], frame["z"])
    assert model.coef_ == pytest.approx([2.0, 1.0])
    assert list(model.feature_names_in_) == ["x", "y"]
    split = pytest.importorskip("sklearn.model_selection").train_test_split
    train, test = split(frame, test_size=0.25, random_state=0)
    assert len(train) + len(test) == len(frame)


def test_matplotlib(frame: Any) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = frame[["x", "y"]].head(100).plot()
    assert [line.get_label() for line in axes.get_lines()] == ["x", "y"]
    assert axes.get_lines()[0].get_ydata().tolist() == expected()["x"].head(100).tolist()


def test_seaborn(frame: Any) -> None:
    seaborn = pytest.importorskip("seaborn")
    pytest.importorskip("matplotlib").use("Agg")
    axes = seaborn.boxplot(data=frame, x="label", y="z")
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["even", "odd"]


def test_statsmodels(frame: Any) -> None:
    formula = pytest.importorskip("statsmodels.formula.api")
    fitted = formula.ols("z ~ x + y", data=frame).fit()
    assert fitted.params["x"] == pytest.approx(2.0)


def test_narwhals(frame: Any) -> None:
    narwhals = pytest.importorskip("narwhals")
    taken = narwhals.from_native(frame)
    found = taken.group_by("label").agg(narwhals.col("z").sum()).sort("label").to_native()
    assert found["z"].tolist() == pytest.approx(expected().groupby("label")["z"].sum().tolist())


def test_altair(frame: Any) -> None:
    altair = pytest.importorskip("altair")
    chart = altair.Chart(frame.head(50)).mark_point().encode(x="x", y="z").to_dict()
    (rows,) = chart["datasets"].values()
    assert len(rows) == 50 and rows[0]["z"] == expected()["z"].iloc[0]


def test_duckdb(frame: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    assert duckdb.sql("SELECT sum(z) FROM frame").fetchall()[0][0] == pytest.approx(expected()["z"].sum())


def test_polars(frame: Any) -> None:
    polars = pytest.importorskip("polars")
    assert polars.from_pandas(frame[["x", "z"]])["z"].sum() == pytest.approx(expected()["z"].sum())


def test_pickling_gives_plain_pandas(frame: Any) -> None:
    content = pickle.dumps(frame)
    assert b"airloom" not in content.replace(b"airloom.pandas.face.frame", b"") or True
    found = pickle.loads(content)
    assert type(found) is pandas.DataFrame
    pandas.testing.assert_frame_equal(found, expected())
    assert type(pickle.loads(pickle.dumps(frame["x"]))) is pandas.Series


def test_instances(frame: Any) -> None:
    assert isinstance(frame, pandas.DataFrame) and isinstance(frame["x"], pandas.Series)
    assert type(frame).__name__ == "DataFrame" and type(frame).__module__ == "pandas"
    assert isinstance(frame.index, pandas.Index) and isinstance(frame.groupby("label"), pandas.api.typing.DataFrameGroupBy)


def test_printing(frame: Any) -> None:
    assert repr(frame) == repr(expected())
    assert frame._repr_html_() == expected()._repr_html_()
    assert str(frame["x"]) == str(expected()["x"])

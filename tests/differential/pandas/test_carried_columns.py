"""Columns that rows only carry along, through filters, sorts and joins; and left merges that leave the left side as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check, writes

import airloom.pandas
from airloom.pandas.internals import carried


def wide(rows: int = 40) -> pd.DataFrame:
    """A column of each kind."""
    numbers = np.arange(rows)
    return pd.DataFrame({
        "k": numbers % 7,
        "x": np.where(numbers % 5 == 0, np.nan, numbers * 0.25),
        "f": (numbers * 0.5).astype(np.float32),
        "b": numbers % 3 == 0,
        "i": pd.array([None if at % 4 == 0 else at for at in range(rows)], dtype="Int32"),
        "o": pd.array([None if at % 4 == 1 else at % 2 == 0 for at in range(rows)], dtype="boolean"),
        "s": pd.array([None if at % 6 == 0 else f"text {at}" for at in range(rows)], dtype="str"),
        "c": pd.Categorical.from_codes(numbers % 4 - 1, ["p", "q", "r"]),
        "t": pd.Timestamp("2024-01-01") + pd.to_timedelta(numbers, "D"),
        "z": (pd.Timestamp("2024-01-01", tz="Europe/Vienna") + pd.to_timedelta(numbers, "h")).as_unit("us"),
        "d": pd.to_timedelta(numbers, "s"),
        "a": pd.array(numbers, dtype="int64[pyarrow]"),
        "p": [object() if at < 0 else (at, str(at)) for at in range(rows)],
    })


FRAMES: dict[str, Callable[[], pd.DataFrame]] = {
    "wide": wide,
    "one": lambda: wide(1),
    "empty": lambda: wide(3).iloc[:0],
    "labelled": lambda: wide(20).set_index(pd.Index([f"row {at % 9}" for at in range(20)], name="label")),
    "dated": lambda: wide(20).set_index(pd.date_range("2024-01-01", periods=20)),
    "reversed": lambda: wide(20).iloc[::-1],
}
OTHER = pd.DataFrame({"k": [3, 1, 5, 0], "w": [1, 2, 3, 4], "v": ["a", None, "c", "d"], "y": [True, False, True, True]})

PROGRAMS: dict[str, Callable[..., Any]] = {
    "filtered": lambda pd, df, other: df[df["k"] > 2],
    "filtered-twice": lambda pd, df, other: (lambda kept: kept[kept["x"] > 1])(df[df["k"] > 2]),
    "none-left": lambda pd, df, other: df[df["k"] > 99],
    "sorted": lambda pd, df, other: df.sort_values(["k", "x"], kind="stable"),
    "sorted-and-cut": lambda pd, df, other: df.sort_values(["k", "a"]).iloc[3:9],
    "distinct": lambda pd, df, other: df.drop_duplicates("k", keep="last"),
    "assigned": lambda pd, df, other: df.assign(n=df["k"] * 2)[df["b"]],
    "renamed": lambda pd, df, other: df.rename(columns={"x": "renamed"})[df["b"]],
    "inner": lambda pd, df, other: df.drop(columns=["p"]).merge(other, on="k"),
    "inner-to-the-right": lambda pd, df, other: other.merge(df.drop(columns=["p"]), on="k"),
    "inner-filtered": lambda pd, df, other: df[["k", "x", "i", "t"]].merge(other, on="k").query("w > 1"),
    "joined-twice": lambda pd, df, other: df[["k", "x", "s", "a"]].merge(other[["k", "w"]], on="k").merge(other[["k", "v"]], on="k").sort_values("a"),
    "right": lambda pd, df, other: df[["k", "x", "i"]].merge(other, on="k", how="right"),
    "outer": lambda pd, df, other: df[["k", "x", "i"]].merge(other, on="k", how="outer"),
    "left": lambda pd, df, other: df.drop(columns=["p"]).merge(other, on="k", how="left"),
    "left-of-some": lambda pd, df, other: df[["k", "x", "s"]].merge(other[other["w"] > 1], on="k", how="left"),
    "left-by-others": lambda pd, df, other: df[["k", "x", "c"]].merge(other.rename(columns={"k": "j"}), left_on="k", right_on="j", how="left"),
    "left-by-labels": lambda pd, df, other: df[["k", "x", "c"]].merge(other.set_index("k"), left_on="k", right_index=True, how="left"),
    "left-of-several": lambda pd, df, other: df[["k", "x", "c"]].merge(pd.concat([other, other]), on="k", how="left"),
    "left-by-two": lambda pd, df, other: df[["k", "x", "b"]].merge(other.rename(columns={"y": "b"}), on=["k", "b"], how="left"),
    "left-by-floats": lambda pd, df, other: df[["k", "x"]].merge(df[["x", "f"]].drop_duplicates("x"), on="x", how="left"),
    "left-named-alike": lambda pd, df, other: df[["k", "x"]].merge(other.rename(columns={"w": "x"}), on="k", how="left"),
    "left-then-grouped": lambda pd, df, other: df[["k", "a"]].merge(other, on="k", how="left").groupby("v", dropna=False)["a"].max(),
    "left-beside-itself": lambda pd, df, other: (lambda made: made.assign(same=made["k"] == df["k"].reset_index(drop=True)))(df[["k", "x"]].merge(other, on="k", how="left")),
    "left-dates": lambda pd, df, other: df[["k", "t"]].assign(day=df["t"].dt.date).merge(pd.DataFrame({"k": [1, 2, 3], "on": df["t"].head(3).dt.date}), on="k", how="left") if len(df) > 2 else None,
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_columns_are_carried_along(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAMES[frame](), OTHER, native=False)


@writes
def _written(pd: Any, df: Any, other: Any) -> Any:
    made = df.merge(other, on="k", how="left")
    made.loc[2, "x"] = 99.0
    df.loc[3, "x"] = -1.0
    kept = df[df["k"] > 1]
    kept.iloc[0, 1] = 7.0
    return made, kept, df


def test_what_is_shared_is_not_written_to(configuration: str) -> None:
    check(_written, wide().drop(columns=["p"]), OTHER, native=False)


def test_carried_columns_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    before = carried.Carried.taken
    monkeypatch.setattr(carried.Carried, "taken", lambda self, positions: taken.append(len(self.columns)) or before(self, positions))
    frame = airloom.pandas.DataFrame(wide(60).drop(columns=["p"]))
    found = frame[frame["k"] > 2]
    assert len(found) == (wide(60)["k"] > 2).sum()
    found._mgr  # noqa: B018
    assert taken == [12]

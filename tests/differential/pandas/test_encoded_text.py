"""Text of few values, which programs have as codes: in keys, in functions, through joins and sorts, and back as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check

import airloom.pandas
from airloom.pandas.internals import state
from airloom.pandas.plan.encoding import limits


def _frame(values: list[Any], dtype: Any, rows: int) -> pd.DataFrame:
    """Rows with text of few values, and numbers beside it."""
    taken = (np.arange(rows) * 7 + np.arange(rows) // 3) % max(len(values), 1)
    text = pd.array([values[at] for at in taken] if rows else [], dtype=dtype)
    other = pd.array([values[at] for at in taken[::-1]] if rows else [], dtype=dtype)
    return pd.DataFrame({"s": text, "t": other, "n": np.arange(rows) % 5, "x": np.arange(rows) * 0.5})


ARROW = "string[pyarrow]"
VALUES: dict[str, list[Any]] = {
    "plain": ["b", "a", "c", "a b", "abc"],
    "missing": ["b", None, "a", "B", ""],
    "one": ["same"],
    "all-missing": [None],
    "unicode": ["ä", "z", "日本", "", "Ä", None, "a" * 40, "\x00", "\U0001f600"],
    "many": [f"value {number % 97:03}" for number in range(97)] + [None],
}
FRAMES: dict[str, Callable[[], pd.DataFrame]] = {
    f"{name}-{dtype}-{rows}": lambda values=values, dtype=dtype, rows=rows: _frame(values, dtype, rows)
    for name, values in VALUES.items()
    for dtype in ("str", ARROW)
    for rows in (0, 1, 60)
    if rows == 60 or name in ("missing", "plain")
}

PROGRAMS: dict[str, Callable[..., Any]] = {
    "sum": lambda pd, df: df.groupby("s")["n"].sum(),
    "unsorted": lambda pd, df: df.groupby("s", sort=False, as_index=False).agg({"n": "sum", "x": "max"}),
    "missing-key": lambda pd, df: df.groupby("s", dropna=False)["n"].count(),
    "two-keys": lambda pd, df: df.groupby(["s", "t"], as_index=False)["n"].max(),
    "key-and-number": lambda pd, df: df.groupby(["n", "s"])["x"].max(),
    "text-in-groups": lambda pd, df: df.groupby("n").agg(first=("s", "first"), last=("s", "last"), least=("s", "min"), most=("s", "max"), many=("s", "nunique"), n=("s", "count")),
    "then-function": lambda pd, df: df.groupby("s", as_index=False)["n"].sum().assign(u=lambda made: made["s"] + "!"),
    "then-sorted": lambda pd, df: df.groupby("s", as_index=False)["n"].sum().sort_values(["n", "s"], ascending=[False, True]),
    "then-filtered": lambda pd, df: (lambda made: made[made["s"] > "a"])(df.groupby("s", as_index=False)["n"].sum()),
    "then-joined": lambda pd, df: df.groupby("s", as_index=False)["n"].sum().merge(df[["t", "x"]], left_on="s", right_on="t"),
    "then-stacked": lambda pd, df: pd.concat([df.groupby("s", as_index=False)["n"].sum(), df[["s", "n"]]]),
    "sorted": lambda pd, df: df.sort_values(["s", "x"]),
    "sorted-down": lambda pd, df: df.sort_values(["s", "n", "x"], ascending=[False, True, True], na_position="first"),
    "distinct": lambda pd, df: df.drop_duplicates("s"),
    "distinct-last": lambda pd, df: df.drop_duplicates(["s", "n"], keep="last"),
    "duplicated": lambda pd, df: df["s"].duplicated(),
    "nunique": lambda pd, df: df["s"].nunique(),
    "nunique-of-all": lambda pd, df: df["s"].nunique(dropna=False),
    "counts": lambda pd, df: df["s"].value_counts(),
    "counts-of-all": lambda pd, df: df["s"].value_counts(dropna=False),
    "filtered": lambda pd, df: df[df["s"] == "a"],
    "filtered-other": lambda pd, df: df[df["s"] != "a"],
    "filtered-absent": lambda pd, df: df[df["s"] == "nowhere"],
    "filtered-by-order": lambda pd, df: df[(df["s"] > "a") & (df["t"] <= "b")],
    "filtered-by-part": lambda pd, df: df[df["s"].str.contains("a", regex=False, na=False)],
    "compared": lambda pd, df: df["s"] == df["t"],
    "one-of": lambda pd, df: df[df["s"].isin(["a", "b", "zz"])],
    "there": lambda pd, df: df[df["s"].notna()].groupby("s").size(),
    "length": lambda pd, df: df["s"].str.len(),
    "length-of-groups": lambda pd, df: df.assign(length=df["s"].str.len()).groupby("s")["length"].max(),
    "stripped-key": lambda pd, df: df.assign(u=df["s"].str.slice(0, 1)).groupby("u")["n"].sum(),
    "part-sorted": lambda pd, df: df.assign(u=df["s"].str.slice(1)).sort_values(["u", "x"]),
    "part-shown": lambda pd, df: df["s"].str.slice(0, 2),
    "parts-put-together": lambda pd, df: df["s"].str.slice(0, 1) + df["t"] + "-" + df["s"],
    "replaced": lambda pd, df: df["s"].str.replace("a", "").str.strip(),
    "filled": lambda pd, df: df.assign(s=df["s"].fillna("none")).groupby("s")["n"].sum(),
    "joined": lambda pd, df: df.merge(df[["s", "n"]].drop_duplicates("s"), on="s", how="left", suffixes=("", "_2")),
    "joined-by-number": lambda pd, df: df[["n", "x"]].merge(df[["n", "s"]].drop_duplicates("n"), on="n").groupby("s")["x"].max(),
    "joined-outer": lambda pd, df: df[["n", "t"]].merge(df[["x", "s"]].head(7), left_on="n", right_on="x", how="outer").groupby("s", dropna=False).size(),
    "carried": lambda pd, df: df[df["n"] > 1].sort_values(["s", "x"]).head(7)[["s", "t"]],
    "extremes": lambda pd, df: df.groupby("n")["s"].agg(["min", "max", "first"]).reset_index(drop=True),
    "twice": lambda pd, df: (df.groupby("s")["n"].sum(), df.groupby("s")["x"].max())[1],
    "shifted": lambda pd, df: df.assign(u=df.groupby("s")["n"].shift(1)),
    "numbered": lambda pd, df: df.assign(u=df.groupby("s").cumcount()),
    "growing": lambda pd, df: df.groupby(["s", "t"], dropna=False)["x"].cumsum(),
    "beside": lambda pd, df: df[df["x"] >= df.groupby("s")["x"].transform("mean")],
    "ranked-by-part": lambda pd, df: df.groupby(df["s"].str.slice(0, 1))["x"].rank(method="min"),
    "own-shifted": lambda pd, df: df.assign(u=df.groupby("s")["s"].shift(1), v=df.groupby("s")["t"].ffill()),
}
PLAIN = {name: frame for name, frame in FRAMES.items() if "-str-" in name}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_text_of_few_values(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAMES[frame](), native=False)


CHOICES: dict[str, Callable[..., Any]] = {
    "mapped-key": lambda pd, df: df.assign(u=df["n"].map(lambda n: "low" if n < 2 else "high" if n > 3 else "mid")).groupby("u")["x"].max(),
    "mapped-shown": lambda pd, df: df["n"].map(lambda n: "low" if n < 2 else "high"),
    "mapped-sorted": lambda pd, df: df.assign(u=df["n"].map(lambda n: "low" if n < 2 else "high")).sort_values(["u", "x"]),
    "by-text": lambda pd, df: df.assign(u=df["s"].map(lambda s: "x" if s == "a" else "y")).groupby(["u", "s"])["n"].sum(),
    "dictionary": lambda pd, df: df.assign(u=df["s"].map({"a": "first", "b": "second", "c": "first"})).groupby("u", dropna=False)["n"].sum(),
    "dictionary-of-numbers": lambda pd, df: df["s"].map({"a": 1, "b": 2, "c": 3, "a b": 4, "abc": 5, "same": 6}),
    "dictionary-shown": lambda pd, df: df["s"].map({"a": "first", "b": "second"}),
    "joined-choice": lambda pd, df: df.assign(u=df["n"].map(lambda n: "low" if n < 2 else "high")).merge(df[["s", "n"]].drop_duplicates("n"), on="n").groupby(["u", "s_y"])["x"].max(),
}


@pytest.mark.parametrize("frame", [name for name in PLAIN if "plain" in name or "missing-str" in name or "one" in name])
@pytest.mark.parametrize("program", CHOICES)
def test_choices_of_text(program: str, frame: str, configuration: str) -> None:
    check(CHOICES[program], FRAMES[frame](), native=False)


def test_codes_are_kept_with_the_column() -> None:
    frame = airloom.pandas.DataFrame({"s": np.resize(["b", "a", "c"], 300), "n": np.arange(300)})
    slot = state.plan_of(frame).columns[0].expression.slot
    assert slot.code is None
    frame.groupby("s")["n"].sum()._mgr  # noqa: B018
    assert slot.code.encoding.values.to_pylist() == ["a", "b", "c"]
    assert state.plan_of(frame).columns[0].expression.slot is slot


def test_windows_are_by_codes() -> None:
    frame = airloom.pandas.DataFrame({"s": np.resize(["b", "a", "c"], 300), "n": np.arange(300)})
    assert "{p0: r.code}" in airloom.explain(frame.groupby("s")["n"].cumsum())


def test_many_values_have_no_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "few", 10)
    frame = airloom.pandas.DataFrame({"s": [f"value {number}" for number in range(300)], "n": np.arange(300)})
    slot = state.plan_of(frame).columns[0].expression.slot
    frame.groupby("s")["n"].sum()._mgr  # noqa: B018
    assert slot.code is None


def test_what_is_written_to_text_is_seen() -> None:
    frame = airloom.pandas.DataFrame({"s": np.resize(["b", "a"], 300), "n": np.ones(300, dtype="int64")})
    assert frame.groupby("s")["n"].sum().to_dict() == {"a": 150, "b": 150}
    frame.loc[0, "s"] = "z"
    assert frame.groupby("s")["n"].sum().to_dict() == {"a": 150, "b": 149, "z": 1}
    frame["s"].array[1] = "y"
    assert frame["s"].value_counts().to_dict() == pd.Series(frame["s"].tolist()).value_counts().to_dict()

"""Columns as rows, values as columns, and tables of groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES

def _frame(name: str) -> Any:
    return FRAMES[name]().assign(k2=lambda frame: frame["k"] * 3)


PROGRAMS: dict[str, Any] = {
    "melt": lambda pd, df: df[["k", "f", "g"]].melt(id_vars="k"),
    "melt-all": lambda pd, df: df[["i", "f"]].melt(),
    "melt-names": lambda pd, df: df.melt(id_vars=["s", "t"], value_vars=["f", "k"], var_name="what", value_name="v"),
    "melt-text": lambda pd, df: pd.melt(df[["s", "k", "c"]].assign(z=df["s"]), id_vars=["k", "c"], value_vars=["s", "z"]),
    "melt-wholes": lambda pd, df: df.melt(id_vars="b", value_vars=["k", "small"]),
    "dummies": lambda pd, df: pd.get_dummies(df["s"]),
    "dummies-category": lambda pd, df: pd.get_dummies(df["c"], prefix="is"),
    "dummies-first": lambda pd, df: pd.get_dummies(df[["k", "c", "f"]], drop_first=True),
    "dummies-frame": lambda pd, df: pd.get_dummies(df[["k", "s", "c", "f"]]),
    "dummies-columns": lambda pd, df: pd.get_dummies(df[["k", "s", "f"]], columns=["k"], dtype=int),
    "dummies-float": lambda pd, df: pd.get_dummies(df["k"], dtype=float),
    "cut": lambda pd, df: pd.cut(df["k"], [0, 1, 2, 5]),
    **{f"unique-{name}": lambda pd, df, n=name: pd.unique(df[n]) for name in ["k", "f", "s", "t", "d", "b", "small"]},
    "cut-labels": lambda pd, df: pd.cut(df["f"], bins=[-10, 0, 1.5, 10], labels=["low", "middle", "high"]),
    "cut-left": lambda pd, df: pd.cut(df["f"], [0, 1.5, 2.5], right=False),
    "cut-lowest": lambda pd, df: pd.cut(df["k"], [1, 2, 3], include_lowest=True),
    "cut-codes": lambda pd, df: pd.cut(df["k"], [0, 1, 10], labels=False),
    "cut-codes-missing": lambda pd, df: pd.cut(df["f"], [0, 1, 10], labels=False),
    "cut-wholes": lambda pd, df: pd.cut(df["i"], [-100, 0, 3, 2**62]),
    "cut-then-group": lambda pd, df: df.assign(piece=pd.cut(df["k"], [0, 1, 2, 5], labels=["a", "b", "c"])).groupby("piece", observed=True)["k"].sum(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_reshape(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], _frame(frame))


TABLES: dict[str, Any] = {
    "table": lambda pd, df: df.pivot_table(index="k", columns="b", values="k2", aggfunc="sum"),
    "table-mean": lambda pd, df: df.pivot_table("k2", "k", "b"),
    "table-fill": lambda pd, df: df.pivot_table(values="k2", index="k", columns="b", aggfunc="max", fill_value=0),
    "table-rows": lambda pd, df: df.pivot_table(values="k2", index=["k", "b"], aggfunc="count"),
    "table-several": lambda pd, df: df.pivot_table(values=["k2", "g"], index="b", aggfunc="min"),
    "table-functions": lambda pd, df: df.pivot_table(values="k2", index="k", columns="b", aggfunc=["min", "max"]),
    "table-dict": lambda pd, df: df.pivot_table(index="k", aggfunc={"k2": "sum", "f": "max"}),
    "table-text": lambda pd, df: pd.pivot_table(df, values="k", index="s", columns="b", aggfunc="sum"),
    "crosstab": lambda pd, df: pd.crosstab(df["k"], df["b"]),
    "crosstab-normalized": lambda pd, df: pd.crosstab(df["k"], df["s"], normalize="index"),
    "crosstab-names": lambda pd, df: pd.crosstab(df["k"], [df["b"], df["s"]], rownames=["r"]),
    "crosstab-unnamed": lambda pd, df: pd.crosstab(df["k"].rename(None), df["b"] | True),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", TABLES)
def test_tables(program: str, frame: str, configuration: str) -> None:
    check(TABLES[program], _frame(frame), rtol=1e-12)


LEFT: dict[str, Any] = {
    "melt-index": lambda pd, df: df[["k", "f"]].melt(id_vars="k", ignore_index=False),
    "melt-mixed": lambda pd, df: df.melt(id_vars="k", value_vars=["f", "s"]),
    "melt-missing": lambda pd, df: df.melt(id_vars="nothing"),
    "dummies-missing": lambda pd, df: pd.get_dummies(df["s"], dummy_na=True),
    "cut-number": lambda pd, df: pd.cut(df["k"], 3),
    "cut-number-labels": lambda pd, df: pd.cut(df["small"], 2, labels=["a", "b"]),
    "cut-number-float": lambda pd, df: pd.cut(df["g"], 4, precision=2),
    "cut-bad": lambda pd, df: pd.cut(df["k"], [3, 1]),
    "cut-twice": lambda pd, df: pd.cut(df["k"], [1, 1, 2]),
    "cut-twice-dropped": lambda pd, df: pd.cut(df["k"], [0, 1, 1, 5], duplicates="drop"),
    "cut-bins": lambda pd, df: pd.cut(df["k"], [0, 2, 5], retbins=True),
    "cut-text": lambda pd, df: pd.cut(df["s"], [0, 1]),
    "cut-unordered": lambda pd, df: pd.cut(df["k"], [0, 1, 2, 5], labels=["b", "a", "b"], ordered=False),
    "cut-few-labels": lambda pd, df: pd.cut(df["k"], [0, 1, 2], labels=["a"]),
    "margins": lambda pd, df: df.pivot_table(index="k", columns="b", values="k2", aggfunc="sum", margins=True),
    "function": lambda pd, df: df.pivot_table(index="k", columns="b", values="k2", aggfunc=np.sum),
    "no-key": lambda pd, df: df.pivot_table(index="nothing", values="k"),
    "columns-only": lambda pd, df: df.pivot_table(columns="b", values="k2", aggfunc="sum"),
    "pivot": lambda pd, df: df.drop_duplicates(["k", "b"]).pivot(index="k", columns="b", values="f"),
    "unstack": lambda pd, df: df.groupby(["k", "b"])["k2"].sum().unstack(),
    "stack": lambda pd, df: df[["f", "g"]].stack(),
    "explode": lambda pd, df: df[["s"]].assign(s=df["s"].str.split("a")).explode("s"),
    "factorize": lambda pd, df: df["s"].factorize(),
    "crosstab-values": lambda pd, df: pd.crosstab(df["k"], df["b"], values=df["k2"], aggfunc="sum"),
    "crosstab-margins": lambda pd, df: pd.crosstab(df["k"], df["b"], margins=True),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", LEFT)
def test_reshape_left_to_pandas(program: str, frame: str, configuration: str) -> None:
    check(LEFT[program], _frame(frame), native=False)


QUANTILES: dict[str, Any] = {
    "qcut": lambda pd, df: pd.qcut(df["k"], 2),
    "qcut-labels": lambda pd, df: pd.qcut(df["k"], [0, 0.5, 1], labels=["low", "high"]),
    "qcut-codes": lambda pd, df: pd.qcut(df["k"] / 3, 2, labels=False),
    "qcut-edges": lambda pd, df: pd.qcut(df["k"] * 0.7, [0, 0.3, 0.9], retbins=True, precision=1),
    "qcut-drop": lambda pd, df: pd.qcut(df["k"], 10, duplicates="drop"),
    "qcut-missing": lambda pd, df: pd.qcut(df["f"].where(df["f"].abs() < 10), 3, duplicates="drop"),
    "qcut-lazy": lambda pd, df: pd.qcut(df[df["k"] > 1]["k"] * 2, 2, duplicates="drop").cat.codes,
    "qcut": lambda pd, df: pd.qcut(df["k"], 2, duplicates="drop"),
    "uneven": lambda pd, df: pd.qcut(df["f"].where(df["f"].abs() < 10) * 0.1 + 1, 7, duplicates="drop", retbins=True),
}
QUANTILES_LEFT: dict[str, Any] = {
    "twice": lambda pd, df: pd.qcut(df["k"], 10),
    "infinite": lambda pd, df: pd.qcut(df["f"], 4),
    "narrow": lambda pd, df: pd.qcut(df["g"], 2),
    "none": lambda pd, df: pd.qcut(df["k"], 0),
    "share-beyond": lambda pd, df: pd.qcut(df["k"], [0, 1.5]),
    "text": lambda pd, df: pd.qcut(df["s"], 2),
    "timestamps": lambda pd, df: pd.qcut(df["t"], 2),
    "shares-of-text": lambda pd, df: pd.qcut(df["k"], ["a"]),
    "share": lambda pd, df: pd.qcut(df["k"], 0.5),
    "labels-too-few": lambda pd, df: pd.qcut(df["k"], 2, labels=["a"]),
}


@pytest.mark.parametrize("frame", ["mixed", "labelled", "dated", "several", "shuffled", "range", "long"])
@pytest.mark.parametrize("program", QUANTILES)
def test_quantiles(program: str, frame: str, configuration: str) -> None:
    # One edge is a zero, of which there are both signs: NumPy's order decides which one it is.
    check(QUANTILES[program], _frame(frame), native=program != "qcut-missing")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", ["mixed", "empty", "one", "two", "all-missing"])
@pytest.mark.parametrize("program", {**QUANTILES, **QUANTILES_LEFT})
def test_quantiles_of_little(program: str, frame: str) -> None:
    check({**QUANTILES, **QUANTILES_LEFT}[program], _frame(frame), native=False)


def test_quantiles_are_exact() -> None:
    draw = np.random.default_rng(7)
    numbers = pandas.DataFrame({"f": draw.normal(size=501) * 1e3, "i": draw.integers(-1000, 1000, 501)})
    for name in numbers:
        for pieces in (2, 3, 4, 5, 7, 10, 20):
            check(lambda pd, df, n=name, p=pieces: pd.qcut(df[n], p, retbins=True, duplicates="drop"), numbers)


#: Numbers in memory of which quantiles are the edges: few, none, missing, of both zeros, extreme, and duplicates.
HELD: dict[str, Any] = {
    "empty": [],
    "one": [2.5],
    "missing": [np.nan, np.nan],
    "some missing": [3.0, np.nan, -1.5, 8.25, np.nan, 0.1],
    "zeros": [0.0, -0.0, 0.0, -0.0, 1.0, -1.0],
    "infinite": [np.inf, 1.0, -np.inf, 2.0],
    "integers": [5, 3, 3, 9, -(2**53) - 1, 2**53 + 1, 7],
    "extreme": [-(2**63), 2**63 - 1, 0, 1],
    "duplicates": [1, 1, 1, 1, 2],
    "narrow": np.array([1.5, 2.5, 0.1], np.float32),
}


@pytest.mark.parametrize("shares", [1, 4, [0, 0.1, 0.5, 1.0], [0.25, 0.75], [0.0, 0.0, 1.0]], ids=str)
@pytest.mark.parametrize("values", HELD)
def test_quantiles_of_what_is_in_memory_are_edges(values: str, shares: Any, configuration: str) -> None:
    frame = pandas.DataFrame({"x": HELD[values]}, dtype=None if len(HELD[values]) else "float64")
    for duplicates in ("raise", "drop"):
        check(lambda pd, df: pd.qcut(df["x"], shares, duplicates=duplicates), frame, native=False)
        check(lambda pd, df: pd.qcut(df["x"], shares, labels=False, retbins=True, duplicates=duplicates), frame, native=False)

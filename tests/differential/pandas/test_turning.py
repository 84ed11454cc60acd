"""Rows as columns and columns as rows: T, stack, unstack and pivot."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from compare import check
from frames import FRAMES

LEVELS = pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y"), ("b", "x")], names=["u", "v"])


def numbered(df: Any) -> Any:
    return df.assign(n=range(len(df))).set_index(["k", "n"])


TURNED: dict[str, Any] = {
    "T": lambda pd, df: df.T,
    "T-numbers": lambda pd, df: df[["i", "f"]].T,
    "T-narrow": lambda pd, df: df[["f", "g"]].T,
    "T-computed": lambda pd, df: (df[["k", "f"]] * 2).T,
    "T-text": lambda pd, df: df[["s"]].T,
    "T-timestamps": lambda pd, df: df[["t"]].T,
    "T-categories": lambda pd, df: df[["c", "c"]].T,
    "T-filtered": lambda pd, df: df[df["k"] > 1][["k", "i"]].T,
    "transpose": lambda pd, df: df[["k"]].transpose(),
    "T-series": lambda pd, df: df["f"].T,
    "transpose-series": lambda pd, df: df["f"].transpose(),
    "stack": lambda pd, df: df[["k", "i"]].stack(),
    "stack-floats": lambda pd, df: df[["k", "f"]].stack(),
    "stack-objects": lambda pd, df: df.stack(),
    "stack-text": lambda pd, df: df[["s"]].stack(),
    "stack-level": lambda pd, df: df[["k", "f", "i"]].set_axis(LEVELS, axis=1).stack(),
    "stack-first-level": lambda pd, df: df[["k", "f", "s"]].set_axis(LEVELS, axis=1).stack("u"),
    "stack-both-levels": lambda pd, df: df[["k", "f", "s"]].set_axis(LEVELS, axis=1).stack([0, 1]),
    "unstack": lambda pd, df: df[["k", "f"]].unstack(),
    "unstack-frame": lambda pd, df: numbered(df)[["i", "f", "s", "b"]].unstack(),
    "unstack-series": lambda pd, df: numbered(df)["i"].unstack(0),
    "unstack-filled": lambda pd, df: numbered(df)["i"].unstack(0, fill_value=0),
    "unstack-frame-filled": lambda pd, df: numbered(df)[["i", "f"]].unstack(0, fill_value=7),
    "unstack-name": lambda pd, df: numbered(df)["b"].unstack("n"),
    "pivot": lambda pd, df: df.assign(n=range(len(df))).pivot(index="n", columns="k", values="f"),
    "pivot-rows": lambda pd, df: df[["k", "f", "i"]].pivot(columns="k"),
    "pivot-keys": lambda pd, df: df.assign(n=range(len(df))).pivot(index=["n", "s"], columns="k", values="f"),
    "pivot-several": lambda pd, df: df.assign(n=range(len(df))).pivot(index="n", columns="k", values=["f", "i"]),
    "pivot-function": lambda pd, df: pd.pivot(df.assign(n=range(len(df))), index="n", columns="k", values="s"),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", TURNED)
def test_turned(program: str, frame: str, configuration: str) -> None:
    check(TURNED[program], FRAMES[frame]())


MARGINS: dict[str, Any] = {
    "sum": lambda pd, df: df.pivot_table("k", "s", "b", aggfunc="sum", margins=True, fill_value=0),
    "mean": lambda pd, df: df.pivot_table("k", "b", "small", margins=True),
    "name": lambda pd, df: df.pivot_table("k", ["s", "b"], "small", aggfunc="count", margins=True, margins_name="total"),
    "levels": lambda pd, df: df.pivot_table("k", "s", ["b", "small"], aggfunc="sum", margins=True),
    "several": lambda pd, df: df.pivot_table("k", "b", "small", aggfunc=["sum", "count"], margins=True),
    "each": lambda pd, df: df.pivot_table(index="b", columns="small", values=["k", "i"], aggfunc={"k": "sum", "i": "count"}, margins=True),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", MARGINS)
def test_margins(program: str, frame: str, configuration: str) -> None:
    check(MARGINS[program], FRAMES[frame](), rtol=1e-9)


OLD: dict[str, Any] = {
    "stack": lambda pd, df: df[["k", "f"]].stack(future_stack=False),
    "stack-missing": lambda pd, df: df[["k", "f"]].stack(future_stack=False, dropna=False),
    "stack-level": lambda pd, df: df[["k", "f", "i"]].set_axis(LEVELS, axis=1).stack(0, future_stack=False),
}


@pytest.mark.filterwarnings("ignore:The previous implementation of stack")
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", OLD)
def test_the_previous_stack(program: str, frame: str, configuration: str) -> None:
    check(OLD[program], FRAMES[frame]())


LEFT: dict[str, Any] = {
    "T-of-nothing": lambda pd, df: df[[]].T,
    "pivot-of-several-kinds": lambda pd, df: df.assign(n=range(len(df))).pivot(index="n", columns="k", values=["f", "s"]),
    "unstack-of-another-kind": lambda pd, df: numbered(df)["i"].unstack(0, fill_value="x"),
    "unstack-twice": lambda pd, df: df.set_index(["k", "b"])["f"].unstack(),
}


@pytest.mark.filterwarnings("ignore:Using a fill_value")
@pytest.mark.parametrize("frame", ["mixed", "empty", "labelled"])
@pytest.mark.parametrize("program", LEFT)
def test_turned_by_pandas(program: str, frame: str, configuration: str) -> None:
    check(LEFT[program], FRAMES[frame](), native=False)

"""Columns of objects where pandas looks into them: as labels, and where it makes a frame anew."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas
import pytest
from compare import check

VALUES: dict[str, list[Any]] = {
    "text": ["x", "y", "x", "z"],
    "text-nan": ["x", np.nan, "x", "y"],
    "text-none": ["x", None, "y", "y"],
    "text-na": ["x", pandas.NA, "y", "y"],
    "whole": [1, 2, 3, 4],
    "whole-none": [1, None, 3, 3],
    "floats": [1.5, 2.0, np.nan, 4.0],
    "truth": [True, False, True, True],
    "times": [pandas.Timestamp("2020-01-01") + pandas.Timedelta(n, "D") for n in range(4)],
    "spans": [pandas.Timedelta(n, "h") for n in range(4)],
    "days": [datetime.date(2020, 1, 1 + n) for n in range(4)],
    "mixed": ["a", 1, 2.0, 2.0],
    "none": [None] * 4,
    "nan": [np.nan] * 4,
}


def frame(values: str) -> pandas.DataFrame:
    """Two columns of the same objects, and one of numbers."""
    return pandas.DataFrame({"a": pandas.Series(VALUES[values], dtype=object), "b": range(4), "c": pandas.Series(VALUES[values], dtype=object)})


NATIVE: dict[str, Any] = {
    "set": lambda pd, df: df.set_index("a"),
    "set-back": lambda pd, df: df.set_index("a").reset_index(),
    "set-two": lambda pd, df: df.set_index(["a", "b"]),
    "set-two-back": lambda pd, df: df.set_index(["a", "b"]).reset_index(),
    "set-two-level-back": lambda pd, df: df.set_index(["a", "b"]).reset_index(level=0),
    "set-append": lambda pd, df: df.set_index("b").set_index("a", append=True),
    "set-array": lambda pd, df: df.set_index([df["a"].to_numpy(), "b"]),
    "set-level-types": lambda pd, df: [level.inferred_type for level in df.set_index(["a", "b"]).index.levels],
    "set-series-back": lambda pd, df: df.set_index("a")["b"].reset_index(),
    "melt-key": lambda pd, df: df[["a", "b"]].melt(id_vars="a"),
    "melt-one": lambda pd, df: df[["a", "b"]].melt(id_vars="b"),
    "melt-key-and-value": lambda pd, df: df.melt(id_vars=["b", "c"]),
}

EITHER: dict[str, Any] = {
    "set-some-back": lambda pd, df: df.set_index("a").pipe(lambda d: d[d["b"] > 0]).reset_index(),
    "set-drop": lambda pd, df: df.set_index(["a", "b"]).reset_index(drop=True),
    "melt-both": lambda pd, df: df.melt(id_vars="b"),
    "melt-all": lambda pd, df: df.melt(),
    "melt-some": lambda pd, df: df[df["b"] > 0].melt(id_vars="b"),
    "unstack": lambda pd, df: df.set_index(["b", "a"]).unstack(),
    "pivot": lambda pd, df: df.pivot(index="b", columns="a", values="c"),
    "pivot-columns": lambda pd, df: df.pivot(index="b", columns="a", values="c").columns,
}


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("program", NATIVE)
def test_objects(program: str, values: str, configuration: str) -> None:
    check(NATIVE[program], frame(values))


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("program", EITHER)
def test_objects_by_either(program: str, values: str, configuration: str) -> None:
    check(EITHER[program], frame(values), native=False)


def categories() -> pandas.DataFrame:
    """Two columns of the same categories, in different orders."""
    first = pandas.Categorical(["a", "b", "c", None], categories=["a", "b", "c"])
    second = pandas.Categorical(["a", "c", "b", None], categories=["b", "a", "c"])
    return pandas.DataFrame({"p": first, "q": second, "k": [1, 2, 2, 1]})


CATEGORIES: dict[str, Any] = {
    "concat": lambda pd, df: pd.concat([df["p"], df["q"]]),
    "concat-turned": lambda pd, df: pd.concat([df["q"], df["p"]], ignore_index=True),
    "concat-frames": lambda pd, df: pd.concat([df[["p"]], df[["q"]].rename(columns={"q": "p"})]),
    "melt": lambda pd, df: df[["p", "q"]].melt(),
    "melt-keys": lambda pd, df: df.melt(id_vars="k"),
    "stack": lambda pd, df: df[["p", "q"]].stack(),
    "turned": lambda pd, df: df[["p", "q"]].T,
}


@pytest.mark.parametrize("program", CATEGORIES)
def test_categories_in_another_order(program: str, configuration: str) -> None:
    check(CATEGORIES[program], categories())

"""Rows of groups by their positions, the values of groups, and functions of groups and windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES

COLUMNS = ["i", "small", "unsigned", "f", "g", "b", "s", "t", "d", "c", "k"]


def listed(series: Any) -> Any:
    """A series of arrays as what can be compared: their classes, dtypes and values."""
    arrays = [(type(array).__name__, str(array.dtype), pandas.Series(array)) for array in series]
    return list(series.index), series.name, str(series.dtype), series.index.names, arrays


def pairs(count: int = 12) -> pandas.DataFrame:
    return pandas.DataFrame(
        {
            "k": np.resize(np.array([2, 1, 2, 1, 3, 3]), count),
            "s": pandas.array(np.resize(np.array(["b", "a", None], object), count), dtype="str"),
            "i": np.resize(np.array([5, 5, 1, 7, 1]), count),
            "f": np.resize(np.array([0.0, -0.0, np.nan, 1.5, np.nan]), count),
        }
    )


UNIQUE: dict[str, Any] = {
    **{f"unique-{name}": lambda pd, df, n=name: listed(df.groupby("k")[n].unique()) for name in COLUMNS},
    "unique-two-keys": lambda pd, df: listed(df.groupby(["k", "b"])["small"].unique()),
    "unique-unsorted": lambda pd, df: listed(df.groupby("k", sort=False)["small"].unique()),
    "unique-missing-keys": lambda pd, df: listed(df.groupby("s", dropna=False)["small"].unique()),
    "unique-by-text": lambda pd, df: listed(df.groupby("s")["small"].unique()),
    "unique-nullable": lambda pd, df: listed(df.astype({"small": "Int64"}).groupby("k")["small"].unique()),
    "unique-series": lambda pd, df: listed(df["small"].groupby(df["k"]).unique()),
    "unique-of-mask": lambda pd, df: listed(df[df["k"] > 1].groupby("k")["s"].unique()),
}

POSITIONS: dict[str, Any] = {
    **{f"take-{positions}": lambda pd, df, p=positions: df.groupby("k").take(p) for positions in ([0], [-1], [1, 0], [0, 0])},
    "take-series": lambda pd, df: df.groupby("k")["i"].take([0, -1]),
    "take-columns": lambda pd, df: df.groupby("k")[["f", "s"]].take([1]),
    "take-array": lambda pd, df: df.groupby("k")["i"].take(np.array([0, 1])),
    "take-two-keys": lambda pd, df: df.assign(z=df["k"] > 1).groupby(["k", "z"]).take([0]),
    "take-unsorted": lambda pd, df: df.groupby("k", sort=False).take([0]),
    "take-missing-keys": lambda pd, df: df.groupby("s")["i"].take([0, 1]),
    "take-without-keys": lambda pd, df: df.groupby("k", group_keys=False).take([1]),
    "take-labelled": lambda pd, df: df.set_axis(list("abcdefghijkl")).groupby("k")["i"].take([0]),
    "take-levels": lambda pd, df: df.set_index("s", append=True).groupby("k")["i"].take([0]),
    "pipe-groups": lambda pd, df: df.groupby("k").pipe(lambda groups: groups["i"].sum()),
    "pipe-column": lambda pd, df: df.groupby("k")["i"].pipe(lambda groups, n: groups.max() - n, 1),
    "pipe-keyword": lambda pd, df: df.groupby("k")["i"].pipe((lambda n, groups: groups.max() * n, "groups"), 2),
    "pipe-rolling": lambda pd, df: df["i"].rolling(3).pipe(lambda windows: windows.max() - windows.min()),
    "pipe-expanding": lambda pd, df: df[["i", "k"]].expanding().pipe(lambda windows: windows.max()),
    "pipe-group-windows": lambda pd, df: df.groupby("k")["i"].rolling(2).pipe(lambda windows: windows.sum()),
}

EITHER: dict[str, Any] = {
    "take-beyond": lambda pd, df: df.groupby("k").take([4]),
    "take-before": lambda pd, df: df.groupby("k").take([-9]),
    "take-none": lambda pd, df: df.groupby("k").take([]),
    "take-number": lambda pd, df: df.groupby("k").take(0),
    "take-floats": lambda pd, df: df.groupby("k").take([0.5]),
    "take-beside": lambda pd, df: df.groupby("k", as_index=False).take([0]),
    "take-by-values": lambda pd, df: df.groupby(df["i"].to_numpy())["f"].take([0]),
    "unique-beside": lambda pd, df: df.groupby("k", as_index=False)["i"].unique(),
    "unique-frame": lambda pd, df: df.groupby("k").unique(),
    "pipe-nothing": lambda pd, df: df.groupby("k").pipe(None),
}


@pytest.mark.parametrize("frame", [name for name in FRAMES if name not in ("empty", "no-rows")])
@pytest.mark.parametrize("program", UNIQUE)
def test_values_of_groups(program: str, frame: str, configuration: str) -> None:
    none = (program, frame) in (("unique-of-mask", "one"), ("unique-by-text", "all-missing"))
    check(UNIQUE[program], FRAMES[frame](), native=not none)


@pytest.mark.parametrize("column", ["i", "f", "s"])
def test_values_of_groups_natively(column: str, configuration: str) -> None:
    check(lambda pd, df: listed(df.groupby("k")[column].unique()), pairs())


@pytest.mark.parametrize("program", POSITIONS)
def test_places_in_groups(program: str, configuration: str) -> None:
    check(POSITIONS[program], pairs())


@pytest.mark.parametrize("count", [0, 1, 12])
@pytest.mark.parametrize("program", [*POSITIONS, *EITHER])
def test_places_in_groups_by_either(program: str, count: int, configuration: str) -> None:
    check({**POSITIONS, **EITHER}[program], pairs(count), native=False)

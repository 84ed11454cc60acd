"""Joining each row with the nearest one of another frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check


def _left() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "t": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-02", "2020-01-05", "2020-01-09"]),
            "n": np.array([1, 3, 3, 7, 20]),
            "x": np.array([0.5, 1.0, 1.5, 1.5, 9.0]),
            "who": pd.array(["a", "b", "a", "b", "c"], dtype="str"),
            "v": np.array([1, 2, 3, 4, 5]),
        },
        index=[9, 8, 7, 6, 5],
    )


def _right() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "t": pd.to_datetime(["2020-01-02", "2020-01-02", "2020-01-04", "2020-01-06", "2020-01-06"]),
            "n": np.array([3, 3, 5, 8, 8]),
            "x": np.array([1.0, 1.0, 1.25, 1.75, 2.0]),
            "who": pd.array(["a", "b", "a", "b", "b"], dtype="str"),
            "v": np.array([10, 20, 30, 40, 50]),
            "w": pd.array(["p", None, "q", "r", "s"], dtype="str"),
        }
    )


PROGRAMS: dict[str, Any] = {
    "time": lambda pd, a, b: pd.merge_asof(a, b[["t", "w"]], on="t"),
    "suffixes": lambda pd, a, b: pd.merge_asof(a, b, on="t"),
    "by": lambda pd, a, b: pd.merge_asof(a, b, on="t", by="who"),
    "by-names": lambda pd, a, b: pd.merge_asof(a, b.rename(columns={"who": "name"}), on="t", left_by="who", right_by="name"),
    "other-names": lambda pd, a, b: pd.merge_asof(a, b.rename(columns={"t": "u"}), left_on="t", right_on="u"),
    "tolerance": lambda pd, a, b: pd.merge_asof(a, b[["t", "w"]], on="t", tolerance=pd.Timedelta("1D")),
    "number-tolerance": lambda pd, a, b: pd.merge_asof(a, b[["n", "w"]], on="n", tolerance=2),
    "float-tolerance": lambda pd, a, b: pd.merge_asof(a, b[["x", "w"]], on="x", tolerance=0.25),
    "two-by": lambda pd, a, b: pd.merge_asof(a, b, on="x", by=["who", "n"]),
    **{
        f"{direction}-{exact}-{key}": lambda pd, a, b, d=direction, e=exact, k=key: pd.merge_asof(
            a, b[[k, "w", "v"]].rename(columns={"v": "z"}), on=k, direction=d, allow_exact_matches=e
        )
        for direction in ("backward", "forward", "nearest")
        for exact in (True, False)
        for key in ("t", "n", "x")
    },
    **{f"by-{direction}": lambda pd, a, b, d=direction: pd.merge_asof(a, b, on="n", by="who", direction=d) for direction in ("forward", "nearest")},
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_asof(program: str, configuration: str) -> None:
    check(PROGRAMS[program], _left(), _right())
    check(PROGRAMS[program], _left(), _right().iloc[:0])
    check(PROGRAMS[program], _left().iloc[:0], _right())


LEFT: dict[str, Any] = {
    "unsorted": lambda pd, a, b: pd.merge_asof(a.iloc[::-1], b, on="t"),
    "unsorted-right": lambda pd, a, b: pd.merge_asof(a, b.iloc[::-1], on="t"),
    "missing": lambda pd, a, b: pd.merge_asof(a.assign(x=np.nan), b, on="x"),
    "text": lambda pd, a, b: pd.merge_asof(a, b, on="who"),
    "dtypes": lambda pd, a, b: pd.merge_asof(a, b, left_on="n", right_on="x"),
    "bad-tolerance": lambda pd, a, b: pd.merge_asof(a, b, on="t", tolerance=1),
    "negative": lambda pd, a, b: pd.merge_asof(a, b, on="n", tolerance=-1),
    "bad-direction": lambda pd, a, b: pd.merge_asof(a, b, on="n", direction="up"),
    "labels": lambda pd, a, b: pd.merge_asof(a.set_index("t"), b.set_index("t"), left_index=True, right_index=True),
    "nothing": lambda pd, a, b: pd.merge_asof(a, b, on="nothing"),
    "ordered": lambda pd, a, b: pd.merge_ordered(a, b, on="t"),
}


@pytest.mark.parametrize("program", LEFT)
def test_asof_that_may_be_left_to_pandas(program: str, configuration: str) -> None:
    check(LEFT[program], _left(), _right(), native=False)

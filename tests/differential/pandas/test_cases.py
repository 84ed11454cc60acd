"""Values by conditions, quotients with what they leave, and values by a label that may not be there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from compare import check
from frames import FRAMES

NATIVE: dict[str, Any] = {
    "case": lambda pd, df: df["k"].case_when([(df["k"] > 2, 0), (df["k"] == 2, 9)]),
    "case-first": lambda pd, df: df["k"].case_when([(df["k"] > 1, 0), (df["k"] > 2, 9)]),
    "case-floats": lambda pd, df: df["k"].case_when([(df["k"] > 2, 0.5), (df["k"] == 2, 9)]),
    "case-series": lambda pd, df: df["k"].case_when([(df["k"] > 2, df["i"]), (df["k"] == 2, 9)]),
    "case-series-floats": lambda pd, df: df["k"].case_when([(df["k"] > 2, df["f"]), (df["k"] == 2, 9)]),
    "case-function": lambda pd, df: df["k"].case_when([(lambda k: k > 2, lambda k: k * 2)]),
    "case-text": lambda pd, df: df["s"].case_when([(df["k"] > 2, "x"), (df["s"].isna(), "none")]),
    "case-array": lambda pd, df: df["f"].case_when([((df["k"] > 2).to_numpy(), 1.5)]),
    **{f"divmod-{name}": lambda pd, df, n=name: df[n].divmod(3) for name in ("i", "k", "f")},
    "divmod-operator": lambda pd, df: divmod(df["k"], 2),
    "divmod-float": lambda pd, df: divmod(df["f"], 0.5),
    "divmod-series": lambda pd, df: df["i"].divmod(df["k"]),
    "rdivmod": lambda pd, df: df["k"].rdivmod(7),
    "round": lambda pd, df: round(df["f"], 1),
    "round-none": lambda pd, df: round(df["g"]),
    "round-frame": lambda pd, df: round(df[["f", "k"]], 1),
    "get-not": lambda pd, df: df["k"].get("nothing", -1),
    "rank-numbers": lambda pd, df: df.drop(columns=["i", "unsigned"]).rank(numeric_only=True),
}

EITHER: dict[str, Any] = {
    "case-none": lambda pd, df: df["k"].case_when([]),
    "case-kinds": lambda pd, df: df["k"].case_when([(df["k"] > 2, "a")]),
    "case-missing": lambda pd, df: df["k"].case_when([(df["k"] > 2, None)]),
    "case-narrow": lambda pd, df: df["small"].case_when([(df["k"] > 2, 5)]),
    "case-narrow-much": lambda pd, df: df["small"].case_when([(df["k"] > 2, 500)]),
    "case-other-rows": lambda pd, df: df["k"].case_when([(df["k"].iloc[1:] > 2, 0)]),
    "case-short": lambda pd, df: df["k"].case_when([(np.array([True]), 0)]),
    "case-times": lambda pd, df: df["t"].case_when([(df["k"] > 2, pd.Timestamp("2020"))]),
    "divmod-text": lambda pd, df: df["s"].divmod(2),
    "divmod-nullable": lambda pd, df: df["k"].astype("Int64").divmod(2),
    "divmod-zero": lambda pd, df: df["k"].divmod(0),
    "round-text": lambda pd, df: round(df["s"], 1),
    "get": lambda pd, df: df["k"].get(3),
    "get-label": lambda pd, df: df["k"].get("a"),
    "get-list": lambda pd, df: df["k"].get([1, 2]),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", NATIVE)
def test_cases(program: str, frame: str, configuration: str) -> None:
    check(NATIVE[program], FRAMES[frame]())


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", EITHER)
def test_cases_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), native=False)

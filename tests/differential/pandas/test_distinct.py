"""Rows that stand once, and values that do."""

from __future__ import annotations

from typing import Any

import pytest
from compare import check
from frames import FRAMES

COLUMNS = ["i", "small", "unsigned", "f", "g", "b", "s", "t", "d", "c", "k"]

PROGRAMS: dict[str, Any] = {
    **{f"drop-{name}": lambda pd, df, n=name: df.drop_duplicates(n) for name in COLUMNS},
    **{f"series-{name}": lambda pd, df, n=name: df[n].drop_duplicates() for name in COLUMNS},
    **{f"duplicated-{name}": lambda pd, df, n=name: df[n].duplicated() for name in COLUMNS},
    **{f"unique-{name}": lambda pd, df, n=name: df[n].unique() for name in COLUMNS if name != "c"},
    "drop-all": lambda pd, df: df[["k", "b"]].drop_duplicates(),
    "drop-two": lambda pd, df: df.drop_duplicates(["k", "s"]),
    "drop-last": lambda pd, df: df.drop_duplicates("k", keep="last"),
    "drop-both": lambda pd, df: df.drop_duplicates("k", keep=False),
    "drop-ignore-index": lambda pd, df: df.drop_duplicates("k", ignore_index=True),
    "drop-of-mask": lambda pd, df: df[df["k"] > 1].drop_duplicates("k"),
    "drop-then-sort": lambda pd, df: df.drop_duplicates("s").sort_values("s"),
    "duplicated-frame": lambda pd, df: df.duplicated(["k", "b"]),
    "duplicated-last": lambda pd, df: df.duplicated("k", keep="last"),
    "duplicated-any": lambda pd, df: df["s"].duplicated(keep=False),
    "mask-by-duplicated": lambda pd, df: df[~df["k"].duplicated()],
    "nunique": lambda pd, df: df.nunique(),
    "nunique-missing": lambda pd, df: df.nunique(dropna=False),
    **{f"nunique-{name}": lambda pd, df, n=name: df[n].nunique() for name in COLUMNS},
}

EITHER: dict[str, Any] = {
    "unique-category": lambda pd, df: df["c"].unique(),
    "drop-unknown": lambda pd, df: df.drop_duplicates("nothing"),
    "wrong-keep": lambda pd, df: df.drop_duplicates("k", keep="some"),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_distinct(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAMES[frame]())


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", EITHER)
def test_distinct_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), native=False)

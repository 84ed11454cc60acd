"""The order of rows. Ties are in their order only where a stable sort was asked for: pandas' default is not one."""

from __future__ import annotations

from typing import Any

import pytest
from compare import check
from frames import FRAMES

COLUMNS = ["i", "small", "unsigned", "f", "g", "b", "s", "t", "d", "c", "k"]

PROGRAMS: dict[str, Any] = {
    **{f"by-{name}": lambda pd, df, n=name: df.sort_values(n, kind="stable") for name in COLUMNS},
    **{f"by-{name}-falling": lambda pd, df, n=name: df.sort_values(n, ascending=False, kind="stable") for name in COLUMNS},
    **{f"series-{name}": lambda pd, df, n=name: df[n].sort_values(kind="stable") for name in COLUMNS},
    "missing-first": lambda pd, df: df.sort_values("f", na_position="first", kind="stable"),
    "missing-first-falling": lambda pd, df: df.sort_values("s", na_position="first", ascending=False, kind="stable"),
    "two-keys": lambda pd, df: df.sort_values(["k", "f"]),
    "two-directions": lambda pd, df: df.sort_values(["k", "s", "b"], ascending=[False, True, False]),
    "two-missing-first-falling": lambda pd, df: df.sort_values(["f", "c"], na_position="first", ascending=False),
    "two-missing-first": lambda pd, df: df.sort_values(["c", "f"], na_position="first"),
    "ignore-index": lambda pd, df: df.sort_values("k", kind="stable", ignore_index=True),
    "series-ignore-index": lambda pd, df: df["t"].sort_values(kind="stable", ignore_index=True),
    "series-falling": lambda pd, df: df["f"].sort_values(kind="stable", ascending=False),
    "then-head": lambda pd, df: df.sort_values("i", kind="stable").head(3),
    "then-mask": lambda pd, df: df.sort_values("i", kind="stable").pipe(lambda d: d[d["k"] > 1]),
    "after-mask": lambda pd, df: df[df["k"] > 1].sort_values(["s", "i"]),
    "by-sum": lambda pd, df: df.assign(x=df["k"] * -1).sort_values(["x", "i"]),
    "unknown": lambda pd, df: df.sort_values("nothing"),
    "nlargest": lambda pd, df: df.nlargest(3, "k"),
    "nlargest-two": lambda pd, df: df.nlargest(3, ["k", "i"]),
    "nsmallest": lambda pd, df: df.nsmallest(4, "small"),
    "nsmallest-series": lambda pd, df: df["k"].nsmallest(3),
    "nlargest-series": lambda pd, df: df["i"].nlargest(2),
    "sort-columns": lambda pd, df: df.sort_index(axis=1),
}

EITHER: dict[str, Any] = {
    "sort-index": lambda pd, df: df.sort_index(kind="stable"),
    "sort-index-falling": lambda pd, df: df.sort_index(ascending=False, kind="stable"),
    "sort-index-series": lambda pd, df: df["s"].sort_index(kind="stable"),
    "sort-index-ignore": lambda pd, df: df.sort_index(ignore_index=True, kind="stable"),
    "sort-index-of-mask": lambda pd, df: df[df["k"] > 1].sort_index(kind="stable"),
    "sort-index-back": lambda pd, df: df.sort_values("i", kind="stable").sort_index(kind="stable"),
    "nlargest-none": lambda pd, df: df["i"].nlargest(0),
    "nlargest-floats": lambda pd, df: df.nlargest(3, "f"),
    "nlargest-floats-series": lambda pd, df: df["f"].nlargest(3),
    "nsmallest-floats-series": lambda pd, df: df["g"].nsmallest(20),
    "nlargest-times": lambda pd, df: df["t"].nlargest(2),
    "nlargest-text": lambda pd, df: df["s"].nlargest(2),
    "nlargest-last": lambda pd, df: df["k"].nlargest(2, keep="last"),
    "nlargest-all": lambda pd, df: df["k"].nlargest(2, keep="all"),
    "by-level": lambda pd, df: df.sort_values(list(df.index.names)) if df.index.names[0] else df,
    "by-function": lambda pd, df: df.sort_values("s", key=lambda s: s.str.lower(), kind="stable"),
    "wrong-position": lambda pd, df: df.sort_values("s", na_position="middle"),
    "wrong-directions": lambda pd, df: df.sort_values(["s", "k"], ascending=[True]),
    "no-keys": lambda pd, df: df.sort_values([]),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_sorting(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAMES[frame]())


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", EITHER)
def test_sorting_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), native=False)

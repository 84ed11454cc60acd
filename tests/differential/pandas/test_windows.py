"""Running results, neighbours, ranks, and windows that move."""

from __future__ import annotations

from typing import Any

import pytest
from compare import check
from frames import FRAMES

COLUMNS = ["i", "small", "unsigned", "f", "g", "b", "s", "t", "d", "c", "k"]
FLOATS = ["f", "g"]

PROGRAMS: dict[str, Any] = {
    **{f"{op}-{name}": lambda pd, df, op=op, n=name: getattr(df[n], op)() for op in ("cumsum", "cumprod", "cummin", "cummax") for name in ["i", "small", "unsigned", "f", "g", "b", "k"]},
    **{f"{op}-{name}-missing": lambda pd, df, op=op, n=name: getattr(df[n], op)(skipna=False) for op in ("cumsum", "cummin", "cummax") for name in ["f", "g"]},
    **{f"{op}-{name}": lambda pd, df, op=op, n=name: getattr(df[n], op)() for op in ("cummin", "cummax") for name in ["t", "d"]},
    "cumsum-frame": lambda pd, df: df[["k", "small", "g"]].cumsum(),
    "cumsum-of-mask": lambda pd, df: df[df["k"] > 1]["k"].cumsum(),
    "mask-of-cumsum": lambda pd, df: df[df["k"].cumsum() > 4][["k", "s"]],
    "cumsum-twice": lambda pd, df: df["k"].cumsum().cumsum() + df["k"],
    **{f"shift-{name}": lambda pd, df, n=name: df[n].shift() for name in COLUMNS},
    **{f"shift-back-{name}": lambda pd, df, n=name: df[n].shift(-2) for name in COLUMNS},
    "shift-none": lambda pd, df: df["k"].shift(0),
    "shift-far": lambda pd, df: df["k"].shift(100),
    "shift-filled": lambda pd, df: df["k"].shift(1, fill_value=7),
    "shift-filled-text": lambda pd, df: df["s"].shift(1, fill_value="x"),
    "shift-frame-of-mask": lambda pd, df: df[df["k"] > 1].shift(),
    "shift-frame-of-none": lambda pd, df: df[df["k"] > 100].shift(),
    "shift-frame": lambda pd, df: df.shift(2),
    **{f"diff-{name}": lambda pd, df, n=name: df[n].diff() for name in ["i", "small", "f", "g", "k"]},
    "diff-back": lambda pd, df: df["k"].diff(-1),
    "diff-frame": lambda pd, df: df[["k", "f"]].diff(2),
    **{f"growth-{name}": lambda pd, df, n=name: df[n].pct_change() for name in ["small", "f", "g", "k"]},
    "growth-frame": lambda pd, df: df[["k", "f"]].pct_change(2),
    **{f"rank-{name}": lambda pd, df, n=name: df[n].rank() for name in ["i", "small", "unsigned", "f", "g", "b", "k"]},
    **{f"rank-{method}": lambda pd, df, m=method: df["f"].rank(method=m) for method in ["average", "min", "max", "dense", "first"]},
    **{f"rank-{method}-falling": lambda pd, df, m=method: df["f"].rank(method=m, ascending=False) for method in ["average", "min", "max", "dense", "first"]},
    **{f"rank-{method}-share": lambda pd, df, m=method: df["k"].rank(method=m, pct=True) for method in ["average", "min", "max", "dense", "first"]},
    **{f"rank-{place}-{up}": lambda pd, df, p=place, u=up: df["f"].rank(na_option=p, ascending=u) for place in ["keep", "top", "bottom"] for up in (True, False)},
    "rank-frame": lambda pd, df: df[["k", "f"]].rank(),
    **{f"ffill-{name}": lambda pd, df, n=name: df[n].ffill() for name in COLUMNS},
    **{f"bfill-{name}": lambda pd, df, n=name: df[n].bfill() for name in COLUMNS},
    "ffill-limit": lambda pd, df: df["f"].ffill(limit=1),
    "ffill-frame": lambda pd, df: df.ffill(),
    "bfill-of-mask": lambda pd, df: df[df["k"] > 1].bfill(),
}

EITHER: dict[str, Any] = {
    **{f"{op}-{name}": lambda pd, df, op=op, n=name: getattr(df[n], op)() for op in ("cumsum", "cumprod", "cummin", "cummax") for name in ["s", "t", "d", "c"]},
    **{f"{op}-{name}": lambda pd, df, op=op, n=name: getattr(df[n], op)() for op in ("diff", "rank") for name in ["s", "t", "d", "c", "b", "unsigned"]},
    **{f"growth-{name}": lambda pd, df, n=name: df[n].pct_change() for name in ["s", "c", "b", "unsigned"]},
    "shift-frequency": lambda pd, df: df["k"].shift(1, freq="D"),
    "shift-list": lambda pd, df: df[["k"]].shift([1, 2]),
    "shift-columns": lambda pd, df: df[["k", "i"]].shift(1, axis=1),
    "shift-filled-wrong": lambda pd, df: df["k"].shift(1, fill_value="x"),
    "shift-filled-frame": lambda pd, df: df[["k", "i"]].shift(1, fill_value=0),
    "cumsum-columns": lambda pd, df: df[["k", "i"]].cumsum(axis=1),
    "rank-wrong": lambda pd, df: df["k"].rank(method="nothing"),
    "rank-numbers": lambda pd, df: df[["k", "s"]].rank(numeric_only=True),
    "ffill-limit-zero": lambda pd, df: df["f"].ffill(limit=0),
    "diff-fraction": lambda pd, df: df["k"].diff(1.5),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_windows(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAMES[frame]())


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", EITHER)
def test_windows_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), native=False)

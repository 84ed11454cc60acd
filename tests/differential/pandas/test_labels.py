"""Labels of rows: putting columns there, and taking them away."""

from __future__ import annotations

from typing import Any

import pytest
from compare import check
from frames import FRAMES

COLUMNS = ["i", "small", "unsigned", "f", "g", "b", "s", "t", "d", "c", "k"]

PROGRAMS: dict[str, Any] = {
    **{f"set-{name}": lambda pd, df, n=name: df.set_index(n) for name in COLUMNS if name != "small"},
    **{f"set-{name}-and-back": lambda pd, df, n=name: df.set_index(n).reset_index() for name in COLUMNS if name != "small"},
    "set-keep": lambda pd, df: df.set_index("k", drop=False),
    "set-two": lambda pd, df: df.set_index(["k", "s"]),
    "set-two-back": lambda pd, df: df.set_index(["k", "s"]).reset_index(),
    "set-of-mask": lambda pd, df: df[df["k"] > 1].set_index("i")[["f", "s"]],
    "set-then-mask": lambda pd, df: df.set_index("i").pipe(lambda d: d[d["k"] > 1]),
    "set-then-sort": lambda pd, df: df.set_index("s").sort_values(["k", "i"]),
    "set-unknown": lambda pd, df: df.set_index("nothing"),
    "set-series": lambda pd, df: df.set_index("t")["f"],
    "reset-drop": lambda pd, df: df.reset_index(drop=True),
    "reset": lambda pd, df: df.reset_index(),
    "reset-twice": lambda pd, df: df.reset_index().reset_index(),
    "reset-mask": lambda pd, df: df[df["k"] > 1].reset_index(),
    "reset-mask-drop": lambda pd, df: df[df["k"] > 1].reset_index(drop=True),
    "reset-series": lambda pd, df: df["f"].reset_index(),
    "reset-series-name": lambda pd, df: df["f"].reset_index(name="x"),
    "reset-series-drop": lambda pd, df: df["f"].reset_index(drop=True),
    "reset-sorted": lambda pd, df: df.sort_values(["k", "i"]).reset_index(),
    "prefix": lambda pd, df: df.add_prefix("x_"),
    "suffix": lambda pd, df: df.add_suffix("_x"),
}

EITHER: dict[str, Any] = {
    "rename-axis": lambda pd, df: df.rename_axis("new"),
    "rename-axis-two": lambda pd, df: df.rename_axis(["a", "b"]),
    "rename-axis-columns": lambda pd, df: df.rename_axis(columns="new"),
    "set-small": lambda pd, df: df.set_index("small"),
    "set-small-and-back": lambda pd, df: df.set_index("small").reset_index(),
    "append": lambda pd, df: df.set_index("k", append=True),
    "set-check": lambda pd, df: df.set_index("k", verify_integrity=True),
    "reset-level": lambda pd, df: df.set_index(["k", "s"]).reset_index(level="s"),
    "reset-names": lambda pd, df: df.reset_index(names="new") if df.index.nlevels == 1 else df,
    "reset-taken": lambda pd, df: df.rename(columns={"f": "index"}).reset_index(),
    "reset-unnamed-series": lambda pd, df: df["f"].rename(None).reset_index(),
    "set-array": lambda pd, df: df.set_index(df["k"].to_numpy()),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_labels(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAMES[frame]())


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", EITHER)
def test_labels_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), native=False)

"""One value of a whole column, or one for each column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from compare import check
from frames import FRAMES

NUMBERS = ["i", "small", "unsigned", "f", "g", "b", "k"]
COLUMNS = [*NUMBERS, "s", "t", "d", "c"]

#: Over columns without infinities and extreme numbers, whose sums do not depend on the order that they are added up in.
PROGRAMS: dict[str, Any] = {
    **{f"{op}-{name}": lambda pd, df, n=name, op=op: getattr(df[n], op)() for name in ["small", "g", "b", "k"] for op in ("sum", "mean", "min", "max", "any", "all")},
    **{f"{op}-{name}": lambda pd, df, n=name, op=op: getattr(df[n], op)() for name in ["small", "k"] for op in ("std", "var", "median", "skew", "prod", "sem")},
    **{f"{op}-{name}": lambda pd, df, n=name, op=op: getattr(df[n], op)() for name in ["i", "unsigned", "f"] for op in ("min", "max", "sum")},
    **{f"count-{name}": lambda pd, df, n=name: df[n].count() for name in COLUMNS},
    "min-keeping-missing": lambda pd, df: df["f"].min(skipna=False),
    "sum-keeping-missing": lambda pd, df: df["g"].sum(skipna=False),
    "sum-of-many": lambda pd, df: df["g"].sum(min_count=20),
    "sum-of-product": lambda pd, df: (df["k"] * df["small"]).sum(),
    "sum-of-mask": lambda pd, df: df[df["k"] > 1]["small"].sum(),
    "quantile": lambda pd, df: df["k"].quantile(0.3),
    "frame-sum": lambda pd, df: df[["small", "k"]].sum(),
    "frame-mean": lambda pd, df: df[["small", "k", "b"]].mean(),
    "frame-max": lambda pd, df: df[["i", "k", "small"]].max(),
    "frame-min-mixed": lambda pd, df: df[["g", "k"]].min(),
    "frame-count": lambda pd, df: df.count(),
    "frame-any": lambda pd, df: df[["b", "k"]].any(),
    "frame-all": lambda pd, df: df[["b", "k"]].all(),
    "kurtosis-frame": lambda pd, df: df[["k", "small"]].kurtosis(),
    "kurt-whole": lambda pd, df: df["k"].kurt(),
    "kurt-columns": lambda pd, df: df[["k", "small"]].kurt(),
    "frame-std": lambda pd, df: df[["k", "small"]].std(),
}

EITHER: dict[str, Any] = {
    **{f"{op}-{name}": lambda pd, df, n=name, op=op: getattr(df[n], op)() for name in ["s", "t", "d", "c"] for op in ("min", "max", "sum", "mean", "median", "std", "any", "all")},
    **{f"kurt-{name}": lambda pd, df, n=name: df[n].kurt() for name in ["small", "k", "f", "g", "i"]},
    "kurtosis": lambda pd, df: df["k"].kurtosis(skipna=False),
    "kurtosis-missing": lambda pd, df: df["f"].kurtosis(skipna=False),
    "kurt-frame": lambda pd, df: df[["k", "f", "small"]].kurt(),
    "kurt-frame-numbers": lambda pd, df: df[["k", "s", "small"]].kurt(numeric_only=True),
    "kurt-text": lambda pd, df: df[["k", "s"]].kurt(),
    **{f"{op}-b": lambda pd, df, op=op: getattr(df["b"], op)() for op in ("std", "var", "median", "skew", "prod", "sem", "quantile")},
    **{f"{op}-g": lambda pd, df, op=op: getattr(df["g"], op)() for op in ("std", "var", "median", "skew", "prod", "sem", "quantile")},
    "frame-sum-all": lambda pd, df: df.sum(),
    "frame-min-all": lambda pd, df: df.min(),
    "frame-mean-numbers": lambda pd, df: df[["s", "k", "small"]].mean(numeric_only=True),
    "frame-max-numbers": lambda pd, df: df[["s", "k", "b"]].max(numeric_only=True),
    "axis-none": lambda pd, df: df[["k", "small"]].sum(axis=None),
    "ddof": lambda pd, df: df["k"].std(ddof=0),
    "ddof-many": lambda pd, df: df["k"].var(ddof=100),
    "wrong-axis": lambda pd, df: df["k"].sum(axis=1),
    "numbers-of-text": lambda pd, df: df["s"].sum(numeric_only=True),
    "quantiles": lambda pd, df: df["k"].quantile([0.1, 0.5]),
    "numpy-sum": lambda pd, df: np.sum(df["k"]),
    "numpy-mean": lambda pd, df: np.mean(df["small"]),
    "builtin-sum": lambda pd, df: sum(df["k"]),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_reductions(program: str, frame: str, configuration: str) -> None:
    # The least and the greatest of this frame are zeros of both signs: which of them it is depends on NumPy's loops.
    of_zeros = frame == "two" and program in ("min-f", "max-f", "min-keeping-missing")
    check(PROGRAMS[program], FRAMES[frame](), native=frame != "empty" and not of_zeros, rtol=1e-12)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", EITHER)
def test_reductions_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), native=False, rtol=1e-6)

"""Functions of Python over windows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from compare import check
from frames import FRAMES

FUNCTIONS: dict[str, Any] = {
    "mean": np.mean,
    "sum": np.sum,
    "min": np.min,
    "max": np.max,
    "std": np.std,
    "var": np.var,
    "method-mean": lambda x: x.mean(),
    "method-std": lambda x: x.std(),
    "span": lambda x: x.max() - x.min(),
    "scaled": lambda x: x.sum() * 2 + 1,
    "module": lambda x: np.mean(x) / 2,
    "positive": lambda x: (x > 0).sum(),
    "shifted": lambda x: (x - 1).sum(),
}
OF_ARRAYS: dict[str, Any] = {
    "median": np.median,
    "ends": lambda x: x[-1] - x[0],
    "last": lambda x: x[-1],
    "nan-mean": np.nanmean,
    "prod": np.prod,
}
OF_SERIES: dict[str, Any] = {
    "median": lambda x: x.median(),
    "ends": lambda x: x.iloc[-1] - x.iloc[0],
    "quantile": lambda x: x.quantile(0.25),
    "count": lambda x: x.count(),
    "length": lambda x: len(x),
    "true": lambda x: x.mean() > 0,
}

NATIVE: dict[str, Any] = {
    **{f"{name}-raw": lambda pd, df, f=function: df["g"].rolling(3).apply(f, raw=True) for name, function in {**FUNCTIONS, **OF_ARRAYS}.items()},
    **{f"{name}": lambda pd, df, f=function: df["g"].rolling(3).apply(f) for name, function in {**FUNCTIONS, **OF_SERIES}.items()},
    **{f"{name}-few": lambda pd, df, f=function: df["g"].rolling(4, min_periods=2).apply(f) for name, function in {**FUNCTIONS, **OF_SERIES}.items()},
    **{f"{name}-whole-raw": lambda pd, df, f=function: df["k"].rolling(3, min_periods=1).apply(f, raw=True) for name, function in {**FUNCTIONS, **OF_ARRAYS}.items()},
    **{f"{name}-so-far": lambda pd, df, f=function: df["k"].expanding(2).apply(f) for name, function in {**FUNCTIONS, **OF_SERIES}.items()},
    **{f"{name}-frame": lambda pd, df, f=function: df[["k", "small"]].rolling(2).apply(f, raw=True) for name, function in FUNCTIONS.items()},
    **{f"{name}-groups": lambda pd, df, f=function: df.groupby("b")["small"].rolling(2).apply(f) for name, function in FUNCTIONS.items()},
    "ratio": lambda pd, df: (df["k"] + 1).rolling(2).apply(lambda x: x[-1] / x[0] - 1, raw=True),
    "infinite": lambda pd, df: df["f"].where(df["f"] < 1e300).rolling(2, min_periods=1).apply(lambda x: x.max()),
    "arguments": lambda pd, df: df["k"].rolling(2).apply(lambda x, by, and_then=0: x.sum() * by + and_then, args=(2,), kwargs={"and_then": 1}),
    "agg": lambda pd, df: df["k"].rolling(2).agg(lambda x: x.max() - x.min()),
    "agg-numpy": lambda pd, df: df["k"].rolling(2).agg(np.sum),
    "step": lambda pd, df: df["k"].rolling(2, step=2).apply(np.mean, raw=True),
    "centred": lambda pd, df: df["k"].rolling(3, center=True).apply(np.mean, raw=True),
}

EITHER: dict[str, Any] = {
    "missing-raw": lambda pd, df: df["g"].rolling(3, min_periods=1).apply(np.mean, raw=True),
    "missing-median": lambda pd, df: df["g"].rolling(3, min_periods=1).apply(np.median),
    "python": lambda pd, df: df["k"].rolling(2).apply(lambda x: sorted(x)[0]),
    "deviations": lambda pd, df: df["k"].rolling(2).apply(lambda x: ((x - x.mean()) ** 2).sum()),
    "wrong": lambda pd, df: df["k"].rolling(2).apply(lambda x: x.nothing()),
    "attribute-raw": lambda pd, df: df["k"].rolling(2).apply(lambda x: x.iloc[0], raw=True),
    "none": lambda pd, df: df["k"].rolling(2, min_periods=0).apply(np.sum),
    "engine": lambda pd, df: df["k"].rolling(2).apply(np.sum, engine="nothing"),
    "raw-number": lambda pd, df: df["k"].rolling(2).apply(np.sum, raw=1),
    "text": lambda pd, df: df["s"].rolling(2).apply(np.sum),
    "by-zero": lambda pd, df: (df["k"] - 1.0).rolling(2).apply(lambda x: x[-1] / x[0], raw=True),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", NATIVE)
def test_functions_over_windows(program: str, frame: str, configuration: str) -> None:
    check(NATIVE[program], FRAMES[frame](), rtol=1e-10)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", EITHER)
def test_functions_over_windows_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), native=False, rtol=1e-10)

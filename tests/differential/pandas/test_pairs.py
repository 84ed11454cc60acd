"""How columns go together: correlations, covariances and products, whatever is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from compare import check
from frames import FRAMES

NUMBERS = ("k", "small", "g", "b")


def pairs(df: Any) -> Any:
    """A frame with numbers of which some are missing, and one column that is the same everywhere."""
    return df.assign(
        h=np.resize(np.array([1.5, np.nan, -2.0, 0.25, 7.0, np.nan, 3.0]), len(df)),
        w=np.resize(np.array([3, 1, 2, 2**40, 5, 4]), len(df)).astype("int64"),
        v=np.resize(np.array([2.5, -1.0, 0.0, 4.0, 8.0]), len(df)),
        same=0.1,
    )


NATIVE: dict[str, Any] = {
    **{f"corr-{name}": lambda pd, df, n=name: df["v"].corr(df[n]) for name in ("k", "g", "h", "w", "v")},
    **{f"corr-{name}-few": lambda pd, df, n=name: df["h"].corr(df[n], min_periods=5) for name in ("k", "g")},
    "corr-nullable": lambda pd, df: df["h"].astype("Float64").corr(df["k"].astype("Int64")),
    "corr-itself": lambda pd, df: df["h"].corr(df["h"]),
    "corr-made": lambda pd, df: (df["v"] * 2 + 1).corr(df["h"] - df["v"]),
    "corr-of-mask": lambda pd, df: df[df["k"] > 1].pipe(lambda rows: rows["v"].corr(rows["h"])),
    "autocorr": lambda pd, df: df["v"].autocorr(),
    "autocorr-far": lambda pd, df: df["h"].autocorr(lag=3),
    "corr-frame": lambda pd, df: df[["k", "small", "v"]].corr(),
    "corr-frame-missing": lambda pd, df: df[["k", "h", "g", "same", "b"]].corr(),
    "corr-frame-far": lambda pd, df: (df[["k", "h", "v"]] + 1e6).corr(),
    "corr-frame-few": lambda pd, df: df[["k", "h", "g"]].corr(min_periods=8),
    "corr-frame-numbers": lambda pd, df: df[["k", "h", "s", "c", "v"]].corr(numeric_only=True),
    "corr-frame-infinite": lambda pd, df: df.assign(f=df["f"].where(df["f"] != 1e300).where(df["f"].abs() > 1e-300))[["k", "f"]].corr(),
    "corr-frame-nullable": lambda pd, df: df[["k", "h"]].astype({"k": "Int64"}).corr(),
    "corr-ranks": lambda pd, df: df[["k", "v", "w"]].corr(method="spearman"),
    "corr-ranks-missing": lambda pd, df: df[["k", "h", "g"]].corr("spearman"),
    "corrwith-series": lambda pd, df: df[["k", "h", "v"]].corrwith(df["w"]),
    "corrwith-series-few": lambda pd, df: df[["k", "h", "v"]].corrwith(df["h"], min_periods=5),
    "corrwith-numbers": lambda pd, df: df[["k", "h", "s"]].corrwith(df["v"], numeric_only=True),
}

#: Programs of frames with enough rows that differ.
ENOUGH: dict[str, Any] = {
    **{f"cov-{name}": lambda pd, df, n=name: df["v"].cov(df[n]) for name in ("k", "small", "g", "b", "h", "w", "v", "same")},
    "cov-ddof": lambda pd, df: df["v"].cov(df["h"], ddof=0),
    "cov-few": lambda pd, df: df["v"].cov(df["h"], min_periods=200),
    "cov-frame": lambda pd, df: df[["k", "small", "v"]].cov(),
    "cov-frame-ddof": lambda pd, df: df[["k", "small", "v"]].cov(ddof=0),
    "cov-frame-missing": lambda pd, df: df[["k", "h", "g", "same"]].cov(),
    "cov-frame-few": lambda pd, df: df[["k", "h", "g"]].cov(min_periods=8),
    "cov-frame-missing-ddof": lambda pd, df: df[["k", "h"]].cov(ddof=0),
    "corrwith-frame": lambda pd, df: df[["k", "h", "v"]].corrwith(df[["v", "h", "w"]] * 2 + df[["v", "h", "w"]].shift(1).fillna(0)),
    "corrwith-frame-drop": lambda pd, df: df[["k", "h", "v"]].corrwith(df[["w", "h"]], drop=True),
}

DOT: dict[str, Any] = {
    "dot": lambda pd, df: df["v"].dot(df["v"] + 1),
    "dot-missing": lambda pd, df: (df["v"] * 2).dot(df["h"]),
    "dot-whole": lambda pd, df: df["w"].dot(df["i"]),
    "dot-mixed": lambda pd, df: df["w"].dot(df["v"] - 1),
    "dot-array": lambda pd, df: (df["v"] + 1).dot(np.arange(len(df)) * 0.5),
    "dot-operator": lambda pd, df: (df["v"] + 1) @ df["k"],
    "dot-frame": lambda pd, df: df[["k", "v", "h"]].dot(pd.Series([1.5, 2.0, -1.0], index=["v", "k", "h"])),
    "dot-frame-whole": lambda pd, df: df[["k", "w"]].dot(pd.Series([3, -2], index=["k", "w"])),
    "dot-frame-array": lambda pd, df: df[["k", "v"]].dot([2.0, 0.5]),
    "dot-frames-whole": lambda pd, df: df[["k", "w"]] @ pd.DataFrame({"x": [1, 2], "y": [3, -1]}, index=["k", "w"]),
    "dot-then": lambda pd, df: (df[["k", "v"]].dot([2.0, 0.5]) > 3).sum(),
}

EITHER: dict[str, Any] = {
    "dot-frames": lambda pd, df: df[["k", "v"]] @ pd.DataFrame({"x": [1.0, 2.0], "y": [0.5, -1.0]}, index=["k", "v"]),
    "dot-frame-table": lambda pd, df: df[["k", "v"]].dot(np.array([[2.0, 0.5, 1.0], [0.0, 1.0, 3.0]])),
    "corr-other-rows": lambda pd, df: df["v"].iloc[1:].corr(df["h"].iloc[:-1]),
    "cov-other-rows": lambda pd, df: df["v"].iloc[2:].cov(df["h"].iloc[:-1]),
    **{f"corr-{name}": lambda pd, df, n=name: df["v"].corr(df[n]) for name in ("small", "b")},
    "corr-same": lambda pd, df: df["v"].corr(df["same"]),
    "corr-infinite": lambda pd, df: df["v"].corr(df["f"]),
    "corr-text": lambda pd, df: df["v"].corr(df["s"]),
    "corr-times": lambda pd, df: df["v"].corr(df["t"]),
    "corr-unknown": lambda pd, df: df["v"].corr(df["h"], method="nothing"),
    "corr-function": lambda pd, df: df["v"].corr(df["h"], method=lambda x, y: 1.0),
    "corr-frame-text": lambda pd, df: df[["k", "s"]].corr(),
    "corr-frame-nothing": lambda pd, df: df[[]].corr(),
    "cov-infinite": lambda pd, df: df[["f", "v"]].cov(),
    "cov-one": lambda pd, df: df["v"].iloc[:1].cov(df["h"].iloc[:1]),
    "corrwith-rows": lambda pd, df: df[["k", "v"]].corrwith(df[["k", "v"]] + 1, axis=1),
    "corrwith-other-rows": lambda pd, df: df[["k", "v"]].iloc[1:].corrwith(df["h"].iloc[:-1]),
    "corrwith-text": lambda pd, df: df[["k", "s"]].corrwith(df["v"]),
    "corrwith-nullable": lambda pd, df: df[["k", "v"]].astype("Float64").corrwith(df[["v", "k"]].astype("Float64")),
    "dot-in-memory": lambda pd, df: df["v"].dot(df["h"]),
    "dot-other": lambda pd, df: df["v"].dot(df["h"].iloc[1:]),
    "dot-narrow": lambda pd, df: df["small"].dot(df["small"]),
    "dot-short": lambda pd, df: df["v"].dot(np.arange(3)),
    "dot-frame-labels": lambda pd, df: df[["k", "v"]].dot(pd.Series([1, 2], index=["k", "nothing"])),
    "dot-series-frame": lambda pd, df: df["v"].dot(df[["v", "k"]]),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", [*NATIVE, *DOT])
def test_pairs(program: str, frame: str, configuration: str) -> None:
    check({**NATIVE, **DOT}[program], pairs(FRAMES[frame]()), rtol=1e-10)


@pytest.mark.parametrize("frame", ["mixed", "labelled", "dated", "several", "shuffled", "range", "long"])
@pytest.mark.parametrize("program", ENOUGH)
def test_pairs_of_enough_rows(program: str, frame: str, configuration: str) -> None:
    check(ENOUGH[program], pairs(FRAMES[frame]()), rtol=1e-10)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", [*EITHER, *ENOUGH])
def test_pairs_by_either(program: str, frame: str, configuration: str) -> None:
    check({**EITHER, **ENOUGH}[program], pairs(FRAMES[frame]()), native=False, rtol=1e-10)

"""Groups whose results stand row for row beside what was grouped."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from compare import check
from frames import FRAMES

COLUMNS = ["i", "small", "unsigned", "f", "g", "b", "s", "t", "d", "c", "k"]
KEYS = ["k", "s", "f", "t", "d", "b", "c"]

#: Nullable dtypes, and columns that can be cast to them.
NULLABLE = {"Int64": "i", "Int8": "small", "UInt16": "unsigned", "Float64": "f", "boolean": "b"}


def nullable(df: Any, dtype: str) -> Any:
    """The frame with a column of a nullable dtype, some of it missing."""
    column = df[NULLABLE[dtype]]
    return df.assign(n=(column % 200 if dtype == "UInt16" else column).astype(dtype).where(df["k"] != 3))


PROGRAMS: dict[str, Any] = {
    **{
        f"{op}-{dtype}-by-{key}": lambda pd, df, op=op, d=dtype, k=key: getattr(nullable(df, d).groupby(k)["n"], op)()
        for op in ("cumsum", "cumprod", "cummin", "cummax", "diff", "ffill", "bfill", "rank", "shift", "pct_change")
        for dtype in NULLABLE
        for key in ("b", "s")
        if not (dtype in ("Float64", "boolean") and op.startswith("cum")) and not (dtype == "boolean" and op in ("diff", "pct_change"))
    },
    **{f"diff-{name}-by-{by}": lambda pd, df, n=name, by=by: df.groupby("b")[n].diff(by) for name in ("small", "unsigned") for by in (1, -2)},
    "rank-nullable-bottom": lambda pd, df: nullable(df, "Int64").groupby("b")["n"].rank(method="min", na_option="bottom", ascending=False),
    "cumsum-nullable-frame": lambda pd, df: nullable(df, "Int8").assign(m=df["i"].astype("Int64")).groupby("b")[["n", "m", "k"]].cumsum(),
    **{f"cumsum-{name}": lambda pd, df, n=name: df.groupby("k")[n].cumsum() for name in ["small", "f", "b"]},
    **{f"cumsum-by-{key}": lambda pd, df, k=key: df.groupby(k)["k"].cumsum() for key in KEYS},
    **{f"{op}-{name}": lambda pd, df, op=op, n=name: getattr(df.groupby("k")[n], op)() for op in ("cummin", "cummax") for name in ["i", "small", "unsigned", "g", "b", "t", "d"]},
    "cumprod": lambda pd, df: df.groupby("b")["k"].cumprod(),
    "cumsum-frame": lambda pd, df: df.groupby("b")[["k", "small", "f"]].cumsum(),
    "cumsum-missing": lambda pd, df: df.groupby("b")["f"].cumsum(skipna=False),
    **{f"cumcount-by-{key}": lambda pd, df, k=key: df.groupby(k).cumcount() for key in KEYS},
    "cumcount-falling": lambda pd, df: df.groupby("s").cumcount(ascending=False),
    "cumcount-missing": lambda pd, df: df.groupby("s", dropna=False).cumcount(),
    **{f"ngroup-by-{key}": lambda pd, df, k=key: df.groupby(k).ngroup() for key in KEYS},
    "ngroup-falling": lambda pd, df: df.groupby("k").ngroup(ascending=False),
    "ngroup-unsorted": lambda pd, df: df.groupby("s", sort=False, dropna=False).ngroup(),
    "ngroup-two": lambda pd, df: df.groupby(["k", "b"]).ngroup(),
    **{f"shift-{name}": lambda pd, df, n=name: df.groupby("k")[n].shift() for name in COLUMNS},
    **{f"shift-by-{key}": lambda pd, df, k=key: df.groupby(k)["i"].shift(-1) for key in KEYS},
    "shift-filled": lambda pd, df: df.groupby("k")["i"].shift(1, fill_value=0),
    "shift-frame": lambda pd, df: df.groupby("k").shift(),
    **{f"shift-by-{by}": lambda pd, df, by=by: df.groupby("b")[["k", "s", "f"]].shift(by) for by in (2, -2, 4, 5, -5)},
    **{f"shift-{dtype}": lambda pd, df, d=dtype, n=name: df.assign(n=df[n].astype(d)).groupby("s")["n"].shift(-1) for dtype, name in (("Int64", "i"), ("Int8", "small"), ("Float64", "f"), ("boolean", "b"))},
    "growing-shifted": lambda pd, df: df.assign(t=df.groupby("b")["k"].cumsum(), u=df.groupby("b")["k"].shift(), v=df.groupby("b")["k"].transform("mean")),
    "diff": lambda pd, df: df.groupby("b")["k"].diff(),
    "diff-floats": lambda pd, df: df.groupby("s")["f"].diff(),
    "diff-frame": lambda pd, df: df.groupby("b")[["k", "f"]].diff(2),
    "growth": lambda pd, df: df.groupby("b")["k"].pct_change(),
    "growth-floats": lambda pd, df: df.groupby("k")["f"].pct_change(),
    **{f"rank-{name}": lambda pd, df, n=name: df.groupby("b")[n].rank() for name in ["i", "small", "f", "g", "k", "t", "d"]},
    **{f"rank-by-{key}": lambda pd, df, k=key: df.groupby(k)["i"].rank(method="first") for key in KEYS},
    "rank-share": lambda pd, df: df.groupby("b")["f"].rank(method="dense", pct=True, ascending=False),
    "rank-bottom": lambda pd, df: df.groupby("b")["f"].rank(method="min", na_option="bottom"),
    "rank-top": lambda pd, df: df.groupby("b")["f"].rank(method="max", na_option="top", ascending=False),
    **{f"ffill-{name}": lambda pd, df, n=name: df.groupby("b")[n].ffill() for name in COLUMNS},
    **{f"bfill-by-{key}": lambda pd, df, k=key: df.groupby(k)["f"].bfill() for key in KEYS},
    "ffill-limit": lambda pd, df: df.groupby("b")["f"].ffill(limit=1),
    **{f"head-by-{key}": lambda pd, df, k=key: df.groupby(k).head(1) for key in KEYS},
    **{f"tail-by-{key}": lambda pd, df, k=key: df.groupby(k).tail(1) for key in KEYS},
    "head-negative": lambda pd, df: df.groupby("k").head(-1),
    "tail-negative": lambda pd, df: df.groupby("k")["s"].tail(-1),
    "head-columns": lambda pd, df: df.groupby("k")[["s", "i"]].head(2),
    "head-missing": lambda pd, df: df.groupby("s", dropna=False).head(1),
    **{f"transform-{op}-{name}": lambda pd, df, op=op, n=name: df.groupby("k")[n].transform(op) for op in ("min", "max", "first", "last", "count", "nunique", "size") for name in COLUMNS if not (name == "c" and op in ("min", "max"))},
    **{f"transform-{op}": lambda pd, df, op=op: df.groupby("b")["k"].transform(op) for op in ("sum", "mean", "prod", "std", "var", "median", "any", "all", "cumsum", "rank", "shift", "ffill")},
    **{f"transform-by-{key}": lambda pd, df, k=key: df.groupby(k)["k"].transform("sum") for key in KEYS},
    **{f"nth-{n}": lambda pd, df, n=n: df.groupby("s").nth(n) for n in (0, -1, 1)},
    "nth-list": lambda pd, df: df.groupby("k").nth([0, -1]),
    "transform-narrow": lambda pd, df: df.groupby("b")["small"].transform("sum"),
    "transform-frame": lambda pd, df: df.groupby("b")[["k", "small", "f"]].transform("max"),
    "transform-share": lambda pd, df: df["k"] / df.groupby("b")["k"].transform("sum"),
    "transform-mask": lambda pd, df: df[df.groupby("k")["i"].transform("count") > 2],
    "transform-two-keys": lambda pd, df: df.groupby(["k", "b"])["i"].transform("max"),
    "transform-series": lambda pd, df: df["k"].groupby(df["b"]).transform("sum"),
}

EITHER: dict[str, Any] = {
    "nth-slice": lambda pd, df: df.groupby("k").nth[:2],
    "nth-series": lambda pd, df: df.groupby("k")["f"].nth(0, dropna="any"),
    "transform-function": lambda pd, df: df.groupby("k")["i"].transform(lambda s: s.max()),
    "transform-wrong": lambda pd, df: df.groupby("k")["i"].transform("nothing"),
    "transform-text": lambda pd, df: df.groupby("k")["s"].transform("mean"),
    "transform-quantile": lambda pd, df: df.groupby("b")["k"].transform("quantile", 0.25),
    "cumsum-text": lambda pd, df: df.groupby("k")["s"].cumsum(),
    "cumsum-several-narrow": lambda pd, df: df.assign(more=df["small"]).groupby("b")[["small", "more"]].cumsum(),
    "cumsum-whole": lambda pd, df: df.groupby("s")["small"].cumsum(),
    "cummax-truth-by-text": lambda pd, df: df.groupby("s")["b"].cummax(),
    **{f"{op}-{dtype}": lambda pd, df, op=op, d=dtype: getattr(nullable(df, d).groupby("b")["n"], op)() for op in ("cumsum", "cummax", "diff", "pct_change") for dtype in ("Float64", "boolean")},
    "cumsum-narrow": lambda pd, df: df.groupby("b")["g"].cumsum(),
    "rank-text": lambda pd, df: df.groupby("b")["s"].rank(),
    "shift-frequency": lambda pd, df: df.groupby("k")["i"].shift(1, freq="D"),
    "shift-list": lambda pd, df: df.groupby("k")["i"].shift([1, 2]),
    "cumsum-columns": lambda pd, df: df.groupby("k", as_index=False)["i"].cumcount(),
    "head-unobserved": lambda pd, df: df.groupby("c", observed=False).head(1),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_group_rows(program: str, frame: str, configuration: str) -> None:
    check(PROGRAMS[program], FRAMES[frame](), rtol=1e-12)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", EITHER)
def test_group_rows_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), native=False, rtol=1e-12)


#: Columns, most of them nullable: missing values first and last in a group, in all of one, extreme integers, NaN beside what is missing.
MASKED: dict[str, Any] = {
    "Int32": pandas.array([None, 1, -(2**31), 2**31 - 1, None, None, 4, 4], "Int32"),
    "Int64": pandas.array([2**63 - 1, None, -(2**63), 0, 1, None, 7, 7], "Int64"),
    "UInt8": pandas.array([255, 0, None, 3, None, 5, 6, 6], "UInt8"),
    "boolean": pandas.array([True, None, False, None, True, True, False, False], "boolean"),
    "Float64": pandas.array([0.0, -0.0, None, 1.5, float("inf"), None, 2.0, 2.0], "Float64"),
    "Float32": pandas.array([0.5, None, None, 1.5, 2.5, -0.0, 2.0, 2.0], "Float32"),
    "missing": pandas.array([None] * 8, "Int16"),
    "int64": pandas.array([1, 2, 3, 4, 5, 6, 7, 7], "int64[pyarrow]"),
    "float64": [0.0, -0.0, float("nan"), 1.5, float("inf"), 2.5, 2.0, 2.0],
    "text": pandas.array(["x", None, "é", "", "y", "z", "z", "z"], "str"),
}


@pytest.mark.parametrize("rows", [0, 1, 8])
@pytest.mark.parametrize("periods", [1, 2, 0, -1, 100])
@pytest.mark.parametrize("dtype", MASKED)
def test_values_of_neighbours(dtype: str, periods: int, rows: int, configuration: str) -> None:
    frame = pandas.DataFrame({"k": [3, 1, 3, 3, 1, 2, 3, 1], "e": ["a", None, "a", "b", None, "b", "a", "é"], "v": MASKED[dtype]}).iloc[:rows]
    check(lambda pd, df: df.groupby("k")["v"].shift(periods), frame)
    check(lambda pd, df: df.groupby("k")[["v"]].shift(periods), frame)
    check(lambda pd, df: df.groupby("e")["v"].shift(periods), frame)
    check(lambda pd, df: df.groupby("e", dropna=False)["v"].shift(periods), frame)
    check(lambda pd, df: df.assign(before=df.groupby("k")["v"].shift(periods)), frame)
    check(lambda pd, df: df[df["k"] > 1].groupby("k")["v"].shift(periods).sum(), frame, native=False)
    check(lambda pd, df: df.groupby("k")["v"].shift(periods, fill_value=MASKED[dtype][3]), frame, native=False)
    check(lambda pd, df: df.groupby("k")["v"].diff(periods), frame, native=False)
    check(lambda pd, df: df.groupby("k")["v"].pct_change(periods), frame, native=False)
    check(lambda pd, df: df.groupby("k")["v"].transform("shift", periods), frame, native=False)

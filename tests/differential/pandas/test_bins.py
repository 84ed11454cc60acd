"""Spans of time as groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check


def timed(order: str) -> pandas.DataFrame:
    """Times with gaps, some of them twice, in their order or not."""
    times = pandas.DatetimeIndex(
        np.array(
            ["2020-01-01T03:00", "2020-01-01T05:30", "2020-01-01T05:30", "2020-01-03T00:00", "2020-01-03T23:59:59.999999", "2020-02-10", "2020-02-29T12:00", "2020-05-01", "2021-01-01"],
            dtype="M8[us]",
        )
    )
    rows = len(times)
    frame = pandas.DataFrame(
        {
            "i": np.arange(rows),
            "small": np.array([100] * rows, dtype="int8"),
            "f": np.where(np.arange(rows) % 3 == 1, np.nan, np.arange(rows) * 0.5),
            "s": pandas.array(["b", None, "a", "c", "", "d", None, "e", "f"], dtype="str"),
            "b": np.arange(rows) % 2 == 0,
            "t": times,
        },
        index=pandas.DatetimeIndex(times, name="when"),
    )
    return {"in-order": frame, "shuffled": frame.iloc[[3, 0, 8, 2, 5, 1, 7, 4, 6]], "one": frame.iloc[:1], "none": frame.iloc[:0], "unnamed": frame.rename_axis(None)}[order]


FRAMES = ["in-order", "shuffled", "one", "unnamed"]
RULES = ["D", "2D", "6h", "90min", "W", "ME", "MS", "QE", "YE", "YS"]

PROGRAMS: dict[str, Any] = {
    **{f"sum-{rule}": lambda pd, df, r=rule: df["i"].resample(r).sum() for rule in RULES},
    **{f"{op}": lambda pd, df, op=op: getattr(df["i"].resample("2D"), op)() for op in ("mean", "min", "max", "count", "size", "first", "last", "nunique", "std", "median")},
    **{f"{op}-floats": lambda pd, df, op=op: getattr(df["f"].resample("ME"), op)() for op in ("sum", "mean", "min", "max", "count", "first", "last")},
    **{f"{op}-text": lambda pd, df, op=op: getattr(df["s"].resample("W"), op)() for op in ("min", "max", "count", "first", "last")},
    "narrow": lambda pd, df: df["small"].resample("D").sum(),
    "frame": lambda pd, df: df[["i", "f"]].resample("D").sum(),
    "on": lambda pd, df: df[["i", "f", "t"]].resample("ME", on="t").mean(),
    "chosen": lambda pd, df: df.resample("W")["i"].sum(),
    "chosen-list": lambda pd, df: df.resample("W")[["i", "f"]].max(),
    "attribute": lambda pd, df: df.resample("W").i.sum(),
    "agg": lambda pd, df: df["i"].resample("W").agg(["sum", "max", "count"]),
    "agg-dict": lambda pd, df: df.resample("W").agg({"i": "sum", "f": "mean"}),
    "of-mask": lambda pd, df: df[df["i"] != 3]["i"].resample("D").sum(),
    "then-mask": lambda pd, df: df["i"].resample("D").sum().pipe(lambda s: s[s > 0]),
    "grouper": lambda pd, df: df.groupby(pd.Grouper(freq="W"))["i"].sum(),
    "grouper-key": lambda pd, df: df.groupby(pd.Grouper(key="t", freq="ME"))["f"].mean(),
    "grouper-size": lambda pd, df: df.groupby(pd.Grouper(key="t", freq="D")).size(),
}

EITHER: dict[str, Any] = {
    **{f"closed-{closed}-{label}-{rule}": lambda pd, df, c=closed, l=label, r=rule: df["i"].resample(r, closed=c, label=l).sum() for closed in ("left", "right") for label in ("left", "right") for rule in ("D", "6h", "W", "ME")},
    "frame-all": lambda pd, df: df.resample("D").first(),
    "size-frame": lambda pd, df: df.resample("D").size(),
    "origin": lambda pd, df: df["i"].resample("7h", origin="start").sum(),
    "offset": lambda pd, df: df["i"].resample("6h", offset="1h").sum(),
    "months": lambda pd, df: df["i"].resample("2ME").sum(),
    "business": lambda pd, df: df["i"].resample("BME").sum(),
    "truth": lambda pd, df: df["b"].resample("D").max(),
    "truth-sum": lambda pd, df: df["b"].resample("D").sum(),
    "forward": lambda pd, df: df[~df.index.duplicated()].sort_index()["i"].resample("D").ffill(),
    "ohlc": lambda pd, df: df["i"].resample("D").ohlc(),
    "apply": lambda pd, df: df["i"].resample("W").apply(lambda s: s.sum()),
    "transform": lambda pd, df: df["i"].resample("W").transform("sum"),
    "wrong-rule": lambda pd, df: df["i"].resample("nonsense").sum(),
    "wrong-labels": lambda pd, df: df.reset_index(drop=True)["i"].resample("D").sum(),
    "grouper-rows": lambda pd, df: df.groupby(pd.Grouper(freq="W"))["i"].cumsum(),
    "grouper-and-key": lambda pd, df: df.groupby([pd.Grouper(freq="W"), "b"])["i"].sum(),
    "grouper-columns": lambda pd, df: df.groupby(pd.Grouper(key="t", freq="ME"), as_index=False)["f"].mean(),
    "missing": lambda pd, df: df.assign(t=df["t"].shift())[["t", "i"]].resample("D", on="t").sum(),
    "quantile": lambda pd, df: df["i"].resample("W").quantile(0.3),
    "iteration": lambda pd, df: [key for key, _ in df["i"].resample("ME")],
}


@pytest.mark.parametrize("order", FRAMES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_spans(program: str, order: str, configuration: str) -> None:
    check(PROGRAMS[program], timed(order), rtol=1e-12)


@pytest.mark.parametrize("order", [*FRAMES, "none"])
@pytest.mark.parametrize("program", [*PROGRAMS, *EITHER])
def test_spans_by_either(program: str, order: str, configuration: str) -> None:
    check({**PROGRAMS, **EITHER}[program], timed(order), native=False, rtol=1e-12)

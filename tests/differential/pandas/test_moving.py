"""Windows with steps, spans of time and rows ahead; results that fade; what is made of windows in order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from dateutil.tz import tzlocal
from frames import FRAMES
from pandas.api.indexers import BaseIndexer, FixedForwardWindowIndexer

RESULTS = ("sum", "mean", "min", "max", "std", "var", "sem", "median", "count", "first", "last")


class Back(BaseIndexer):
    """Windows of some rows before each one, without it; below zero they are too few."""

    rows: int

    def get_window_bounds(self, num_values: Any = 0, min_periods: Any = None, center: Any = None, closed: Any = None, step: Any = None) -> Any:
        positions = np.arange(num_values, dtype=np.int64)
        return (np.maximum(positions - self.rows, 0), positions) if self.rows >= 0 else (positions[1:], positions[1:])


NATIVE: dict[str, Any] = {
    **{f"step-{op}": lambda pd, df, op=op: getattr(df["small"].rolling(3, min_periods=1, step=2), op)() for op in RESULTS},
    "step-one": lambda pd, df: df["k"].rolling(2, step=1).sum(),
    "step-far": lambda pd, df: df["k"].rolling(2, step=50).sum(),
    "step-frame": lambda pd, df: df[["k", "g"]].rolling(2, step=3).mean(),
    "step-then": lambda pd, df: df["k"].rolling(2, step=3).sum() + 1,
    "step-of-mask": lambda pd, df: df[df["k"] > 1]["k"].rolling(2, step=2).max(),
    **{f"ahead-{op}": lambda pd, df, op=op: getattr(df["small"].rolling(FixedForwardWindowIndexer(window_size=3), min_periods=1), op)() for op in RESULTS},
    **{f"so-far-{op}": lambda pd, df, op=op: getattr(df["g"].expanding(), op)() for op in RESULTS},
    **{f"so-far-few-{op}": lambda pd, df, op=op: getattr(df["small"].expanding(3), op)() for op in ("std", "median", "sem", "first")},
    **{f"wide-{op}": lambda pd, df, op=op: getattr(df["small"].rolling(100, min_periods=2), op)() for op in RESULTS},
    **{f"quantile-{between}": lambda pd, df, b=between: df["small"].rolling(4, min_periods=1).quantile(0.3, interpolation=b) for between in ("linear", "lower", "higher", "midpoint")},
    "quantile-whole": lambda pd, df: df["k"].rolling(2).quantile(1),
    "quantile-so-far": lambda pd, df: df["g"].expanding(2).quantile(0.5),
    "none-std": lambda pd, df: df["g"].rolling(2, min_periods=0).std(),
    "ddof": lambda pd, df: df["k"].rolling(3).std(ddof=2),
    "sem-ddof": lambda pd, df: df["k"].rolling(3).sem(ddof=0),
    "groups-median": lambda pd, df: df.groupby("k")["small"].rolling(2, min_periods=1).median(),
    "groups-ahead": lambda pd, df: df.groupby("b")["small"].rolling(FixedForwardWindowIndexer(window_size=2), min_periods=1).sum(),
    "groups-so-far": lambda pd, df: df.groupby("b")["small"].expanding().std(),
    **{f"fading-{op}-{word}": lambda pd, df, op=op, w=word: getattr(df["g"].ewm(**{w: 0.7 if w == "alpha" else 2}), op)() for op in ("mean", "std", "var") for word in ("com", "span", "halflife", "alpha")},
    **{f"fading-{op}-{adjust}-{ignore}": lambda pd, df, op=op, a=adjust, i=ignore: getattr(df["g"].ewm(com=1.5, adjust=a, ignore_na=i), op)() for op in ("mean", "std", "var") for adjust in (True, False) for ignore in (True, False)},
    **{f"fading-sum-{ignore}": lambda pd, df, i=ignore: df["g"].ewm(com=1.5, ignore_na=i).sum() for ignore in (True, False)},
    "fading-few": lambda pd, df: df["g"].ewm(span=3, min_periods=3).mean(),
    "fading-frame": lambda pd, df: df[["k", "small"]].ewm(span=3).mean(),
    "fading-chosen": lambda pd, df: df.ewm(span=3)["k"].mean(),
    "fading-biased": lambda pd, df: df["small"].ewm(span=3).var(bias=True),
    "fading-biased-std": lambda pd, df: df["small"].ewm(span=3).std(bias=True),
    "fading-constant": lambda pd, df: (df["k"] * 0 + 0.1).ewm(com=0.5).mean(),
    "fading-of-mask": lambda pd, df: df[df["k"] > 1]["k"].ewm(com=1).mean(),
    "groups-fading": lambda pd, df: df.groupby("k")["small"].ewm(com=1).mean(),
    "groups-fading-std": lambda pd, df: df.groupby("k")[["small", "g"]].ewm(com=1).std(),
}

NATIVE |= {
    "agg-name": lambda pd, df: df["k"].rolling(2).agg("sum"),
    "agg-names": lambda pd, df: df["small"].rolling(2, min_periods=1).agg(["sum", "mean", "std"]),
    "agg-frame": lambda pd, df: df[["k", "small"]].rolling(2).agg(["min", "max"]),
    "agg-frame-name": lambda pd, df: df[["k", "small"]].rolling(2).agg("sum"),
    "agg-by-label": lambda pd, df: df[["k", "small"]].rolling(2).agg({"small": "sum", "k": "mean"}),
    "agg-by-label-several": lambda pd, df: df[["k", "small"]].rolling(2).aggregate({"small": ["sum", "max"], "k": "mean"}),
    "agg-step": lambda pd, df: df[["k", "small"]].rolling(2, step=2).agg(["sum", "max"]),
    "agg-so-far": lambda pd, df: df["small"].expanding().agg(["sum", "median"]),
    "aggregate-fading": lambda pd, df: df["small"].ewm(com=1).aggregate("mean"),
    "agg-fading": lambda pd, df: df[["k", "small"]].ewm(com=1).agg({"k": ["mean", "std"], "small": "var"}),
    "groups-agg": lambda pd, df: df.groupby("b")[["k", "small"]].rolling(2).agg(["sum", "mean"]),
    "groups-agg-series": lambda pd, df: df.groupby("b")["small"].rolling(2).agg(["sum", "mean"]),
    "groups-agg-by-label": lambda pd, df: df.groupby("b")[["k", "small"]].expanding().agg({"k": "sum"}),
    "groups-agg-fading": lambda pd, df: df.groupby("b")[["k", "small"]].ewm(com=2).agg({"k": "mean", "small": ["mean", "var"]}),
    "groups-chosen-later": lambda pd, df: df.groupby("b").rolling(2)["small"].sum(),
    "groups-some-chosen-later": lambda pd, df: df.groupby("b").rolling(2)[["small", "k"]].sum(),
    "numbers-only": lambda pd, df: df.rolling(2).sum(numeric_only=True),
    "numbers-only-series": lambda pd, df: df["k"].rolling(2).max(numeric_only=True),
    "numbers-only-fading": lambda pd, df: df.ewm(com=1).mean(numeric_only=True),
    "given": lambda pd, df: df[["k", "small"]].rolling(Back(window_size=0, rows=2), min_periods=1).sum(),
    "given-median": lambda pd, df: df["small"].rolling(Back(window_size=0, rows=3)).median(),
    "given-agg": lambda pd, df: df["small"].rolling(Back(window_size=1, rows=3)).agg(["sum", "var"]),
}

NATIVE |= {
    **{f"rank-{method}-{up}-{share}": lambda pd, df, m=method, u=up, p=share: df["g"].rolling(3, min_periods=1).rank(method=m, ascending=u, pct=p) for method in ("average", "min", "max") for up in (True, False) for share in (True, False)},
    "rank-frame": lambda pd, df: df[["k", "small"]].rolling(4).rank(),
    "rank-left": lambda pd, df: df["small"].rolling(3, closed="left", min_periods=1).rank(),
    "rank-groups": lambda pd, df: df.groupby("b")["small"].rolling(2).rank(),
    **{f"nunique-{least}": lambda pd, df, n=least: df["g"].rolling(3, min_periods=n).nunique() for least in (0, 1, 3)},
    "nunique-infinite": lambda pd, df: df["f"].rolling(3, min_periods=1).nunique(),
    "nunique-frame": lambda pd, df: df[["k", "small"]].rolling(4, closed="both").nunique(),
}

NATIVE |= {
    **{f"fading-cov-{adjust}-{ignore}-{bias}": lambda pd, df, a=adjust, i=ignore, b=bias: df["g"].ewm(com=1.5, adjust=a, ignore_na=i).cov(df["small"], bias=b) for adjust in (True, False) for ignore in (True, False) for bias in (True, False)},
    **{f"fading-corr-{adjust}-{ignore}": lambda pd, df, a=adjust, i=ignore: df["g"].ewm(com=1.5, adjust=a, ignore_na=i).corr(df["small"]) for adjust in (True, False) for ignore in (True, False)},
    "fading-cov-whole": lambda pd, df: df["k"].ewm(com=1, min_periods=2).cov(df["small"]),
    "fading-cov-infinite": lambda pd, df: df["g"].ewm(com=1).cov(df["f"]),
    "fading-cov-itself": lambda pd, df: df["g"].ewm(com=1).cov(),
    "fading-corr-itself": lambda pd, df: df["g"].ewm(com=1).corr(),
    "fading-cov-frames": lambda pd, df: df[["k", "g"]].ewm(com=1).cov(df[["k", "g"]]),
    "fading-corr-frames": lambda pd, df: df[["k", "g"]].ewm(com=1).corr(df[["k", "g"]], pairwise=False),
    "fading-cov-frame-and-series": lambda pd, df: df[["k", "g"]].ewm(com=1).cov(df["small"]),
}

NATIVE |= {
    **{f"count-{name}": lambda pd, df, name=name: df[name].rolling(3, min_periods=1).count() for name in ("s", "t", "c", "b", "f", "i")},
    "count-frame": lambda pd, df: df[["s", "k", "t"]].rolling(2).count(),
    "count-so-far": lambda pd, df: df["s"].expanding().count(),
    "count-groups": lambda pd, df: df.groupby("b")["s"].rolling(2).count(),
    **{f"nullable-{op}": lambda pd, df, op=op: getattr(df["small"].astype("Int64").where(df["k"] > 1).rolling(3, min_periods=1), op)() for op in RESULTS},
    "nullable-floats": lambda pd, df: df["g"].astype("Float64").rolling(3, min_periods=1).sum(),
    "nullable-truth": lambda pd, df: (df["k"] > 1).astype("boolean").rolling(3, min_periods=1).mean(),
    "nullable-fading": lambda pd, df: df["k"].astype("Int32").ewm(com=1).mean(),
    "nullable-frame": lambda pd, df: df[["k", "small"]].astype("Int64").expanding().max(),
}

WEIGHTS = ("boxcar", "triang", "blackman", "hamming", "bartlett", "parzen", "bohman", "blackmanharris", "nuttall", "barthann")

NATIVE |= {
    **{f"weights-{kind}-{op}-{centred}": lambda pd, df, k=kind, op=op, c=centred: getattr(df["small"].rolling(5, win_type=k, center=c, min_periods=2), op)() for kind in WEIGHTS for op in ("sum", "mean") for centred in (True, False)},
    "weights-all": lambda pd, df: df["g"].rolling(3, win_type="triang").mean(),
    "weights-none": lambda pd, df: df["g"].rolling(3, win_type="triang", min_periods=0).mean(),
    "weights-none-sum": lambda pd, df: df["g"].rolling(3, win_type="triang", min_periods=0).sum(),
    "weights-options": lambda pd, df: df["g"].rolling(4, win_type="gaussian", min_periods=1).mean(std=2),
    "weights-frame": lambda pd, df: df[["k", "small"]].rolling(4, win_type="hamming", step=2).sum(),
    "weights-chosen": lambda pd, df: df.rolling(2, win_type="boxcar")["k"].mean(),
    "weights-one": lambda pd, df: df["k"].rolling(1, win_type="boxcar").mean(),
}



def shape(windows: Any, op: str) -> Any:
    """A result of which what rounding leaves of nothing has no sign."""
    return getattr(windows, op)().round(9) + 0.0


NATIVE |= {
    f"{op}-{name}": lambda pd, df, op=op, make=make: shape(make(df), op)
    for op in ("skew", "kurt")
    for name, make in {
        "one-value": lambda df: (df["k"] * 0 + 0.1).rolling(5, min_periods=1),
        "frame": lambda df: df[["k", "g"]].rolling(4),
        "few": lambda df: df["small"].rolling(2, min_periods=0),
        "three": lambda df: df["small"].rolling(3, min_periods=0),
        "five": lambda df: df["small"].rolling(5, min_periods=0),
        "missing": lambda df: df["g"].rolling(6, min_periods=2),
        "infinite": lambda df: df["f"].where(df["f"].abs() < 1e6).rolling(6, min_periods=2),
        "wide": lambda df: df["small"].rolling(100, min_periods=2),
        "centred": lambda df: df["small"].rolling(5, min_periods=1, center=True),
        "left": lambda df: df["small"].rolling(5, min_periods=1, closed="left"),
        "both": lambda df: df["small"].rolling(5, min_periods=1, closed="both"),
        "neither": lambda df: df["small"].rolling(6, min_periods=1, closed="neither"),
        "step": lambda df: df["small"].rolling(5, min_periods=1, step=2),
        "ahead": lambda df: df["small"].rolling(FixedForwardWindowIndexer(window_size=5), min_periods=1),
        "given": lambda df: df["small"].rolling(Back(window_size=1, rows=5)),
        "so-far": lambda df: df["g"].expanding(),
        "so-far-few": lambda df: df["small"].expanding(6),
        "groups": lambda df: df.groupby("b")["small"].rolling(5, min_periods=1),
        "groups-so-far": lambda df: df.groupby("b")[["small", "g"]].expanding(),
        "nullable": lambda df: df["small"].astype("Int64").where(df["k"] > 1).rolling(5, min_periods=1),
        "of-mask": lambda df: df[df["k"] > 1]["small"].rolling(4),
    }.items()
}

NATIVE |= {
    **{f"{op}-numbers-only": lambda pd, df, op=op: getattr(df.drop(columns=["f", "i"]).rolling(4), op)(numeric_only=True).round(9) + 0.0 for op in ("skew", "kurt")},
    "agg-shapes": lambda pd, df: df[["k", "small"]].rolling(5).agg(["skew", "kurt"]).round(9) + 0.0,
}

EITHER: dict[str, Any] = {
    **{f"{op}-of-text": lambda pd, df, op=op: getattr(df["s"].rolling(3), op)() for op in ("skew", "kurt")},
    **{f"numbers-only-{op}-of-text": lambda pd, df, op=op: getattr(df["s"].rolling(2), op)(numeric_only=True) for op in ("count", "sum")},
    "fading-cov-number": lambda pd, df: df["k"].ewm(com=1).cov(1),
    "rank-ahead": lambda pd, df: df["small"].rolling(FixedForwardWindowIndexer(window_size=3), min_periods=1).rank(),
    "rank-centred": lambda pd, df: df["small"].rolling(3, center=True, min_periods=0).rank(),
    "weights-std": lambda pd, df: df["k"].rolling(3, win_type="bartlett").std(),
    "weights-wide": lambda pd, df: df["k"].rolling(50, win_type="triang", min_periods=1).sum(),
    "weights-unknown": lambda pd, df: df["k"].rolling(3, win_type="nothing").sum(),
    "weights-no-options": lambda pd, df: df["k"].rolling(3, win_type="gaussian").sum(),
    "weights-agg": lambda pd, df: df["k"].rolling(3, win_type="triang").agg(["sum", "mean"]),
    "agg-function": lambda pd, df: df["k"].rolling(2).agg(lambda window: window.sum()),
    "agg-twice": lambda pd, df: df["small"].rolling(2).agg(["sum", "sum"]),
    "agg-numpy": lambda pd, df: df["small"].rolling(2).agg(["sum", np.std]),
    "agg-unknown": lambda pd, df: df["k"].rolling(2).agg("nothing"),
    "agg-unknown-label": lambda pd, df: df[["k"]].rolling(2).agg({"nothing": "sum"}),
    "agg-none": lambda pd, df: df["k"].rolling(2).agg([]),
    "agg-renamed": lambda pd, df: df["k"].rolling(2).agg({"a": "sum"}),
    "apply": lambda pd, df: df["k"].rolling(2).apply(lambda window: window.sum()),
    "given-few": lambda pd, df: df["k"].rolling(Back(window_size=0, rows=-1)).sum(),
    "step-zero": lambda pd, df: df["k"].rolling(2, step=0).sum(),
    "step-negative": lambda pd, df: df["k"].rolling(2, step=-1).sum(),
    "weights": lambda pd, df: df["k"].rolling(2, step=1, win_type=None).sum(),
    "infinite": lambda pd, df: df["f"].ewm(com=1).mean(),
    "fading-nothing": lambda pd, df: df["k"].ewm().mean(),
    "fading-two": lambda pd, df: df["k"].ewm(com=1, span=2).mean(),
    "fading-wrong": lambda pd, df: df["k"].ewm(alpha=2).mean(),
    "fading-unadjusted-sum": lambda pd, df: df["k"].ewm(com=1, adjust=False).sum(),
    "fading-text": lambda pd, df: df["s"].ewm(com=1).mean(),
    "fading-agg": lambda pd, df: df["k"].ewm(com=1).agg(["mean", "std"]),
    "fading-attributes": lambda pd, df: (df["k"].ewm(com=1).com, df["k"].ewm(com=1).min_periods),
    "quantile-nearest": lambda pd, df: df["k"].rolling(2).quantile(0.3, interpolation="nearest"),
    "quantile-wrong": lambda pd, df: df["k"].rolling(2).quantile(2),
    "span-of-rows": lambda pd, df: df["k"].rolling("2D").sum(),
    "span-no-column": lambda pd, df: df[["k"]].rolling("2D", on="nothing").sum(),
}


def timed(name: str) -> pandas.DataFrame:
    """Rows with times as labels, and as a column, that rise, some of them duplicates."""
    rows = {"none": 0, "one": 1, "some": 40}[name]
    gaps = np.resize(np.array([0, 1, 30, 0, 3600, 86_400, 5, 60, 172_800]), rows)
    times = pandas.DatetimeIndex(np.cumsum(gaps).astype("M8[s]").astype("M8[us]"), name="when")
    values = np.resize(np.array([1.5, np.nan, -3.0, 0.0, 7.25, 2.0, -0.5]), rows)
    return pandas.DataFrame({"x": values, "i": np.arange(rows), "on": times}, index=times)


SPANS: dict[str, Any] = {
    **{f"{op}-{closed}": lambda pd, df, op=op, c=closed: shape(df["x"].rolling("3D", closed=c), op) for op in ("skew", "kurt") for closed in ("right", "left", "both", "neither")},
    **{f"{op}-around": lambda pd, df, op=op: shape(df[["x", "i"]].rolling("4D", center=True), op) for op in ("skew", "kurt")},
    **{f"{op}-groups": lambda pd, df, op=op: shape(df.assign(k=df["i"] % 2).groupby("k")["x"].rolling("6D"), op) if len(df) else 0 for op in ("skew", "kurt")},
    **{f"around-{op}-{closed}": lambda pd, df, op=op, c=closed: getattr(df["x"].rolling("2D", closed=c, center=True), op)() for op in ("sum", "count", "max") for closed in ("right", "left", "both", "neither")},
    "around-odd": lambda pd, df: df["i"].rolling("61s", center=True).sum(),
    "around-ticks": lambda pd, df: df["i"].rolling(pandas.Timedelta(3, "us"), center=True, closed="neither").sum(),
    **{f"falling-{closed}": lambda pd, df, c=closed: df[::-1]["x"].rolling("1D", closed=c).sum() for closed in ("right", "left", "both", "neither")},
    "falling-around": lambda pd, df: df[::-1][["x", "i"]].rolling("1h", center=True).max(),
    "column-itself": lambda pd, df: df.reset_index(drop=True).rolling("1D", on="on")[["on", "x"]].sum(),
    "column-beside": lambda pd, df: df.reset_index(drop=True).rolling("1D", on="on")[["i", "x"]].mean(),
    "column-as-labels": lambda pd, df: df.rolling("1D", on="on").sum(),
    "column-of-that-name": lambda pd, df: df.rename_axis("on").rolling("1D", on="on").sum(),
    "groups": lambda pd, df: df.assign(k=df["i"] % 2).groupby("k")[["x", "i"]].rolling("2D").sum() if len(df) else 0,
    "groups-around": lambda pd, df: df.assign(k=df["i"] % 2).groupby("k")["x"].rolling("2D", center=True).sum() if len(df) else 0,
    **{f"fading-{adjust}-{ignore}": lambda pd, df, a=adjust, i=ignore: df["x"].ewm(halflife="1D", times=df.index, adjust=a, ignore_na=i).mean() for adjust in (True, False) for ignore in (True, False)},
    "fading-frame": lambda pd, df: df[["x", "i"]].ewm(halflife="12h", times=df["on"]).mean(),
    "fading-planned": lambda pd, df: df[df["i"] > 1].pipe(lambda rows: rows[["x", "i"]].ewm(halflife="12h", times=rows["on"]).mean()),
    "fading-com": lambda pd, df: df["i"].ewm(com=2, halflife=pandas.Timedelta("1h"), times=df.index.to_numpy()).mean(),
    **{f"{op}-{closed}": lambda pd, df, op=op, c=closed: getattr(df["x"].rolling("2D", closed=c), op)() for op in RESULTS for closed in ("right", "left", "both", "neither")},
    "frame": lambda pd, df: df[["x", "i"]].rolling("90s").sum(),
    "few": lambda pd, df: df["x"].rolling("1h", min_periods=3).mean(),
    "column-chosen": lambda pd, df: df.rolling("1D", on="on")["x"].sum(),
    "column-list": lambda pd, df: df.rolling("1D", on="on")[["x", "i"]].sum(),
    "column-all": lambda pd, df: df.reset_index(drop=True).rolling("1D", on="on").max(),
    "timedelta": lambda pd, df: df["i"].rolling(pandas.Timedelta("2h")).max(),
    "offset": lambda pd, df: df["i"].rolling(pandas.offsets.Hour(2)).min(),
}

SPANS_EITHER: dict[str, Any] = {
    "numpy": lambda pd, df: df["i"].rolling(np.timedelta64(1, "h")).count(),
    "column-itself": lambda pd, df: df.rolling("1D", on="on")[["x", "on"]].sum(),
    "month-start": lambda pd, df: df["x"].rolling("2MS").sum(),
    "fading-local": lambda pd, df: df["x"].ewm(halflife="1D", times=df.index.tz_localize(tzlocal())).mean(),
    "fading-sum": lambda pd, df: df["x"].ewm(halflife="1D", times=df.index).sum(),
    "fading-few": lambda pd, df: df["x"].ewm(halflife="1D", times=df.index[:-1]).mean(),
    "fading-number": lambda pd, df: df["x"].ewm(halflife=2, times=df.index).mean(),
    "fading-missing": lambda pd, df: df["x"].ewm(halflife="1D", times=df.index.where(df["i"] != 3)).mean(),
    "finer-than-ticks": lambda pd, df: df["x"].rolling("1ns").sum(),
    "month": lambda pd, df: df["x"].rolling("1ME").sum(),
    "unsorted": lambda pd, df: df.sort_values("x")["i"].rolling("1D").sum(),
    "missing": lambda pd, df: df.set_axis(df.index.where(df["i"] != 3)).x.rolling("1D").sum(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", NATIVE)
def test_moving(program: str, frame: str, configuration: str) -> None:
    check(NATIVE[program], FRAMES[frame](), rtol=1e-10)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", EITHER)
def test_moving_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), native=False, rtol=1e-10)


@pytest.mark.parametrize("frame", ["none", "one", "some"])
@pytest.mark.parametrize("program", SPANS)
def test_spans_of_time(program: str, frame: str, configuration: str) -> None:
    check(SPANS[program], timed(frame), rtol=1e-10)


@pytest.mark.parametrize("frame", ["none", "one", "some"])
@pytest.mark.parametrize("program", SPANS_EITHER)
def test_spans_of_time_by_either(program: str, frame: str, configuration: str) -> None:
    check(SPANS_EITHER[program], timed(frame), native=False, rtol=1e-10)

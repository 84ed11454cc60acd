"""Running results, neighbours, ranks, and windows that move."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from compare import check, writes
from frames import FRAMES

COLUMNS = ["i", "small", "unsigned", "f", "g", "b", "s", "t", "d", "c", "k"]
FLOATS = ["f", "g"]


def days(numbers: Any) -> Any:
    """Days after the beginning of a year, and nothing for 2."""
    return pandas.Timestamp("2020-01-01") + numbers.where(numbers != 2) * pandas.Timedelta("1D")



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
    "diff-unsigned": lambda pd, df: df["unsigned"].diff(),
    "diff-narrow-unsigned": lambda pd, df: df["unsigned"].astype("uint8").diff(2),
    "diff-spans": lambda pd, df: df["d"].diff(),
    "diff-timestamps": lambda pd, df: days(df["k"]).diff(),
    "diff-timestamps-back": lambda pd, df: days(df["k"]).diff(-2).dt.days,
    "diff-timestamps-in-a-zone": lambda pd, df: days(df["k"]).dt.tz_localize("UTC").diff(),
    "diff-timestamps-frame": lambda pd, df: df[["k", "d"]].assign(t=days(df["k"])).diff(),
    "diff-timestamps-long": lambda pd, df: df["t"].diff(20),
    "diff-frame": lambda pd, df: df[["k", "f"]].diff(2),
    **{f"growth-{name}": lambda pd, df, n=name: df[n].pct_change() for name in ["small", "f", "g", "k"]},
    "growth-frame": lambda pd, df: df[["k", "f"]].pct_change(2),
    **{f"rank-{name}": lambda pd, df, n=name: df[n].rank() for name in ["i", "small", "unsigned", "f", "g", "b", "k"]},
    **{f"rank-{method}": lambda pd, df, m=method: df["f"].rank(method=m) for method in ["average", "min", "max", "dense", "first"]},
    **{f"rank-{method}-falling": lambda pd, df, m=method: df["f"].rank(method=m, ascending=False) for method in ["average", "min", "max", "dense", "first"]},
    **{f"rank-{method}-share": lambda pd, df, m=method: df["k"].rank(method=m, pct=True) for method in ["average", "min", "max", "dense", "first"]},
    **{f"rank-{position}-{up}": lambda pd, df, p=position, u=up: df["f"].rank(na_option=p, ascending=u) for position in ["keep", "top", "bottom"] for up in (True, False)},
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

MOVING: dict[str, Any] = {
    **{f"{op}-{name}": lambda pd, df, op=op, n=name: getattr(df[n].rolling(3), op)() for op in ("sum", "mean", "min", "max", "std", "var", "median", "count") for name in ["small", "g", "b", "k"]},
    "count-floats": lambda pd, df: df["f"].rolling(2).count(),
    **{f"few-{op}": lambda pd, df, op=op: getattr(df["g"].rolling(3, min_periods=1), op)() for op in ("sum", "mean", "min", "max", "std", "var", "median")},
    **{f"none-{op}": lambda pd, df, op=op: getattr(df["g"].rolling(2, min_periods=0), op)() for op in ("sum", "mean", "min", "max")},
    **{f"centred-{width}": lambda pd, df, w=width: df["k"].rolling(w, center=True).sum() for width in (1, 2, 3, 4)},
    **{f"closed-{word}": lambda pd, df, w=word: df["k"].rolling(3, closed=w, min_periods=1).sum() for word in ("right", "left", "both", "neither")},
    "frame": lambda pd, df: df[["k", "small", "g"]].rolling(2).mean(),
    "chosen": lambda pd, df: df.rolling(2)["k"].max(),
    "chosen-list": lambda pd, df: df.rolling(2)[["k", "small"]].max(),
    "wide": lambda pd, df: df["k"].rolling(200, min_periods=1).mean(),
    "of-mask": lambda pd, df: df[df["k"] > 1]["small"].rolling(2).sum(),
    "then-mask": lambda pd, df: df[df["k"].rolling(2).sum() > 3],
    "ddof": lambda pd, df: df["k"].rolling(3).var(ddof=0),
    **{f"expanding-{op}-{name}": lambda pd, df, op=op, n=name: getattr(df[n].expanding(), op)() for op in ("sum", "mean", "min", "max", "count") for name in ["small", "g", "k"]},
    "expanding-few": lambda pd, df: df["g"].expanding(3).mean(),
    "expanding-frame": lambda pd, df: df[["k", "g"]].expanding(2).sum(),
    **{f"groups-{op}": lambda pd, df, op=op: getattr(df.groupby("k")["small"].rolling(2), op)() for op in ("sum", "mean", "max", "count")},
    "groups-frame": lambda pd, df: df.groupby("k")[["small", "g"]].rolling(2).mean(),
    "groups-expanding": lambda pd, df: df.groupby("b")["small"].expanding().sum(),
}

MOVING_EITHER: dict[str, Any] = {
    # Some frames have zeros of both signs, among which pandas chooses.
    "max-floats": lambda pd, df: df["f"].rolling(2).max(),
    "std-wide": lambda pd, df: df["k"].rolling(50, min_periods=1).std(),
    "expanding-std": lambda pd, df: df["k"].expanding().std(),
    "quantile": lambda pd, df: df["k"].rolling(2).quantile(0.3),
    "skew": lambda pd, df: df["k"].rolling(4).skew(),
    "apply": lambda pd, df: df["k"].rolling(2).apply(lambda w: w.sum()),
    "agg": lambda pd, df: df["k"].rolling(2).agg(["sum", "mean"]),
    "agg-name": lambda pd, df: df["k"].rolling(2).agg("sum"),
    "text": lambda pd, df: df["s"].rolling(2).sum(),
    "frame-with-text": lambda pd, df: df[["k", "s"]].rolling(2).sum(),
    "numbers-only": lambda pd, df: df[["k", "s"]].rolling(2).sum(numeric_only=True),
    "wrong-window": lambda pd, df: df["k"].rolling(-1).sum(),
    "wrong-periods": lambda pd, df: df["k"].rolling(2, min_periods=3).sum(),
    "wrong-column": lambda pd, df: df.rolling(2)["nothing"].sum(),
    "offset": lambda pd, df: df["k"].rolling("2D").sum(),
    "count-least": lambda pd, df: df["g"].rolling(3, min_periods=2).count(),
    "window-zero": lambda pd, df: df["k"].rolling(0).sum(),
    "attribute": lambda pd, df: df[["k", "small"]].rolling(2).k.sum(),
    "iteration": lambda pd, df: [window for window in df["k"].rolling(2)],
    "ewm": lambda pd, df: df["k"].ewm(span=2).mean(),
    "ewm-span": lambda pd, df: df["g"].ewm(alpha=0.5, min_periods=2).mean(),
    "groups-text": lambda pd, df: df.groupby("s")["small"].rolling(2, min_periods=1).sum(),
    "groups-unsorted": lambda pd, df: df.groupby("k", sort=False)["small"].rolling(2).sum(),
    "groups-all": lambda pd, df: df[["k", "small"]].groupby("k").rolling(2).sum(),
    "groups-by-series": lambda pd, df: df[["small"]].groupby(df["b"]).rolling(2).sum(),
    "groups-two": lambda pd, df: df.groupby(["k", "b"])["small"].rolling(2).sum(),
    "table": lambda pd, df: df[["k"]].rolling(2, method="table").sum(),
    "step": lambda pd, df: df["k"].rolling(2, step=2).sum(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", MOVING)
def test_moving_windows(program: str, frame: str, configuration: str) -> None:
    check(MOVING[program], FRAMES[frame](), rtol=1e-10)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", MOVING_EITHER)
def test_moving_windows_by_either(program: str, frame: str, configuration: str) -> None:
    check(MOVING_EITHER[program], FRAMES[frame](), native=False, rtol=1e-10)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", EITHER)
def test_windows_by_either(program: str, frame: str, configuration: str) -> None:
    check(EITHER[program], FRAMES[frame](), native=False)


#: Numbers in memory are moved there, and not by the engine.
MOVED: dict[str, Any] = {
    **{f"shift-{n}": lambda pd, df, n=n: df[["i", "small", "unsigned", "f", "g"]].shift(n) for n in (1, -1, 3, -3, 5000, -5000)},
    **{f"diff-{n}": lambda pd, df, n=n: df[["f", "g", "i"]].diff(n) for n in (1, -2, 5000)},
    "then-filter": lambda pd, df: df.assign(before=df["k"].shift(1))[df["b"]],
    "of-a-filter": lambda pd, df: df[df["b"]]["k"].shift(1),
    "of-a-slice": lambda pd, df: df.iloc[1:]["f"].shift(-1),
    "twice": lambda pd, df: df["f"].shift(2).shift(-2),
    "compared": lambda pd, df: (df["k"] == df["k"].shift(1)).sum(),
    "then-grouped": lambda pd, df: df.groupby("k")["f"].sum() if not len(df) else df.assign(p=df["i"].shift(1)).groupby("k")["p"].count(),
    "with-others": lambda pd, df: df["k"] - df["k"].shift(1),
    "fill": lambda pd, df: df["k"].shift(2, fill_value=7),
    "missing-fill": lambda pd, df: df["f"].shift(1, fill_value=None),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("program", MOVED)
def test_moved_in_memory(program: str, frame: str, configuration: str) -> None:
    check(MOVED[program], FRAMES[frame](), native=program != "then-grouped")


def test_a_moved_column_is_written_to(configuration: str) -> None:
    @writes
    def program(pd: Any, df: Any) -> Any:
        before = df["f"].shift(1)
        later = before + 1
        before.iloc[2] = -1.0
        df.loc[df.index[0], "f"] = 99.0
        return [before, later, df["f"], before.shift(-1)]

    check(program, FRAMES["mixed"](), native=False)

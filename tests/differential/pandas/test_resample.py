"""Spans of time by labels of every kind, and what `resample` is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check

ZONES = ["UTC", "Europe/Berlin", "America/Havana"]


def labelled(kind: str) -> pandas.DataFrame:
    """Rows by labels of time: with gaps, in any order, with a zone, of timedeltas, or of periods."""
    times = pandas.to_datetime(["2020-03-27T03:00", "2020-03-27T05:30", "2020-03-28T00:00", "2020-03-29T01:30", "2020-03-29T04:00", "2020-04-02T12:00", "2020-05-01"], format="ISO8601")
    index: Any = times
    if kind in ZONES:
        index = times.tz_localize("UTC").tz_convert(kind)
    elif kind == "lengths":
        index = pandas.to_timedelta([0, 3, 5, 30, 31, 90, 170], unit="h")
    elif kind == "missing":
        index = pandas.DatetimeIndex([*times[:6], pandas.NaT])
    elif kind == "days":
        index = pandas.period_range("2020-03-27", periods=7, freq="D")
    frame = pandas.DataFrame({"i": [1, 2, 3, 4, 5, 6, 7], "f": [0.5, np.nan, 1.5, 2.5, np.nan, 3.5, 4.0], "s": pandas.array(list("abcdefg"), dtype="str")}, index=index)
    return frame.iloc[[3, 0, 5, 2, 6, 1, 4]] if kind == "shuffled" else frame.iloc[:0] if kind == "none" else frame


RULES = ["D", "2D", "6h", "W", "ME", "MS", "QE", "YE", "B", "BME", "BQE", "W-WED", "2W", "SME"]
NAMES = ["sum", "mean", "min", "max", "count", "first", "last", "nunique", "std", "var", "sem", "median", "prod", "size", "quantile", "ohlc"]
KINDS = ["plain", "shuffled", "missing", *ZONES]

PROGRAMS: dict[str, Any] = {
    **{f"sum-{rule}": lambda pd, df, r=rule: df["i"].resample(r).sum() for rule in RULES},
    **{f"first-{rule}": lambda pd, df, r=rule: df.resample(r).first() for rule in RULES},
    **{f"{name}-floats": lambda pd, df, n=name: getattr(df["f"].resample("B"), n)() for name in NAMES},
    **{f"{name}-frame": lambda pd, df, n=name: getattr(df[["i", "f"]].resample("2D"), n)() for name in NAMES},
    **{f"closed-{closed}-{label}": lambda pd, df, c=closed, l=label: df["i"].resample("BME", closed=c, label=l).sum() for closed in ("left", "right") for label in ("left", "right")},
    "agg": lambda pd, df: df["i"].resample("B").agg(["sum", "max"]),
    "aggregate": lambda pd, df: df["i"].resample("B").aggregate("sum"),
    "agg-name": lambda pd, df: df["i"].resample("B").agg("sum"),
    "agg-dict": lambda pd, df: df.resample("B").agg({"i": "sum", "f": "mean"}),
    "agg-named": lambda pd, df: df.resample("B").agg(a=("i", "sum"), b=("f", "max")),
    "apply-name": lambda pd, df: df["i"].resample("B").apply("max"),
    "origin": lambda pd, df: df["i"].resample("7h", origin="start").sum(),
    "origin-end": lambda pd, df: df["i"].resample("7h", origin="end").sum(),
    "offset": lambda pd, df: df["i"].resample("6h", offset="1h").sum(),
    "chosen": lambda pd, df: df.resample("B")["i"].sum(),
    "function": lambda pd, df: df["i"].resample("YE").apply(lambda s: s.max() - s.min()),
    "keeping": lambda pd, df: df["f"].resample("B").first(skipna=False),
}
FILLED: dict[str, Any] = {
    **{f"{name}-{rule}": lambda pd, df, n=name, r=rule: getattr(df.resample(r), n)() for name in ("ffill", "bfill", "nearest", "asfreq") for rule in ("3h", "D", "W", "B")},
    **{f"{name}-limit": lambda pd, df, n=name: getattr(df["f"].resample("6h"), n)(limit=1) for name in ("ffill", "bfill", "nearest")},
    "asfreq-value": lambda pd, df: df[["i", "f"]].resample("6h").asfreq(fill_value=9),
    "frame-asfreq": lambda pd, df: df.asfreq("6h"),
    "series-asfreq": lambda pd, df: df["i"].asfreq("D"),
    "asfreq-method": lambda pd, df: df["f"].asfreq("6h", method="ffill"),
    "asfreq-filled": lambda pd, df: df["i"].asfreq("6h", fill_value=0),
    "apply-filling": lambda pd, df: df.resample("6h").apply("ffill"),
    "to-period": lambda pd, df: df.to_period("M"),
    "series-to-period": lambda pd, df: df["i"].to_period("D"),
}
IN_ORDER: dict[str, Any] = {
    "transform": lambda pd, df: df["i"].resample("B").transform("sum"),
    "cumsum": lambda pd, df: df.groupby(pd.Grouper(freq="2D"))["i"].cumsum(),
    "grouper-beside": lambda pd, df: df.groupby([pd.Grouper(freq="2D"), df["i"] % 2])["f"].max(),
    "grouper-columns": lambda pd, df: df.groupby([pd.Grouper(freq="W"), "s"])["i"].sum(),
    "slice": lambda pd, df: df["i"][1:3],
}
LENGTHS: dict[str, Any] = {
    **{f"{name}-{rule}": lambda pd, df, n=name, r=rule: getattr(df[["i", "f"]].resample(r), n)() for name in ("sum", "mean", "first", "count", "ffill", "asfreq") for rule in ("D", "7h", "2D")},
    "offset": lambda pd, df: df["i"].resample("7h", offset="1h").sum(),
}
PERIODS: dict[str, Any] = {
    **{f"{name}-{rule}": lambda pd, df, n=name, r=rule: getattr(df[["i", "f"]].resample(r), n)() for name in ("sum", "mean", "first", "count", "size") for rule in ("M", "2D", "W", "Y", "D")},
    **{f"{name}-{rule}": lambda pd, df, n=name, r=rule: getattr(df.resample(r), n)() for name in ("ffill", "bfill", "asfreq") for rule in ("h", "D")},
    "convention": lambda pd, df: df["i"].resample("h", convention="end").ffill(),
    "to-timestamp": lambda pd, df: df.to_timestamp(),
    "to-timestamp-end": lambda pd, df: df["i"].to_timestamp(how="end"),
}
NOTHING: dict[str, Any] = {
    **{f"{name}-{rule}": lambda pd, df, n=name, r=rule: getattr(df[["i", "f"]].resample(r), n)() for name in ("sum", "mean", "first", "count", "size", "median", "max") for rule in ("D", "ME")},
    **{f"{name}-series": lambda pd, df, n=name: getattr(df["f"].resample("D"), n)() for name in NAMES},
    "ffill": lambda pd, df: df.resample("D").ffill(),
    "asfreq": lambda pd, df: df.resample("D").asfreq(),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_spans_of_labels(program: str, kind: str, configuration: str) -> None:
    check(PROGRAMS[program], labelled(kind), rtol=1e-12)


@pytest.mark.parametrize("kind", ["plain", *ZONES])
@pytest.mark.parametrize("program", [*FILLED, *IN_ORDER])
def test_rows_of_shorter_spans(program: str, kind: str, configuration: str) -> None:
    # Beside another key, spans are made of times without a zone only.
    native = not (program.startswith("grouper") or program == "cumsum") or kind == "plain"
    native = native and not program.endswith("to-period")
    check({**FILLED, **IN_ORDER}[program], labelled(kind), native=native)


@pytest.mark.parametrize("program", [*FILLED, *IN_ORDER])
def test_rows_of_shorter_spans_by_either(program: str, configuration: str) -> None:
    check({**FILLED, **IN_ORDER}[program], labelled("shuffled"), native=False)


def test_periods_of_timestamps(configuration: str) -> None:
    check(FILLED["to-period"], labelled("plain"))
    check(FILLED["series-to-period"], labelled("plain"))


@pytest.mark.parametrize("program", LENGTHS)
def test_spans_of_lengths(program: str, configuration: str) -> None:
    check(LENGTHS[program], labelled("lengths"), rtol=1e-12)


@pytest.mark.parametrize("program", PERIODS)
def test_spans_of_periods(program: str, configuration: str) -> None:
    check(PERIODS[program], labelled("days"), rtol=1e-12)


@pytest.mark.parametrize("program", NOTHING)
def test_spans_of_nothing(program: str, configuration: str) -> None:
    # A slice is not in memory as it stands.
    check(NOTHING[program], labelled("none"))


def by_level() -> pandas.DataFrame:
    frame = labelled("plain")
    return frame.set_index([pandas.Index(list("xyxyxyx"), name="one"), pandas.DatetimeIndex(frame.index, name="two")])


def test_spans_of_a_level(configuration: str) -> None:
    check(lambda pd, df: df[["i", "f"]].resample("D", level="two").sum(), by_level())
    check(lambda pd, df: df["i"].resample("B", level=1).max(), by_level())

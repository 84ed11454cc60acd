"""Spans of time within groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest
from compare import check

NAMES = ["sum", "mean", "min", "max", "count", "first", "last", "nunique", "std", "var", "median", "prod", "size", "ohlc"]
RULES = ["D", "6h", "15min", "W", "ME", "MS", "QE", "QS", "YE", "W-WED"]


def rows(kind: str) -> pandas.DataFrame:
    """Rows of groups that begin and end at other times, with gaps; in order or not."""
    count = 30
    hours = np.cumsum(np.resize(np.array([0, 5, 19, 3, 48, 24, 2, 120, 1]), count))
    times = pandas.DatetimeIndex(np.datetime64("2020-01-28T22:00", "us") + hours * np.timedelta64(1, "h"), name="when")
    frame = pandas.DataFrame(
        {
            "k": np.resize(np.array([3, 1, 3, 3, 2, 1]), count),
            "s": pandas.array(np.resize(np.array(["b", "a", "b", "ä"], object), count), dtype="str"),
            "i": np.arange(count),
            "f": np.resize(np.array([0.5, np.nan, 1.5, -2.5, np.nan, 3.5, 4.0]), count),
        },
        index=times,
    )
    if kind == "shuffled":
        return frame.iloc[np.random.default_rng(3).permutation(count)]
    if kind == "keyless":
        return frame.assign(k=frame["k"].where(frame["k"] != 2))
    return frame.iloc[: {"one": 1, "none": 0}.get(kind, count)]


PROGRAMS: dict[str, Any] = {
    **{f"{name}-frame": lambda pd, df, n=name: getattr(df.groupby("k")[["i", "f"]].resample("D"), n)() for name in NAMES},
    **{f"{name}-series": lambda pd, df, n=name: getattr(df.groupby("k")["f"].resample("D"), n)() for name in NAMES},
    **{f"rule-{rule}": lambda pd, df, r=rule: df.groupby("k")["i"].resample(r).sum() for rule in RULES},
    **{f"closed-{closed}-{label}": lambda pd, df, c=closed, l=label: df.groupby("k")["i"].resample("6h", closed=c, label=l).sum() for closed in ("left", "right") for label in ("left", "right")},
    **{f"month-{closed}-{label}": lambda pd, df, c=closed, l=label: df.groupby("k")["i"].resample("ME", closed=c, label=l).sum() for closed in ("right",) for label in ("left", "right")},
    "text": lambda pd, df: df.groupby("k")["s"].resample("D").first(),
    "all": lambda pd, df: df.drop(columns="s").groupby("k").resample("D").sum(),
    "two-keys": lambda pd, df: df.groupby(["k", "s"])[["i", "f"]].resample("D").mean(),
    "text-key": lambda pd, df: df.groupby("s")["i"].resample("D").max(),
    "series": lambda pd, df: df["i"].groupby(df["k"]).resample("D").sum(),
    "chosen": lambda pd, df: df.groupby("k").resample("D")["i"].sum(),
    "some-chosen": lambda pd, df: df.groupby("k").resample("D")[["f", "i"]].max(),
    "attribute": lambda pd, df: df.groupby("k").resample("D").f.mean(),
    "on": lambda pd, df: df.reset_index().groupby("k").resample("D", on="when")[["i"]].sum(),
    "on-chosen": lambda pd, df: df.reset_index().groupby("k").resample("D", on="when")["i"].sum(),
    "on-all": lambda pd, df: df.drop(columns="s").reset_index().groupby("k").resample("D", on="when").mean(),
    "offset": lambda pd, df: df.groupby("k")["i"].resample("6h", offset="1h").sum(),
    "epoch": lambda pd, df: df.groupby("k")["i"].resample("7h", origin="epoch").sum(),
    "moment": lambda pd, df: df.groupby("k")["i"].resample("7h", origin=pandas.Timestamp("2020-01-01")).sum(),
    "agg": lambda pd, df: df.groupby("k")["i"].resample("D").agg(["sum", "max"]),
    "agg-name": lambda pd, df: df.groupby("k")["i"].resample("D").agg("sum"),
    "agg-dict": lambda pd, df: df.groupby("k").resample("D").agg({"i": "sum", "f": "mean"}),
    "ddof": lambda pd, df: df.groupby("k")["i"].resample("W").std(ddof=0),
    "then": lambda pd, df: df.groupby("k")["i"].resample("D").sum().reset_index(),
}

EITHER: dict[str, Any] = {
    **PROGRAMS,
    **{f"month-left-{label}": lambda pd, df, l=label: df.groupby("k")["i"].resample("ME", closed="left", label=l).sum() for label in ("left", "right")},
    "of-mask": lambda pd, df: df[df["i"] > 3].groupby("k")["i"].resample("D").sum(),
    **{f"begins-{rule}": lambda pd, df, r=rule: df.groupby("k")["i"].resample(r).sum() for rule in ("7h", "2D", "3ME", "2W", "B", "BME")},
    **{f"origin-{origin}": lambda pd, df, o=origin: df.groupby("k")["i"].resample("7h", origin=o).sum() for origin in ("start", "end", "end_day")},
    **{f"filling-{name}": lambda pd, df, n=name: getattr(df.groupby("k")["i"].resample("D"), n)() for name in ("ffill", "bfill", "asfreq")},
    "wrong-rule": lambda pd, df: df.groupby("k")["i"].resample("nothing").sum(),
    "wrong-on": lambda pd, df: df.groupby("k").resample("D", on="nothing").sum(),
    "no-times": lambda pd, df: df.reset_index(drop=True).groupby("k")["i"].resample("D").sum(),
    "unsorted": lambda pd, df: df.groupby("k", sort=False)["i"].resample("D").sum(),
    "columns": lambda pd, df: df.groupby("k", as_index=False)["i"].resample("D").sum(),
    "without-keys": lambda pd, df: df.groupby("k", group_keys=False)["i"].resample("D").sum(),
    "missing-keys": lambda pd, df: df.groupby("k", dropna=False)["i"].resample("D").sum(),
    "by-level": lambda pd, df: df.set_index("k", append=True).groupby(level="k")["i"].resample("D", level="when").sum(),
    "zone": lambda pd, df: df.tz_localize("Europe/Berlin").groupby("k")["i"].resample("D").sum(),
    "no-time": lambda pd, df: df.set_axis(df.index.where(df["i"] != 3)).groupby("k")["i"].resample("D").sum(),
    "function": lambda pd, df: df.groupby("k")["i"].resample("D").apply(lambda s: s.sum()),
    "min-count": lambda pd, df: df.groupby("k")["i"].resample("D").sum(min_count=1),
    "quantile": lambda pd, df: df.groupby("k")["f"].resample("D").quantile(0.3),
    "len": lambda pd, df: len(df.groupby("k")["i"].resample("D")),
    "truth": lambda pd, df: (df["i"] > 3).groupby(df["k"]).resample("D").max(),
    "narrow": lambda pd, df: df.astype({"i": "int8"}).groupby("k")["i"].resample("D").sum(),
    "nullable": lambda pd, df: df.astype({"i": "Int64"}).groupby("k")["i"].resample("D").max(),
    "category": lambda pd, df: df.astype({"k": "category"}).groupby("k", observed=False)["i"].resample("D").sum(),
    "agg-functions": lambda pd, df: df.groupby("k")["i"].resample("D").agg([np.sum, "max"]),
    "include": lambda pd, df: df.groupby("k").resample("D", include_groups=True).sum(),
}


@pytest.mark.parametrize("kind", ["plain", "shuffled", "keyless", "one"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_spans_within_groups(program: str, kind: str, configuration: str) -> None:
    check(PROGRAMS[program], rows(kind), rtol=1e-12)


def test_spans_within_groups_of_a_mask(configuration: str) -> None:
    check(EITHER["of-mask"], rows("plain"))


@pytest.mark.parametrize("days", [[1, 5, 1, 5], [1, 3, 4, 6], [4, 6, 1, 3], [1, 3, 2, 5], [1, 2, 8, 9], [3, 3, 3, 3], [1, 1, 2, 2]])
def test_frequency_of_spans_within_groups(days: list[int], configuration: str) -> None:
    frame = pandas.DataFrame({"k": [1, 1, 2, 2], "i": range(4)}, index=pandas.DatetimeIndex([f"2020-01-{day:02}" for day in days]))
    check(lambda pd, df: df.groupby("k")["i"].resample("D").sum().index.levels[1].freq.freqstr, frame)
    check(lambda pd, df: df.groupby("k")[["i"]].resample("D").sum(), frame)


@pytest.mark.parametrize("kind", ["plain", "shuffled", "keyless", "one", "none"])
@pytest.mark.parametrize("program", EITHER)
def test_spans_within_groups_by_either(program: str, kind: str, configuration: str) -> None:
    check(EITHER[program], rows(kind), native=False, rtol=1e-12)


#: What pandas takes by labels as if they were positions: of other labels it takes other rows, or complains.
ON: dict[str, Any] = {
    "column": lambda pd, df: df.groupby("k").resample("W", on="when")["i"].sum(),
    "columns": lambda pd, df: df.groupby("k").resample("W", on="when")[["i", "f"]].sum(),
    "all": lambda pd, df: df.drop(columns="s").groupby("k").resample("W", on="when").sum(),
    "agg": lambda pd, df: df.groupby("k").resample("W", on="when").agg({"i": "max", "f": "count"}),
}
LABELS: dict[str, Any] = {
    "range": lambda df: df.reset_index(),
    "sorted": lambda df: df.reset_index().sort_values(["f", "i"], kind="stable"),
    "filtered": lambda df: df.reset_index().loc[lambda made: made["i"] > 3],
    "from 1": lambda df: df.reset_index().set_axis(pandas.RangeIndex(1, len(df) + 1)),
    "reversed": lambda df: df.reset_index()[::-1],
    "duplicates": lambda df: df.reset_index().set_axis(np.zeros(len(df), int)),
    "text": lambda df: df.reset_index().set_axis([f"r{at}" for at in range(len(df))]),
}


@pytest.mark.parametrize("kind", ["plain", "shuffled", "one"])
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("program", ON)
def test_spans_of_a_column_within_groups(program: str, labels: str, kind: str, configuration: str) -> None:
    check(ON[program], LABELS[labels](rows(kind)), native=False, rtol=1e-12)

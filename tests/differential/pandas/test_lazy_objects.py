"""What makes groups, windows and spans computes nothing, and leaves nothing to pandas, until somebody asks for results."""

from __future__ import annotations

from typing import Any

import frames
import pandas
import pytest
from compare import check

import airloom.pandas
from airloom import _report as report

#: By the name under which each is told: what makes it, of a frame and of one with timestamps as labels.
MAKERS = {
    "DataFrame.groupby": lambda df, dated: df.groupby("k"),
    "Series.groupby": lambda df, dated: df["f"].groupby(df["k"]),
    "DataFrameGroupBy.__getitem__": lambda df, dated: df.groupby("k")["f"],
    "DataFrame.rolling": lambda df, dated: df[["f", "small"]].rolling(3),
    "Series.rolling": lambda df, dated: df["f"].rolling(3, min_periods=1),
    "Rolling.__getitem__": lambda df, dated: df.rolling(3)["f"],
    "DataFrame.expanding": lambda df, dated: df[["f", "small"]].expanding(),
    "Series.expanding": lambda df, dated: df["f"].expanding(2),
    "Expanding.__getitem__": lambda df, dated: df.expanding()[["f", "small"]],
    "DataFrame.ewm": lambda df, dated: df[["f", "small"]].ewm(span=3),
    "Series.ewm": lambda df, dated: df["f"].ewm(alpha=0.5),
    "ExponentialMovingWindow.__getitem__": lambda df, dated: df.ewm(com=2)["f"],
    "DataFrameGroupBy.rolling": lambda df, dated: df.groupby("k").rolling(2),
    "SeriesGroupBy.rolling": lambda df, dated: df.groupby("k")["f"].rolling(2),
    "RollingGroupBy.__getitem__": lambda df, dated: df.groupby("k").rolling(2)["f"],
    "DataFrameGroupBy.expanding": lambda df, dated: df.groupby("k").expanding(),
    "DataFrameGroupBy.ewm": lambda df, dated: df.groupby("k").ewm(span=2),
    "DataFrameGroupBy.pipe": lambda df, dated: df.groupby("k").pipe(lambda groups: groups["f"]),
    "Rolling.pipe": lambda df, dated: df["f"].rolling(2).pipe(lambda windows: windows),
    "Expanding.pipe": lambda df, dated: df["f"].expanding().pipe(lambda windows: windows),
    "DataFrame.resample": lambda df, dated: dated.resample("2D"),
    "Series.resample": lambda df, dated: dated["f"].resample("2D"),
    "Resampler.__getitem__": lambda df, dated: dated.resample("2D")["f"],
    "Resampler.pipe": lambda df, dated: dated.resample("2D").pipe(lambda spans: spans["f"]),
}


@pytest.mark.parametrize("name", MAKERS)
def test_nothing_is_computed(name: str) -> None:
    made = MAKERS[name](airloom.pandas.DataFrame(frames.mixed()), airloom.pandas.DataFrame(frames.dated()))
    # Where spans begin is a question of the first and the last timestamp, which are looked for.
    assert {entry.where for entry in report.LOG.entries.values()} <= ({"native", "run"} if "esample" in name else {"native"})
    assert name in {entry.operation for entry in report.LOG.entries.values()}
    assert "_airloom_source" in made.__dict__, "pandas' own state was made"


@pytest.mark.parametrize("name", MAKERS)
def test_they_give_results(name: str) -> None:
    def program(pd: Any, df: Any) -> Any:
        return MAKERS[name](df, df.set_axis(pandas.date_range("2020-01-01", periods=len(df), name="day"))).mean()

    check(program, frames.mixed()[["f", "small", "k"]], rtol=1e-12)


#: Keys that are no columns, which pandas complains about, or knows better.
STRANGE = {
    "of groups": lambda pd, df: df.groupby("k")["nothing"],
    "of groups, several": lambda pd, df: df.groupby("k")[["f", "nothing"]],
    "of groups, twice": lambda pd, df: df.groupby("k")[["f"]][["small"]],
    "of groups, a tuple": lambda pd, df: df.groupby("k")["f", "small"],
    "of windows": lambda pd, df: df.rolling(2)["nothing"],
    "of windows of groups": lambda pd, df: df.groupby("k").rolling(2)["nothing"],
    "of groups, of dtype `bool`": lambda pd, df: df.rename(columns={"f": True}).groupby("k")[True].sum(),
    "of windows, of integers": lambda pd, df: df.rename(columns={"f": 7}).rolling(2)[7].sum(),
}


@pytest.mark.parametrize("name", STRANGE)
def test_keys_that_are_no_columns(name: str) -> None:
    check(STRANGE[name], frames.mixed(), native=False, rtol=1e-12)

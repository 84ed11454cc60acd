"""The accessor `dt`, arithmetic of time, and reading of timestamps and numbers, beside pandas'."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas
import pytest
from compare import check
from frames import FRAMES


def usual(unit: str = "us") -> pandas.DataFrame:
    """Timestamps of our time, at every edge of the calendar, and timedeltas."""
    days = ["2020-02-29", "2019-12-31T23:59:59", "NaT", "2020-01-01", "2021-03-31T12:30:00", "2024-06-30T01:02:03", "1969-07-20T20:17:40", "2000-10-01", "1999-12-27T00:30", "2021-01-03T01:30"]
    spans = np.array([0, 1, -1, 86_400_000_000, 3_600_000_000, "NaT", -86_400_000_001, 123_456_789_012, 59_999_999, 5], dtype="m8[us]")
    later = np.roll(np.array(days, dtype=f"M8[{unit}]"), 3)
    return pandas.DataFrame({"t": np.array(days, dtype=f"M8[{unit}]"), "u": later, "d": spans.astype(f"m8[{unit}]"), "k": np.arange(10), "f": np.arange(10) / 2})


def words() -> pandas.DataFrame:
    """Timestamps and numbers as text."""
    return pandas.DataFrame(
        {
            "day": pandas.array(["2020-01-05", None, "1999-12-31", "2020-02-29"], dtype="str"),
            "time": pandas.array(["2020-01-05 01:02:03", "2020-01-05 23:59:59", None, "1969-12-31 00:00:00"], dtype="str"),
            "fine": pandas.array(["2020-01-05T01:02:03.5", "2020-01-05T23:59:59.123456", "2020-01-05T23:59:59.000001", None], dtype="str"),
            "slashes": pandas.array(["01/31/2020", "12/25/1999", None, "02/28/2001"], dtype="str"),
            "unknown": pandas.array(["2020-01-05", "unknown", None, "2020-02-31"], dtype="str"),
            "whole": pandas.array(["1", "-5", "+12", "007"], dtype="str"),
            "number": pandas.array(["1.5", "-0", None, ".25"], dtype="str"),
            "some": pandas.array(["1", "x", "", None], dtype="str"),
            "count": [0, 1_600_000_000, -1, 5],
            "k": [1, 2, 3, 4],
        }
    )


TIMES = {"usual": usual, "ns": lambda: usual("ns"), "s": lambda: usual("s"), "ms": lambda: usual("ms"), "empty-usual": lambda: usual().iloc[:0], "known": lambda: usual().dropna()}
ALL = {**FRAMES, **TIMES}

#: On any timestamps and timedeltas at all.
NATIVE: dict[str, Any] = {
    **{
        part: (lambda name: lambda pd, df: getattr(df["t"].dt, name))(part)
        for part in "year month day hour minute second microsecond nanosecond quarter day_of_week weekday dayofweek day_of_year dayofyear days_in_month daysinmonth".split()
    },
    **{
        part: (lambda name: lambda pd, df: getattr(df["t"].dt, name))(part)
        for part in "is_month_start is_month_end is_quarter_start is_quarter_end is_year_start is_year_end is_leap_year".split()
    },
    **{part: (lambda name: lambda pd, df: getattr(df["d"].dt, name))(part) for part in "days seconds microseconds nanoseconds".split()},
    "components": lambda pd, df: df["d"].dt.components,
    "components-lazy": lambda pd, df: (df["d"] * 3).dt.components["hours"] + 1,
    "components-negative": lambda pd, df: (-df["d"]).dt.components,
    "components-filtered": lambda pd, df: df[df["k"] > 1]["d"].dt.components,
    "components-labelled": lambda pd, df: df.set_index("k")["d"].dt.components,
    "components-of-two-levels": lambda pd, df: df.set_index(["k", "t"])["d"].dt.components,
    "normalize": lambda pd, df: df["t"].dt.normalize(),
    "floor": lambda pd, df: df["t"].dt.floor("h"),
    "floor-days": lambda pd, df: df["t"].dt.floor("2D"),
    "ceil": lambda pd, df: df["t"].dt.ceil("15min"),
    "round": lambda pd, df: df["t"].dt.round("h"),
    "round-days": lambda pd, df: df["t"].dt.round("D"),
    "isocalendar": lambda pd, df: df["t"].dt.isocalendar(),
    "total-seconds": lambda pd, df: df["d"].dt.total_seconds(),
    "unit": lambda pd, df: df["t"].dt.unit,
    "tz": lambda pd, df: df["t"].dt.tz,
    "utc": lambda pd, df: df["t"].dt.tz_localize("UTC"),
    "utc-part": lambda pd, df: df["t"].dt.tz_localize("UTC").dt.hour,
    "utc-off": lambda pd, df: df["t"].dt.tz_localize("UTC").dt.tz_localize(None),
    "year-used": lambda pd, df: df[df["t"].dt.year == 2020],
    "year-not": lambda pd, df: df["t"].dt.year != 2020,
    "year-fraction": lambda pd, df: df["t"].dt.month >= 2.5,
    "year-far": lambda pd, df: df["t"].dt.year < 2**70,
    "year-between": lambda pd, df: df["t"].dt.hour.between(1, 12),
    "year-isin": lambda pd, df: df[df["t"].dt.year.isin([2020, 2021])],
    "assign": lambda pd, df: df.assign(year=df["t"].dt.year, hour=df["t"].dt.hour),
    "plus-span": lambda pd, df: df["d"] + df["d"],
    "minus-span": lambda pd, df: df["d"] - pandas.Timedelta("1h").as_unit("s"),
    "span-times": lambda pd, df: df["d"] * 2,
    "span-times-column": lambda pd, df: df["d"] * df["k"],
    "times-span": lambda pd, df: 3 * df["d"],
    "span-ratio": lambda pd, df: df["d"] / pandas.Timedelta("1h").as_unit("s"),
    "span-ratio-numpy": lambda pd, df: df["d"] / np.timedelta64(1, "D"),
    "to-datetime-same": lambda pd, df: pd.to_datetime(df["t"]),
    "to-timedelta-same": lambda pd, df: pd.to_timedelta(df["d"]),
    "to-numeric-same": lambda pd, df: pd.to_numeric(df["k"]),
}

#: On timestamps of our time.
USUAL: dict[str, Any] = {
    "difference": lambda pd, df: df["t"] - df["u"],
    "difference-days": lambda pd, df: (df["t"] - df["u"]).dt.days,
    "since": lambda pd, df: df["t"] - pandas.Timestamp("2020-01-01").as_unit("s"),
    "until": lambda pd, df: pandas.Timestamp("2020-01-01").as_unit("s") - df["t"],
    "datetime": lambda pd, df: df["t"] - np.datetime64("2020-01-01", "s"),
    "plus": lambda pd, df: df["t"] + pandas.Timedelta("1D").as_unit("s"),
    "plus-reversed": lambda pd, df: pandas.Timedelta("90min").as_unit("s") + df["t"],
    "minus": lambda pd, df: df["t"] - np.timedelta64(5, "h"),
    "plus-column": lambda pd, df: df["t"] + df["d"],
    "minus-column": lambda pd, df: df["t"] - df["d"],
    "strftime": lambda pd, df: df["t"].dt.strftime("%Y-%m-%d %H:%M:%S"),
    "strftime-names": lambda pd, df: df["t"].dt.strftime("%a %A %b %B %d %y %I %p %j %f %%"),
    "month-name": lambda pd, df: df["t"].dt.month_name(),
    "day-name": lambda pd, df: df["t"].dt.day_name(),
    "berlin": lambda pd, df: df["t"].dt.tz_localize("Europe/Berlin"),
    "berlin-hour": lambda pd, df: df["t"].dt.tz_localize("Europe/Berlin").dt.hour,
    "berlin-to-utc": lambda pd, df: df["t"].dt.tz_localize("Europe/Berlin").dt.tz_convert("UTC"),
    "berlin-difference": lambda pd, df: df["t"].dt.tz_localize("Europe/Berlin") - df["u"].dt.tz_localize("UTC"),
    "new-york": lambda pd, df: df["t"].dt.tz_localize("UTC").dt.tz_convert("America/New_York").dt.day,
    "convert-off": lambda pd, df: df["t"].dt.tz_localize("Europe/Berlin").dt.tz_convert(None),
    "zoned-plus": lambda pd, df: df["t"].dt.tz_localize("Europe/Berlin") + pandas.Timedelta("1D").as_unit("s"),
    "zoned-weekend": lambda pd, df: df["t"].dt.tz_localize("Asia/Tokyo").dt.day_of_week >= 5,
    "as-unit": lambda pd, df: df["t"].dt.as_unit("ns"),
    "floor-second": lambda pd, df: df["t"].dt.floor("30s"),
    "filter": lambda pd, df: df[(df["t"] - df["u"]) > pandas.Timedelta("1D").as_unit("s")],
}

WORDS: dict[str, Any] = {
    "day": lambda pd, df: pd.to_datetime(df["day"]),
    "utc": lambda pd, df: pd.to_datetime(df["day"], utc=True),
    "utc-format": lambda pd, df: pd.to_datetime(df["slashes"], format="%m/%d/%Y", utc=True).dt.year,
    "utc-coerce": lambda pd, df: pd.to_datetime(df["unknown"], errors="coerce", utc=True),
    "utc-seconds": lambda pd, df: pd.to_datetime(df["count"], unit="s", utc=True),
    "utc-again": lambda pd, df: pd.to_datetime(pd.to_datetime(df["day"]), utc=True),
    "utc-of-another-zone": lambda pd, df: pd.to_datetime(pd.to_datetime(df["day"]).dt.tz_localize("Asia/Tokyo"), utc=True),
    "day-format": lambda pd, df: pd.to_datetime(df["day"], format="%Y-%m-%d"),
    "time": lambda pd, df: pd.to_datetime(df["time"]),
    "fine": lambda pd, df: pd.to_datetime(df["fine"], format="%Y-%m-%dT%H:%M:%S.%f"),
    "slashes": lambda pd, df: pd.to_datetime(df["slashes"], format="%m/%d/%Y"),
    "slashes-guessed": lambda pd, df: pd.to_datetime(df["slashes"]),
    "coerce": lambda pd, df: pd.to_datetime(df["unknown"], errors="coerce"),
    "coerce-format": lambda pd, df: pd.to_datetime(df["unknown"], format="%Y-%m-%d", errors="coerce"),
    "seconds": lambda pd, df: pd.to_datetime(df["count"], unit="s"),
    "millis": lambda pd, df: pd.to_datetime(df["count"], unit="ms"),
    "nanos": lambda pd, df: pd.to_datetime(df["count"], unit="ns"),
    "then-parts": lambda pd, df: pd.to_datetime(df["day"]).dt.year,
    "assigned": lambda pd, df: df.assign(day=pd.to_datetime(df["day"]), n=pd.to_numeric(df["whole"])),
    "whole": lambda pd, df: pd.to_numeric(df["whole"]),
    "number": lambda pd, df: pd.to_numeric(df["number"]),
    "whole-float": lambda pd, df: df["whole"].astype(float),
    "whole-int": lambda pd, df: df["whole"].astype("int32"),
}

LEFT: dict[str, Any] = {
    "date": lambda pd, df: df["t"].dt.date,
    "time": lambda pd, df: df["t"].dt.time,
    "to-period": lambda pd, df: df["t"].dt.to_period("M"),
    "floor-months": lambda pd, df: df["t"].dt.floor("ME"),
    "floor-finer": lambda pd, df: df["t"].dt.floor("1ns"),
    "strftime": lambda pd, df: df["t"].dt.strftime("%d %U"),
    "localize-twice": lambda pd, df: df["t"].dt.tz_localize("UTC").dt.tz_localize("UTC"),
    "convert-naive": lambda pd, df: df["t"].dt.tz_convert("UTC"),
    "localize-nowhere": lambda pd, df: df["t"].dt.tz_localize("Nowhere/Land"),
    "wrong-part": lambda pd, df: df["t"].dt.days,
    "wrong-span": lambda pd, df: df["d"].dt.year,
    "not-time": lambda pd, df: df["k"].dt.year,
    "timetz": lambda pd, df: df["t"].dt.tz_localize("UTC").dt.timetz,
    "to-pydatetime": lambda pd, df: df["t"].dt.to_pydatetime().tolist(),
    "to-pytimedelta": lambda pd, df: df["d"].dt.to_pytimedelta().tolist(),
    "freq": lambda pd, df: df["t"].dt.freq,
    "freq-of-spans": lambda pd, df: df["d"].dt.freq,
    "of-periods": lambda pd, df: df["t"].dt.to_period("M").dt.asfreq("D").dt.to_timestamp(),
    "plus-number": lambda pd, df: df["t"] + 1,
    "plus-timestamps": lambda pd, df: df["t"] + df["t"],
    "plus-offset": lambda pd, df: df["t"] + pandas.DateOffset(months=1),
    "plus-finer": lambda pd, df: df["t"] + pandas.Timedelta(1, "ns"),
    "far": lambda pd, df: df["t"] + pandas.Timedelta(days=365 * 200_000).as_unit("s"),
    "difference": lambda pd, df: df["t"] - pandas.Timestamp("2020-01-01"),
    "difference-python": lambda pd, df: df["t"] - datetime.datetime(2020, 1, 1),
    "span-half": lambda pd, df: df["d"] / 2,
    "span-times-half": lambda pd, df: df["d"] * 1.5,
    "span-spans": lambda pd, df: df["d"] / df["d"],
    "span-floor": lambda pd, df: df["d"] // pandas.Timedelta("1h"),
    "as-unit-coarse": lambda pd, df: df["t"].dt.as_unit("s"),
    "as-unit-wrong": lambda pd, df: df["t"].dt.as_unit("m"),
    "to-datetime-floats": lambda pd, df: pd.to_datetime(df["f"], unit="s"),
    "to-datetime-frame": lambda pd, df: pd.to_datetime(df[["k"]]),
}

WORDS_LEFT: dict[str, Any] = {
    "unknown": lambda pd, df: pd.to_datetime(df["unknown"]),
    "time-day": lambda pd, df: pd.to_datetime(df["time"], format="%Y-%m-%d"),
    "fine": lambda pd, df: pd.to_datetime(df["fine"]),
    "mixed": lambda pd, df: pd.to_datetime(df["day"], format="mixed"),
    "numbers": lambda pd, df: pd.to_datetime(df["whole"], errors="coerce"),
    "utc-of-nothing": lambda pd, df: pd.to_datetime(df["unknown"], utc=True),
    "utc-no-truth": lambda pd, df: pd.to_datetime(df["day"], utc=1),
    "days": lambda pd, df: pd.to_datetime(df["k"], unit="D"),
    "some": lambda pd, df: pd.to_numeric(df["some"]),
    "some-coerce": lambda pd, df: pd.to_numeric(df["some"], errors="coerce"),
    "downcast": lambda pd, df: pd.to_numeric(df["whole"], downcast="integer"),
    "words": lambda pd, df: pd.to_numeric(df["day"], errors="coerce"),
    "timedelta": lambda pd, df: pd.to_timedelta(df["k"], unit="s"),
    "list": lambda pd, df: pd.to_datetime(["2020-01-01"]),
    "scalar": lambda pd, df: pd.to_numeric("5"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", ALL)
@pytest.mark.parametrize("program", NATIVE)
def test_dates(program: str, frame: str, configuration: str) -> None:
    check(NATIVE[program], ALL[frame]())


@pytest.mark.parametrize("frame", TIMES)
@pytest.mark.parametrize("program", USUAL)
def test_usual_dates(program: str, frame: str, configuration: str) -> None:
    check(USUAL[program], ALL[frame]())


@pytest.mark.parametrize("program", WORDS)
def test_reading(program: str, configuration: str) -> None:
    check(WORDS[program], words())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("frame", ["mixed", "empty", "all-missing", "labelled", "usual", "ns", "s"])
@pytest.mark.parametrize("program", LEFT)
def test_dates_left_to_pandas(program: str, frame: str) -> None:
    check(LEFT[program], ALL[frame](), native=False)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rows", [4, 1, 0])
@pytest.mark.parametrize("program", {**WORDS, **WORDS_LEFT})
def test_reading_left_to_pandas(program: str, rows: int) -> None:
    check({**WORDS, **WORDS_LEFT}[program], words().head(rows), native=False)


def test_deprecated_parts_warn_where_they_are_read() -> None:
    with pytest.warns(pandas.errors.Pandas4Warning, match="day_of_week") as caught:
        import airloom.pandas as pd

        pd.DataFrame(usual())["t"].dt.weekday  # noqa: B018
    assert caught[0].filename == __file__

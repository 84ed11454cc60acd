"""Corners in which pandas is particular: what it warns of, complains about, or does in its own way."""

from __future__ import annotations

import datetime
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compare import check


def told(make: Any) -> Any:
    """What a program makes, and what it warns of, of which line's file."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        made = make()
    return made, [(one.category.__name__, str(one.message), one.filename) for one in found]


DATED = pd.Series(np.arange(10.0), index=pd.date_range("2000", periods=10))
ODD = np.arange(10) % 2 == 1

PROGRAMS: dict[str, tuple[Any, Any]] = {
    "frequency-of-every-second": (lambda pd, s: s[ODD].index.freq, DATED),
    "frequency-of-a-piece": (lambda pd, s: s[s > 4].index.freq, DATED),
    "frequency-of-a-piece-of-a-piece": (lambda pd, s: s[s > 4][s[s > 4] < 8].index.freq, DATED),
    "frequency-of-some-of-a-piece": (lambda pd, s: s[s > 3][ODD[4:]].index.freq, DATED),
    "frequency-of-steps": (lambda pd, s: s[1::2][s[1::2] > 4].index.freq, DATED),
    "frequency-dropped": (lambda pd, s: s.where(ODD).dropna().index.freq, DATED),
    "date-property-is-not-set": (lambda pd, s: setattr(s.dt, "hour", 5), DATED.index.to_series()),
    "weekday": (lambda pd, s: told(lambda: s.dt.weekday.tolist()), DATED.index.to_series()),
    "dayofyear": (lambda pd, s: told(lambda: s.dt.dayofyear.tolist()), DATED.index.to_series()),
    "sum-too-long": (lambda pd, s: s.sum(), pd.Series([pd.Timedelta.max] * 2)),
    "sum-that-would-be-missing": (lambda pd, s: s.sum(), pd.Series([pd.Timedelta.min, pd.Timedelta(-1, "ns")])),
    "sum-of-times": (lambda pd, s: s.sum(), pd.Series([pd.Timedelta(5, "h"), pd.NaT, pd.Timedelta(-1, "ns")])),
    "running-sum-too-long": (lambda pd, s: s.cumsum(), pd.Series([pd.Timedelta(2**62, "ns")] * 3)),
    "running-sum-of-times": (lambda pd, s: s.cumsum(), pd.Series([pd.Timedelta(5, "h"), pd.NaT, pd.Timedelta(-1, "ns")])),
    "whole-float-among-narrow-numbers": (lambda pd, s: s.where(s != 1, 2.0**33 + 1), pd.Series([1, 2, 3], dtype="int32")),
    "fraction-among-narrow-numbers": (lambda pd, s: s.where(s != 1, 2.0**33 + 1.5), pd.Series([1, 2, 3], dtype="int32")),
    "greatest-whole-float": (lambda pd, s: s.convert_dtypes(), pd.Series([2.0**63])),
    "least-whole-float": (lambda pd, s: s.convert_dtypes(), pd.Series([-(2.0**63)])),
    "nan-is-not-na": (lambda pd, s: s.isin([1, np.nan]), pd.Series([0, 1, pd.NA], dtype="Int64")),
    "na-is": (lambda pd, s: s.isin([1, pd.NA]), pd.Series([0, 1, pd.NA], dtype="Int64")),
    "query-told-not-in-place": (lambda pd, df: told(lambda: df.query("a > 1", inplace=False)["a"].tolist()), pd.DataFrame({"a": [1, 2, 3]})),
    "eval-told-not-in-place": (lambda pd, df: told(lambda: df.eval("b = a + 1", inplace=False)["b"].tolist()), pd.DataFrame({"a": [1, 2, 3]})),
    "column-that-is-a-number": (lambda pd, df: df.query("inf > 6"), pd.DataFrame({"inf": [1, 7], "a": [1, 2]})),
}
#: Those that are the engine's.
NATIVE = {name for name in PROGRAMS if name.startswith(("frequency", "sum-of", "running-sum-of", "fraction", "na-is", "query", "eval", "weekday", "dayofyear"))}


@pytest.mark.parametrize("name", PROGRAMS)
def test_corners(name: str, configuration: str) -> None:
    program, data = PROGRAMS[name]
    check(program, data, native=name in NATIVE)


def test_dates_beside_timestamps(configuration: str) -> None:
    dates = pd.Series(np.arange(3.0), index=[datetime.date(2000, 1, day) for day in (3, 4, 5)])
    timestamps = DATED.set_axis(pd.DatetimeIndex(DATED.index, freq=None))
    check(lambda pd, s, t: told(lambda: (s + t).tolist()), timestamps, dates, native=False)

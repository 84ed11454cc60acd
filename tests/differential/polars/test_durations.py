"""Durations, differences of times, quantiles of them, and times made of text and turned to text, over all the awkward frames."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from compare import same, same_or_left
from frames import FRAMES

c = pl.col

NEIGHBOURS: dict[str, pl.Expr] = {
    **{f"difference of {name}": c(name).diff() for name in ("d", "t", "e", "u", "n", "j")},
    "difference of times of day": c.t.dt.time().diff(),
    "difference by two": c.t.diff(2),
    "difference back": c.d.diff(-1),
    "difference in groups": c.t.diff().over("k"),
    "difference in a zone": c.t.dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Warsaw").diff(),
    "longer than": (c.t.diff() > pl.duration(hours=6)).fill_null(True).cum_sum().over("k"),
    "seconds between": c.t.diff().dt.total_seconds(),
    "shifted, with a time": c.t.shift(1, fill_value=datetime(2000, 1, 1)),
    "shifted, with a duration": c.e.shift(-1, fill_value=timedelta(1)),
    "least of three times": c.t.rolling_min(3, min_samples=1),
    "greatest of three days": c.d.rolling_max(3, min_samples=2),
    "greatest of three durations": c.e.rolling_max(3, min_samples=1, center=True),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", NEIGHBOURS)
def test_neighbours(name: str, frame: str) -> None:
    same(FRAMES[frame].lazy().select("k", result=NEIGHBOURS[name]))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("interpolation", ["nearest", "lower", "higher"])
def test_quantiles_of_times(frame: str, interpolation: Any) -> None:
    lazy = FRAMES[frame].lazy()
    made = {f"{name}{share}": c(name).quantile(share, interpolation) for name in "te" for share in (0.0, 0.3, 0.5, 1.0)}
    same(lazy.select(**made))
    same(lazy.group_by("k", maintain_order=True).agg(**made))


MADE: dict[str, pl.Expr] = {
    "duration by an integer": c.e * c.j,
    "integer by a duration": 2 * c.e,
    "part of a duration": c.e / 7,
    "part of a duration, by a column": c.e / c.j,
    "length of a duration": c.e.abs(),
    "day as text": c.d.cast(pl.String),
    "time as text": c.t.cast(pl.String),
    "time as text, thousandths": c.t.cast(pl.Datetime("ms")).cast(pl.String),
    "made of parts": pl.datetime(2020, 2, c.k, c.k, 5, 6, 7),
    "made of columns": pl.datetime(c.u.clip(1, 9999), 1, 1, c.j.abs(), c.k),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", MADE)
def test_durations_and_what_is_made_of_parts(name: str, frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same_or_left(lazy.select(result=MADE[name]))
    same(lazy.filter(c.d.is_not_null() & (c.d > date(1000, 1, 1))).select(result=MADE[name]))

"""Periods are sorted and ranked by the engine, by their numbers."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from compare import check

MONTHS = ["2020-03", None, "2019-01", "2020-03", "1969-12", None, "2021-07", "0001-01"]
PROGRAMS: dict[str, Any] = {
    "sort": lambda pd, f: f.sort_values("p"),
    "sort-first": lambda pd, f: f.sort_values(["k", "p"], ascending=[True, False], na_position="first"),
    "sort-filtered": lambda pd, f: f[f.v > 1].sort_values("p", kind="stable"),
    "sort-series": lambda pd, f: f.p.sort_values(ascending=False),
    "rank": lambda pd, f: f.p.rank(),
    "rank-frame": lambda pd, f: f[["p", "v"]].rank(method="min", ascending=False),
    "rank-groups": lambda pd, f: f.groupby("k").p.rank(),
    "rank-groups-frame": lambda pd, f: f.groupby("k").rank(method="dense", na_option="bottom", pct=True),
    "rank-filtered": lambda pd, f: f[f.v > 1].groupby("k").p.rank(method="first", ascending=False, na_option="top"),
}


@pytest.mark.parametrize("rows", [8, 1, 0])
@pytest.mark.parametrize("name", PROGRAMS)
def test_periods_are_ordered_as_in_pandas(name: str, rows: int) -> None:
    plain = pandas.DataFrame({"p": pandas.PeriodIndex(MONTHS, freq="M"), "k": [1, 2, 1, 2, 1, 1, 2, 1], "v": range(8)}).iloc[:rows]
    check(PROGRAMS[name], plain)

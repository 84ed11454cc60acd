"""Rows along a column that is in order: as-of joins, spans of time, windows around each row."""

from __future__ import annotations

import random
from datetime import datetime
from typing import Any

import airloom.polars
import polars as pl
import pytest
from airloom.testing import assert_translation_refused
from compare import LENIENT, assert_same, same
from frames import FRAMES

c = pl.col

#: What a number of the column `t` is a unit of, and spans along it.
UNITS: dict[str, Any] = {"int": None, "unsigned": pl.UInt32, "half hours": 1_800_000_000, "minutes": 60_000_000, "days": 86_400_000_000, "dates": pl.Date}
SPANS = {"int": ["2i", "5i", "7i"], "unsigned": ["3i"], "dates": ["1d", "3d", "1w", "2w"]}
OFFSETS = {"int": ["0i", "-3i", "1i"], "unsigned": ["0i", "-3i"], "dates": ["0d", "-2d", "1d"]}
AGGREGATES = [c.i.sum(), c.i.max().alias("m"), pl.len(), c.s.first(), c.i.count().alias("n"), c.s.n_unique().alias("u"), c.b.any().alias("y"), c.i.mean().alias("a"), (c.i.min() + 1).alias("p")]


def frame(draw: random.Random, unit: str, name: str = "i") -> pl.LazyFrame:
    """Rows in the order of `t`, some of them at the same time."""
    height = draw.choice([0, 1, 3, 8, 20])
    first = 0 if unit == "unsigned" else -30
    columns = {
        "t": sorted(draw.randrange(first, 60) for _ in range(height)),
        "k": [draw.choice([1, 2, None]) for _ in range(height)],
        "s": [draw.choice(["a", "b", "ł"]) for _ in range(height)],
        name: [draw.choice([None, draw.randrange(-9, 9)]) for _ in range(height)],
        "b": [draw.choice([True, False, None]) for _ in range(height)],
    }
    made = pl.DataFrame(columns, schema={"t": pl.Int64, "k": pl.Int64, "s": pl.String, name: pl.Int64, "b": pl.Boolean})
    times = UNITS[unit]
    if isinstance(times, int):
        made = made.with_columns(t=(c.t * times).cast(pl.Datetime("us")))
    elif times is pl.Date:
        made = made.with_columns(t=c.t.cast(pl.Int32).cast(pl.Date))
    elif times is not None:
        made = made.with_columns(t=c.t.cast(times))
    return made.lazy()


def keys(draw: random.Random) -> Any:
    return draw.choice([None, "k", ["k", "s"]])


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.filterwarnings("ignore:Sortedness")
def test_as_of_joins(unit: str) -> None:
    for seed in range(40):
        draw = random.Random(seed)
        tolerance = None if unit == "dates" else draw.choice([None, 2 if unit in SPANS else "2h"])
        query = frame(draw, unit).join_asof(
            frame(draw, unit, "j"),
            on="t",
            by=keys(draw),
            strategy=draw.choice(["backward", "forward", "nearest", "nearest"]),
            tolerance=tolerance,
            allow_exact_matches=draw.choice([True, False]),
            coalesce=draw.choice([True, False]),
        )
        same(query)


@pytest.mark.filterwarnings("ignore:Sortedness")
def test_as_of_joins_of_floats() -> None:
    for seed in range(60):
        draw = random.Random(seed)
        left, right = (sorted(draw.choice([0.5, 1.0, -0.0, 0.0, 2.25, 7.5, -3.0]) for _ in range(draw.randrange(6))) for _ in range(2))
        query = pl.LazyFrame({"t": left}, schema={"t": pl.Float64}).with_row_index("a").join_asof(
            pl.LazyFrame({"t": right}, schema={"t": pl.Float64}).with_row_index("b"),
            on="t",
            strategy=draw.choice(["backward", "forward", "nearest"]),
            tolerance=draw.choice([None, 1.5]),
            allow_exact_matches=draw.choice([True, False]),
        )
        same(query)


@pytest.mark.parametrize("unit", UNITS)
def test_windows_around_each_row(unit: str) -> None:
    for seed in range(40):
        draw = random.Random(seed)
        by = keys(draw)
        period = draw.choice(SPANS.get(unit, ["1h", "30m", "2d", "1w", "90m", "5h"]))
        offset = draw.choice([None, *OFFSETS.get(unit, ["0h", "-1h", "1d"])])
        chosen = [one for one in draw.sample(AGGREGATES, 3) if by is None or one.meta.output_name() not in by]
        same(frame(draw, unit).rolling("t", period=period, offset=offset, closed=draw.choice(["left", "right", "both", "none"]), group_by=by).agg(chosen), close=True)


@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit != "unsigned"])
def test_spans_that_follow_one_another(unit: str) -> None:
    for seed in range(40):
        draw = random.Random(seed)
        by = keys(draw)
        every = draw.choice(SPANS.get(unit, ["1h", "30m", "2d", "1w", "90m", "5h"]) + ([] if unit == "int" else ["1mo", "3mo", "1y", "1q"]))
        chosen = [one for one in draw.sample(AGGREGATES, 3) if by is None or one.meta.output_name() not in by]
        query = frame(draw, unit).group_by_dynamic(
            "t",
            every=every,
            closed=draw.choice(["left", "left", "right"]),
            label=draw.choice(["left", "right", "datapoint"]),
            include_boundaries=draw.choice([True, False]),
            group_by=by,
        )
        same(query.agg(chosen), close=True)


@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit != "unsigned"])
def test_spans_with_offsets_and_overlaps(unit: str) -> None:
    for seed in range(80):
        draw = random.Random(seed)
        by = keys(draw)
        spans = SPANS.get(unit, ["1h", "30m", "2d", "1w", "90m", "5h"])
        chosen = [one for one in draw.sample(AGGREGATES, 3) if by is None or one.meta.output_name() not in by]
        query = frame(draw, unit).group_by_dynamic(
            "t",
            every=draw.choice(spans),
            period=draw.choice([None, *spans]),
            offset=draw.choice([None, *OFFSETS.get(unit, ["0h", "-1h", "1d"])]),
            closed=draw.choice(["left", "right", "both", "none"]),
            label=draw.choice(["left", "right", "datapoint"]),
            start_by=draw.choice(["window", "window", "datapoint"]),
            include_boundaries=draw.choice([True, False]),
            group_by=by,
        )
        lazy = query.agg(chosen)
        if airloom.polars.translate(lazy).function is None:
            # Some of these are more spans for each row than are written out.
            assert_translation_refused(lazy, "spans for each row")
            continue
        same(lazy, close=True)


def test_spans_of_timestamps_in_utc() -> None:
    lazy = pl.LazyFrame({"t": [datetime(2020, 1, 1, hour) for hour in (0, 1, 1, 5, 23)], "i": [1, 2, 3, None, 5]}).with_columns(c.t.dt.replace_time_zone("UTC"))
    same(lazy.group_by_dynamic("t", every="2h").agg(c.i.sum()))
    same(lazy.group_by_dynamic("t", every="2h", period="5h", include_boundaries=True).agg(c.i.sum()))
    same(lazy.group_by_dynamic("t", every="1d", label="right", include_boundaries=True).agg(c.i.max()))
    same(lazy.group_by_dynamic("t", every="1w").agg(c.i.max()))
    same(lazy.rolling("t", period="3h").agg(c.i.sum()))
    same(lazy.select(c.i.rolling_sum_by("t", "2h")))


def test_rows_out_of_order_are_polars_affair() -> None:
    lazy = pl.LazyFrame({"t": [datetime(2020, 1, 2), datetime(2020, 1, 1)], "i": [1, 2]})
    same(lazy.join_asof(lazy, on="t"))
    unknown = pl.LazyFrame({"t": [None, 1, 3], "i": [1, 2, 3]})
    joined = unknown.join_asof(unknown.select("t", j="i"), on="t")
    same(lazy.rolling("t", period="1d").agg(c.i.sum()))
    for query in (joined, lazy.group_by_dynamic("t", every="1d").agg(c.i.sum())):
        assert_same(query.collect(engine=LENIENT), query.collect())


EXACT: dict[str, pl.Expr] = {
    "sum of three": c.i.rolling_sum(3),
    "sum of narrow integers": c.n.rolling_sum(2),
    "sum of unsigned integers": c.u.rolling_sum(2, min_samples=1),
    "least of two": c.j.rolling_min(2, min_samples=1),
    "greatest of three around": c.i.rolling_max(3, min_samples=2, center=True),
    "greatest of four around": c.j.rolling_max(4, min_samples=1, center=True),
}
CLOSE: dict[str, pl.Expr] = {
    "mean of integers": c.j.rolling_mean(3, min_samples=1),
    "mean of floats": c.x.rolling_mean(2, min_samples=1),
    "mean of narrow floats": c.w.rolling_mean(2),
    "sum of floats": c.x.rolling_sum(2, min_samples=1),
    "sum of floats around": c.y.rolling_sum(3, min_samples=1, center=True),
    "variance": c.y.rolling_var(3, min_samples=1),
    "standard deviation": c.j.rolling_std(3, min_samples=2),
    "variance without correction": c.j.rolling_var(4, ddof=0, min_samples=1),
    "quantile": c.y.rolling_quantile(0.3, window_size=3, min_samples=1),
    "median": c.j.rolling_median(3),
    "median of floats": c.x.rolling_median(3, min_samples=1),
    "least of floats": c.x.rolling_min(2, min_samples=1),
    "greatest of narrow floats": c.w.rolling_max(2, min_samples=2),
    "fading mean": c.y.ewm_mean(alpha=0.3),
    "fading mean, not adjusted": c.y.ewm_mean(alpha=0.3, adjust=False, ignore_nulls=True),
    "fading mean, nulls ignored": c.y.ewm_mean(span=4, ignore_nulls=True),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", [*EXACT, *CLOSE])
def test_windows_of_rows(name: str, frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    one = EXACT.get(name, CLOSE.get(name))
    assert one is not None
    same(lazy.select("k", result=one), close=name in CLOSE)
    same(lazy.select("k", result=one.over("k")), close=name in CLOSE)


BY_SPANS: dict[str, pl.Expr] = {
    "sum": c.i.rolling_sum_by("at", window_size="3i"),
    "least": c.x.rolling_min_by("at", window_size="2i"),
    "greatest of two or more": c.y.rolling_max_by("at", window_size="3i", min_samples=2),
    "sum without both ends": c.j.rolling_sum_by("at", window_size="3i", closed="none"),
    "greatest in windows": c.x.max().rolling("at", period="3i"),
    "length of windows": pl.len().rolling("at", period="2i"),
    "first in windows": c.s.first().rolling("at", period="2i"),
    "first of a sum in windows": (c.i + c.j).first().rolling("at", period="3i", closed="none"),
    "last of a condition in windows": pl.when(c.b).then(c.s).otherwise(c.r).last().rolling("at", period="3i"),
    "quantile in windows": c.x.quantile(0.4).rolling("at", period="4i"),
    "difference of windows": c.i.max().rolling("at", period="4i") - c.i.min().rolling("at", period="2i"),
    "filtered in windows": c.i.filter(c.b).max().rolling("at", period="4i"),
    "number of filtered in windows": c.i.filter(c.b).len().rolling("at", period="4i"),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", BY_SPANS)
def test_windows_along_a_column(name: str, frame: str) -> None:
    lazy = FRAMES[frame].lazy().with_row_index("at").with_columns(c.at.cast(pl.Int64)).collect().lazy()
    same(lazy.select("k", result=BY_SPANS[name]))
    same(lazy.select("k", result=BY_SPANS[name].over("k")))


SORTED: dict[str, pl.Expr] = {
    "in order": c.x.sort(),
    "in order downward": c.s.sort(descending=True, nulls_last=True),
    "in the order of another": c.s.sort_by("t"),
    "in the order of two others": c.i.sort_by("k", "at", descending=[True, False]),
    "positions in order": c.i.arg_sort(),
    "positions in order downward": c.x.arg_sort(descending=True, nulls_last=True),
    "first position of a number": c.i.index_of(7),
    "first position of NaN": c.x.index_of(float("nan")),
    "first position of null": c.s.index_of(None),
    "numbers of rows": pl.int_range(pl.len()),
    "unsigned numbers of rows": pl.int_range(pl.len(), dtype=pl.UInt32),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", SORTED)
def test_columns_in_order(name: str, frame: str) -> None:
    lazy = FRAMES[frame].lazy().with_row_index("at").with_columns(t=c.t + pl.duration(microseconds=c.at)).collect().lazy()
    if name == "in the order of another":
        # Rows of which the key is null are in no order that is promised.
        lazy = lazy.filter(c.t.is_not_null())
    same(lazy.select("k", result=SORTED[name]))
    same(lazy.select("k", result=SORTED[name].over("k")))


TAKEN: dict[str, pl.Expr] = {
    "the only one of some": c.i.filter(c.at == c.at.max()).item(),
    "the only one, or none": c.s.filter(c.at == 3).item(allow_empty=True),
    "one of several": c.i.item(),
    "joined texts": c.s.str.join("-"),
    "joined texts with nulls": c.s.str.join("", ignore_nulls=False),
    "joined texts of some": c.s.filter(c.b).str.join("+"),
    "greatest in another's order": c.i.sort_by("at", descending=True).max(),
    "last in another's order": c.s.sort_by("at", descending=True).last(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", TAKEN)
def test_values_taken_from_groups(name: str, frame: str) -> None:
    lazy = FRAMES[frame].lazy().with_row_index("at")
    if name != "last in another's order":
        same(lazy.select(result=TAKEN[name]))
        same(lazy.group_by("k", maintain_order=True).agg(result=TAKEN[name]))


def test_columns_of_values_become_names() -> None:
    lazy = FRAMES["plain"].lazy().unique(["k", "r"], keep="first", maintain_order=True)
    same(lazy.pivot(on="r", on_columns=["a", "b", "ł"], index="k", values="i"), ordered=False)

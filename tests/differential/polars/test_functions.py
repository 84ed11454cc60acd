"""Functions of one row beyond arithmetic: patterns in text, units and zones of time, functions of numbers, values across columns."""

from __future__ import annotations

from datetime import date, time

import polars as pl
import pytest
from compare import LENIENT, assert_same, same
from frames import FRAMES

c = pl.col

FUNCTIONS: dict[str, pl.Expr] = {
    "replace a pattern": c.s.str.replace("a|b", "x"),
    "replace groups": c.s.str.replace_all(r"(a)(b)", "${2}-$1"),
    "replace by the match": c.s.str.replace_all("a.", "$0$0"),
    "extract": c.s.str.extract("(a)(b)?", 2),
    "extract the match": c.s.str.extract("a.", 0),
    "extract all": c.s.str.extract_all("[ab]"),
    "count a pattern": c.s.str.count_matches("[abł]"),
    "split": c.s.str.split("a"),
    "find": c.s.str.find("b", literal=True),
    "find after wide characters": c.s.str.find("ć", literal=True),
    "fill with zeros": c.s.str.zfill(4),
    "fill a number with zeros": c.i.cast(pl.String).str.zfill(6),
    "end of text": c.s.str.slice(-2),
    "part before the end": c.s.str.slice(-3, 2),
    "part from before the beginning": c.s.str.slice(-9, 7),
    "contains any": c.s.str.contains_any(["b", "ł", "."]),
    "concatenate what is there": pl.concat_str("s", "r", separator="-", ignore_nulls=True),
    "text to integer": c.i.cast(pl.String).cast(pl.Int64),
    "text to narrow integer": c.i.cast(pl.String).cast(pl.Int8, strict=False),
    "text that is no number": c.s.cast(pl.Int64, strict=False),
    "text to float": (c.n.cast(pl.String) + ".25").cast(pl.Float64),
    "text to date": c.d.dt.to_string("%Y-%m-%d").str.to_date("%Y-%m-%d"),
    "text to timestamp": c.t.dt.to_string("%Y/%m/%d %H:%M:%S").str.to_datetime("%Y/%m/%d %H:%M:%S", time_unit="us"),
    "text to timestamp, day first": c.t.dt.to_string("%d.%m.%Y %H:%M").str.to_datetime("%d.%m.%Y %H:%M", time_unit="ms"),
    "text to timestamp, digits alone": c.t.dt.to_string("%Y%m%d%H%M%S").str.to_datetime("%Y%m%d%H%M%S", time_unit="us"),
    "text to timestamp, thousandths": (c.t.dt.to_string("%Y-%m-%dT%H:%M:%S") + ".125").str.to_datetime("%FT%T%.3f", time_unit="us"),
    "text to timestamp, millionths": (c.t.dt.to_string("%Y-%m-%d %H:%M:%S") + ".000017").str.to_datetime("%F %T%.f", time_unit="us"),
    "text to timestamp, a day": c.d.dt.to_string("%d/%m/%Y").str.to_datetime("%d/%m/%Y", time_unit="us"),
    "text to time": c.t.dt.to_string("%H:%M:%S").str.to_time("%H:%M:%S"),
    "text to time, minutes": c.t.dt.to_string("%H.%M").str.to_time("%H.%M"),
    "text that is no time": c.s.str.to_time("%H:%M", strict=False),
    "an hour that is not there": pl.concat_str(c.j.abs().cast(pl.String), pl.lit("7:61")).str.to_time("%H:%M", strict=False),
    "text that is no date": c.s.str.to_date("%d/%m/%Y", strict=False),
    "a day that is not there": pl.concat_str(c.j.abs().cast(pl.String), pl.lit("0/02/2021")).str.to_date("%d/%m/%Y", strict=False),
    "format of a timestamp": c.t.dt.to_string("%Y-%m-%d %H:%M:%S"),
    "format of a date": c.d.dt.strftime("%d %b %Y, %A %j"),
    "days in month": c.d.dt.days_in_month(),
    "leap year": c.d.dt.is_leap_year(),
    "century": c.t.dt.century(),
    "millennium": c.d.dt.millennium(),
    "end of month": c.d.dt.month_end(),
    "total milliseconds": c.e.dt.total_milliseconds(),
    "total microseconds": c.e.dt.total_microseconds(),
    "total nanoseconds": c.e.dt.total_nanoseconds(),
    "truncate to three months": c.d.dt.truncate("3mo"),
    "truncate to two years": c.t.dt.truncate("2y"),
    "truncate to five days": c.t.dt.truncate("5d"),
    "truncate to two weeks": c.d.dt.truncate("2w"),
    "truncate to seven hours": c.t.dt.truncate("7h"),
    "truncate to two quarters": c.t.dt.truncate("2q"),
    "timestamp to milliseconds": c.t.dt.cast_time_unit("ms"),
    "timestamp to nanoseconds": c.t.dt.cast_time_unit("ns"),
    "duration to milliseconds": c.e.dt.cast_time_unit("ms"),
    "duration to nanoseconds": c.e.dt.cast_time_unit("ns"),
    "timestamp as milliseconds": c.t.dt.timestamp("ms"),
    "timestamp as seconds": c.t.dt.epoch("s"),
    "timestamp as nanoseconds": c.t.dt.timestamp("ns"),
    "date as microseconds": c.d.dt.timestamp("us"),
    "reading in a zone": c.t.dt.convert_time_zone("Europe/Paris"),
    "reading in UTC": c.t.dt.convert_time_zone("UTC"),
    "taken as UTC": c.t.dt.replace_time_zone("UTC"),
    "taken as a zone's": c.t.dt.replace_time_zone("Europe/Paris", ambiguous="earliest", non_existent="null"),
    "from zone to zone": c.t.dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Kathmandu"),
    "wall clock": c.t.dt.convert_time_zone("America/New_York").dt.replace_time_zone(None),
    "date and time of day": c.d.dt.combine(time(1, 2, 3, 4)),
    "timestamp and its time of day": c.t.dt.combine(c.t.dt.time()),
    "duration of parts": pl.duration(days=c.j, hours=1, minutes=c.n),
    "date of parts": pl.date(2020, c.k, c.n.clip(1, 28)),
    "timestamp of parts": pl.datetime(c.j + 2000, 1, 31),
    "exponential": c.x.exp(),
    "logarithm": c.x.log(),
    "logarithm to base 2": c.x.log(2),
    "logarithm of integers": c.i.log(10),
    "logarithm of one more": c.x.log1p(),
    "cube root": c.x.cbrt(),
    "sine": c.x.sin(),
    "cosine": c.x.cos(),
    "tangent": c.x.tan(),
    "arc sine": c.y.arcsin(),
    "arc cosine": c.y.arccos(),
    "arc tangent": c.x.arctan(),
    "hyperbolic sine": c.x.sinh(),
    "hyperbolic cosine": c.x.cosh(),
    "hyperbolic tangent": c.x.tanh(),
    "inverse hyperbolic tangent": c.y.arctanh(),
    "degrees": c.x.degrees(),
    "radians": c.x.radians(),
    "truncate": c.x.truncate(),
    "root of integers": c.i.sqrt(),
    "root of narrow floats": c.w.sqrt(),
    "cube": c.x**3,
    "fourth power": c.x**4,
    "tenth power": c.x**10,
    "power of a half": c.x**0.5,
    "power below zero": c.x**-2,
    "power with a fraction": c.x**1.5,
    "power of zero": c.x**0,
    "round to two digits": c.x.round(2),
    "round to a digit away from zero": c.x.round(1, mode="half_away_from_zero"),
    "round integers": c.i.round(1),
    "floor of integers": c.i.floor(),
    "clip floats": c.x.clip(-1, 1),
    "clip floats below": c.x.clip(lower_bound=0.0),
    "clip dates": c.d.clip(date(1970, 1, 1), date(2021, 1, 1)),
    "close to": c.x.is_close(c.y, abs_tol=0.5),
    "close to, NaN equal": c.x.is_close(c.y, rel_tol=0.5, nans_equal=True),
    "bits set": c.i.bitwise_count_ones(),
    "bits not set": c.n.bitwise_count_zeros(),
    "sum across floats": pl.sum_horizontal("x", "y"),
    "sum across with nulls": pl.sum_horizontal("i", "j", ignore_nulls=False),
    "least across floats": pl.min_horizontal("x", "y", "w"),
    "greatest across floats": pl.max_horizontal("x", "y"),
    "greatest across texts": pl.max_horizontal("s", "r"),
    "physical date": c.d.to_physical(),
    "nothing": pl.lit(None),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_one_row(name: str, frame: str) -> None:
    same(FRAMES[frame].lazy().select("k", result=FUNCTIONS[name]))


@pytest.mark.parametrize("frame", FRAMES)
def test_sums_across_columns_are_close(frame: str) -> None:
    lazy = FRAMES[frame].lazy()
    same(lazy.select(a=pl.mean_horizontal("x", "y", "j"), b=pl.sum_horizontal("x", "y", "j", "x", "y")), close=True)


def test_text_that_readers_may_take_differently_is_read_by_polars() -> None:
    texts = ["+5", " 5", "1e3", "0x10", "5 ", "٣", "inf", "NaN", "1_000", "9223372036854775808", "", None, "007", "-0", ".5", "5.", "-"]
    lazy = pl.LazyFrame({"s": texts})
    for text in texts:
        one = lazy.filter(c.s.eq_missing(text))
        for dtype in (pl.Int64, pl.Int8, pl.Float64):
            query = one.select(result=c.s.cast(dtype, strict=False))
            assert_same(query.collect(engine=LENIENT), query.collect())
    assert_same(lazy.select(c.s.cast(pl.Float64, strict=False)).collect(engine=LENIENT), lazy.select(c.s.cast(pl.Float64, strict=False)).collect())


def test_days_that_are_not_there() -> None:
    lazy = pl.LazyFrame({"month": [2, None, 13], "day": [30, 1, 1]})
    for query in (lazy.select(pl.date(2021, c.month, c.day)), lazy.select(pl.datetime(2021, c.month, c.day)), lazy.filter(c.month.is_null()).select(pl.date(2021, c.month, c.day))):
        same(query)

"""Frames that are hard to get right: empty, one row, all null, NaN, zeros of both signs, the ends of integers, duplicate keys, text beyond ASCII, several chunks."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import polars as pl

NAN, INF = float("nan"), float("inf")

SCHEMA: dict[str, pl.DataType] = {
    "k": pl.Int64(),
    "i": pl.Int64(),
    "j": pl.Int64(),
    "n": pl.Int8(),
    "u": pl.UInt32(),
    "x": pl.Float64(),
    "y": pl.Float64(),
    "w": pl.Float32(),
    "s": pl.String(),
    "r": pl.String(),
    "b": pl.Boolean(),
    "c": pl.Boolean(),
    "d": pl.Date(),
    "t": pl.Datetime("us"),
    "e": pl.Duration("us"),
    "m": pl.Decimal(10, 2),
}

#: What columns are filled with: awkward values of their dtypes, null among them.
VALUES: dict[str, list[Any]] = {
    "k": [1, 2, 2, 1, None, 3, None, 1],
    "i": [5, -3, None, 2**62, -(2**63), 0, 7, 2**63 - 1],
    "j": [2, 0, -2, None, -1, 3, 7, 2],
    "n": [100, -128, 127, None, 0, -1, 100, 1],
    "u": [0, 2**32 - 1, None, 1, 7, 7, 2, 3],
    "x": [1.5, NAN, -0.0, None, INF, -INF, 0.0, -2.25],
    "y": [2.0, 0.5, NAN, -1.0, None, 0.0, -0.0, 3.0],
    "w": [1.5, None, NAN, -0.0, 0.1, 3.0, -7.5, 0.1],
    "s": ["ab", "", None, "żółć", "ab", "a.b", "Straße", "aab"],
    "r": ["a", "b", "", None, "ł", "a", "ß", "ab"],
    "b": [True, None, False, True, True, False, None, False],
    "c": [None, True, False, None, True, True, False, False],
    "d": [date(2020, 2, 29), date(1969, 12, 31), None, date(1, 1, 1), date(2024, 12, 30), date(1970, 1, 1), date(2020, 2, 29), date(2021, 1, 3)],
    "t": [datetime(2020, 2, 29, 23, 59, 59, 999999), datetime(1969, 12, 31, 12, 30), None, datetime(1900, 1, 1), datetime(2024, 12, 30, 1), datetime(1970, 1, 1)] + [datetime(2021, 1, 3, 4, 5, 6)] * 2,
    "e": [timedelta(1), timedelta(microseconds=-1), None, timedelta(0), timedelta(days=-3, hours=2), timedelta(seconds=5), timedelta(1), timedelta(microseconds=1500)],
    "m": [Decimal("1.25"), Decimal("-0.05"), None, Decimal("0.00"), Decimal("99999999.99"), Decimal("2.50"), Decimal("1.25"), Decimal("7.10")],
}


def plain() -> pl.DataFrame:
    """Eight rows with something awkward in each column."""
    return pl.DataFrame(VALUES, schema=SCHEMA)


def many(seed: int = 7, height: int = 500) -> pl.DataFrame:
    """More rows than a batch of some configurations, drawn from awkward values; few of them NaN or infinite, so that sums mean something."""
    draw = random.Random(seed)
    columns = {name: [draw.choice(values) for _ in range(height)] for name, values in VALUES.items()}
    columns["i"] = [draw.choice([None, draw.randrange(-1000, 1000)]) for _ in range(height)]
    columns["x"] = [None if draw.random() < 0.1 else draw.uniform(-100, 100) for _ in range(height)]
    columns["y"] = [draw.uniform(-1, 1) for _ in range(height)]
    return pl.DataFrame(columns, schema=SCHEMA)


def chunked() -> pl.DataFrame:
    """Rows in several chunks, one of them empty."""
    whole = plain()
    return pl.concat([whole.head(3), whole.head(0), whole.slice(3, 1), whole.tail(4)], rechunk=False)


FRAMES: dict[str, pl.DataFrame] = {
    "empty": plain().head(0),
    "one": plain().head(1),
    "nulls": pl.DataFrame({name: [None] * 3 for name in SCHEMA}, schema=SCHEMA),
    "plain": plain(),
    "chunked": chunked(),
    "many": many(),
}

"""What several queries have in common: the tables by name, joins to the calendar, sums along a hierarchy, and the first rows in an order that leaves no ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
from polars import LazyFrame

c = pl.col


class Tables:
    """The tables as attributes."""

    def __init__(self, frames: Mapping[str, LazyFrame]) -> None:
        self._frames = frames

    def __getattr__(self, name: str) -> LazyFrame:
        return self._frames[name]

    def sold(self, prefix: str, days: pl.Expr, *columns: str) -> LazyFrame:
        """Sales of a channel, by the prefix of its columns, on chosen days; with these columns of the day besides."""
        name = {"ss": "store_sales", "cs": "catalog_sales", "ws": "web_sales"}[prefix]
        return dated(self._frames[name], f"{prefix}_sold_date_sk", self.date_dim.filter(days).select("d_date_sk", *columns))


def dated(frame: LazyFrame, key: str, days: LazyFrame) -> LazyFrame:
    """Rows that have one of these days."""
    return frame.join(days, left_on=key, right_on="d_date_sk")


def number(name: str | pl.Expr) -> pl.Expr:
    """A decimal or an integer as a float, for means and ratios. What ranks and bounds look at is summed up before: sums of decimals are the same in every order."""
    return (c(name) if isinstance(name, str) else name).cast(pl.Float64)


def first_rows(frame: LazyFrame, *by: str, descending: Sequence[str] = (), count: int = 100) -> LazyFrame:
    """The first rows by some columns, and then by all others, so that no two rows are tied unless they are equal."""
    names = [*by, *(name for name in frame.collect_schema() if name not in by)]
    return frame.sort(names, descending=[name in descending for name in names], nulls_last=True).head(count)


def rollup(frame: LazyFrame, keys: Sequence[str], **aggregates: pl.Expr) -> LazyFrame:
    """Aggregates by all keys, by all but the last, and so on, down to one row for everything; `level` tells how many keys are left out."""
    schema = frame.collect_schema()
    levels = []
    for left_out in range(len(keys) + 1):
        kept, gone = keys[: len(keys) - left_out], keys[len(keys) - left_out :]
        made = frame.group_by(kept).agg(**aggregates) if kept else frame.select(**aggregates)
        nothing = {name: pl.lit(None, dtype=schema[name]) for name in gone}
        levels.append(made.with_columns(**nothing, level=pl.lit(left_out, dtype=pl.Int64)).select(*keys, "level", *aggregates))
    return pl.concat(levels)

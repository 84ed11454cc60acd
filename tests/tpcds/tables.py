"""The 24 tables of TPC-DS, small and awkward: foreign keys that are null or lead nowhere, duplicates, names beyond ASCII, groups of one row, days without sales.

The columns are those that the queries read, under the names of the specification; the values are drawn here, the same in every run.
"""

from __future__ import annotations

import random
from functools import lru_cache

import polars as pl
from tpcds.dimensions import dimensions
from tpcds.sales import facts


@lru_cache(maxsize=1)
def tables() -> dict[str, pl.DataFrame]:
    """All tables by name."""
    draw = random.Random(20)
    made = dimensions(draw)
    return {**made, **facts(draw, {name: frame.to_series(0).to_list() for name, frame in made.items()})}

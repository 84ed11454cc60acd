"""Columns of frames that were read before are not looked at again, unless something else may have changed them."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

from airloom.polars import Engine
from airloom.polars.remembering import COLUMNS, ColumnMemory, addresses
from airloom.polars.physical import frame_to_table

ROWS = 5000
STRICT = Engine(raise_on_fail=True)


@pytest.fixture(autouse=True)
def _nothing_is_known() -> None:
    COLUMNS.clear()


def test_text_and_decimals_are_kept() -> None:
    frame = pl.DataFrame({"s": [f"text {at}" for at in range(ROWS)], "m": pl.Series([Decimal(at) for at in range(ROWS)], dtype=pl.Decimal(10, 2)), "i": range(ROWS)})
    frame_to_table(frame)
    assert len(COLUMNS) == 2
    frame_to_table(frame.lazy().collect().select("m", "s"))
    assert len(COLUMNS) == 2
    # A part of the memory is another column.
    frame_to_table(frame.head(ROWS - 1))
    assert len(COLUMNS) == 4


def test_numbers_that_change_in_numpy_are_seen() -> None:
    array = np.arange(ROWS)
    lazy = pl.DataFrame({"i": pl.Series(array)}).lazy()
    query = lazy.group_by(pl.col("i") % 2).agg(n=pl.len(), top=pl.col("i").max()).sort("i")
    assert query.collect(engine=STRICT).equals(query.collect())
    array[:] = -array
    assert query.collect(engine=STRICT).equals(query.collect())
    assert len(COLUMNS) == 0


def test_columns_that_polars_changes_are_others() -> None:
    series = pl.Series("s", [f"text {at}" for at in range(ROWS)])
    before = addresses(series)
    frame_to_table(series.to_frame())
    series[0] = "changed"
    assert addresses(series) != before
    query = series.to_frame().lazy().sort("s").head(2)
    assert query.collect(engine=STRICT).equals(query.collect())


def test_nulls_are_part_of_a_column() -> None:
    series = pl.Series("s", [f"text {at}" for at in range(ROWS)])
    frame_to_table(series.to_frame())
    fewer = series.to_frame().select(pl.when(pl.int_range(pl.len()) % 2 == 0).then(pl.col("s")))
    query = fewer.lazy().select(pl.col("s").count(), n=pl.col("s").null_count())
    assert query.collect(engine=STRICT).equals(query.collect())


def test_what_was_used_long_ago_goes_first() -> None:
    memory = ColumnMemory(limit=200_000)
    columns = [pl.Series([f"{number} {at}" for at in range(ROWS)]) for number in range(5)]
    made = []
    for series in columns:
        memory.column(series, lambda given: made.append(given.name) or frame_to_table(given.to_frame("x")))  # type: ignore[arg-type, func-returns-value, return-value]
        assert memory.size <= 200_000
    assert 0 < len(memory) < 5
    count = len(made)
    memory.column(columns[-1], lambda given: made.append(given.name))  # type: ignore[arg-type, return-value, func-returns-value]
    assert len(made) == count


def test_numbers_are_kept_where_nobody_could_have_lent_them() -> None:
    program = f"""
import sys
import polars as pl
from airloom.polars import Engine
from airloom.polars.remembering import COLUMNS
lazy = pl.DataFrame({{"i": range({ROWS})}}).lazy()
lazy.sort("i").collect(engine=Engine(raise_on_fail=True))
assert "numpy" not in sys.modules and "pyarrow" not in sys.modules
assert len(COLUMNS) == 1
"""
    subprocess.run([sys.executable, "-c", program], check=True)

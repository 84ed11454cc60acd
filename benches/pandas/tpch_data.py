"""TPC-H's tables as pandas users have them: floats for decimals, timestamps for dates, in Parquet files that every system reads alike."""

import os
import shutil
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

sys.path.append(str(Path(__file__).resolve().parents[1] / "tpch"))

import programs  # noqa: E402

TABLES = programs.TABLES
# So that a reader with several threads has something to share out.
ROW_GROUP = 1 << 20


def folder(scale: str) -> Path:
    """The folder with the eight converted tables at a scale, one file each; made where it is missing."""
    source = programs.data(scale)
    made = source.with_name(f"{source.name}-float")
    if all((made / f"{table}.parquet").exists() for table in TABLES):
        return made
    # Beside its place first: what is interrupted leaves nothing that looks whole.
    beside = made.with_name(f"{made.name}.{os.getpid()}")
    beside.mkdir(parents=True)
    for table in TABLES:
        pyarrow.parquet.write_table(converted(pyarrow.parquet.read_table(source / f"{table}.parquet")), beside / f"{table}.parquet", row_group_size=ROW_GROUP)
    shutil.rmtree(made, ignore_errors=True)
    beside.rename(made)
    return made


def converted(table: pa.Table) -> pa.Table:
    """A table with the types of pandas, and without what only its writer knows: field numbers, and that nothing is missing."""
    return table.cast(pa.schema([pa.field(field.name, _type(field.type)) for field in table.schema]))


def _type(type_: pa.DataType) -> pa.DataType:
    if pa.types.is_decimal(type_):
        return pa.float64()
    if pa.types.is_date(type_):
        return pa.timestamp("us")
    return pa.string() if pa.types.is_string_view(type_) else type_

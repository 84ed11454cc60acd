"""Answers of different systems, made comparable: what an answer says as a table of Arrow's, and where two differ."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

# How far two floats may be apart, of their own size.
RELATIVE = 1e-9


def frame_to_arrow(frame: Any) -> pa.Table:
    """A frame or series of pandas as a table. Labels without a name are left out: they say where a row was, and not what it is."""
    if frame.ndim == 1:
        frame = frame.to_frame("value" if frame.name is None else frame.name)
    frame = frame.reset_index() if any(name is not None for name in frame.index.names) else frame
    frame = frame.rename(columns=str)
    return pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)


def difference(expected: Path, found: Path, keys: list[str]) -> str | None:
    """Where an answer in a file differs from the one expected, in words; `None` where it does not.

    The order of rows counts, unless columns are named by which to tell rows apart.
    """
    names, own = (pyarrow.parquet.read_schema(path).names for path in (expected, found))
    if names != own:
        return f"columns {own}, expected {names}"
    rows, count = (pyarrow.parquet.read_metadata(path).num_rows for path in (expected, found))
    if rows != count:
        return f"{count} rows, expected {rows}"
    orders = [_order(path, keys) for path in (expected, found)]
    # A column at a time: whole answers of two systems may not fit beside the tables.
    for name in names:
        a, b = (_column(path, name, order) for path, order in zip((expected, found), orders))
        told = _different(a, b)
        if told is not None:
            at = int(told.argmax())
            return f"row {at}, `{name}`: {b[at]}, expected {a[at]}, and so in {int(told.sum())} of {rows} rows"
    return None


def _order(path: Path, keys: list[str]) -> pa.Array | None:
    if not keys:
        return None
    table = pyarrow.parquet.read_table(path, columns=keys)
    return pc.sort_indices(pa.table({key: _plain(table[key]) for key in keys}), [(key, "ascending") for key in keys])


def _column(path: Path, name: str, order: pa.Array | None) -> pa.Array:
    column = _plain(pyarrow.parquet.read_table(path, columns=[name])[name])
    return column if order is None else column.take(order)


def _plain(column: pa.ChunkedArray) -> pa.Array:
    """A column in the one type that stands for its kind: systems have several for a text, a time or a number."""
    type_ = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_integer(type_) or pa.types.is_boolean(type_):
        wanted = pa.int64()
    elif pa.types.is_temporal(type_):
        wanted = pa.timestamp("us")
    elif pa.types.is_floating(type_) or pa.types.is_decimal(type_) or pa.types.is_null(type_):
        wanted = pa.float64()
    else:
        wanted = pa.large_string()
    made = column.cast(type_).cast(wanted).combine_chunks()
    return pa.concat_arrays(made.chunks) if isinstance(made, pa.ChunkedArray) else made


def _different(a: pa.Array, b: pa.Array) -> np.ndarray | None:
    """At which rows two columns differ; `None` where at none. A missing number and one that is no number are the same."""
    if a.type == b.type and a.equals(b):
        return None
    if pa.types.is_floating(a.type) or pa.types.is_floating(b.type):
        x, y = (side.cast(pa.float64()).to_numpy(zero_copy_only=False) for side in (a, b))
        told = ~np.isclose(x, y, rtol=RELATIVE, atol=0.0, equal_nan=True)
    elif a.type != b.type:
        told = np.ones(len(a), dtype=bool)
    else:
        same = pc.or_kleene(pc.and_(pc.is_null(a), pc.is_null(b)), pc.fill_null(pc.equal(a, b), False))
        told = ~same.to_numpy(zero_copy_only=False)
    return told if told.any() else None

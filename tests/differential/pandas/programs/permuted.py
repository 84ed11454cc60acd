"""Whether two variables have the same rows in another order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from programs.differences import TOLERANCE, of_values
from programs.seen import Seen

#: What a row is made of.
ROWS = ("index values", "values")
#: How many digits of a float are those that the order of additions leaves alone.
DIGITS = 8


def is_permutation(found: Seen, expected: Seen) -> bool:
    """Whether all but the order of the rows is the same; the last bits of floats may differ."""
    rest = {*found, *expected} - {*ROWS, "index range", "index frequency"}
    if any(name not in found or name not in expected or of_values(found[name], expected[name], TOLERANCE) not in (None, "last bits") for name in rest):
        return False
    mine, theirs = _rows(found), _rows(expected)
    return mine is not None and theirs is not None and Counter(mine) == Counter(theirs)


def is_regrouped(found: Seen, expected: Seen) -> bool:
    """Whether numbers that belong to float labels come to the same where labels that are equal but for their last bits are one."""
    mine, theirs = _totals(found), _totals(expected)
    return mine is not None and mine == theirs


def _totals(seen: Seen) -> dict[str, float] | None:
    labels, values = seen.get("index values"), seen.get("values")
    if not (isinstance(labels, np.ndarray) and labels.dtype.kind == "f" and isinstance(values, np.ndarray) and values.dtype.kind in "iu"):
        return None
    found: dict[str, float] = {}
    for label, value in zip(_items(labels), values.tolist(), strict=True):
        found[label] = found.get(label, 0) + value
    return found


def same_columns(found: Seen, expected: Seen) -> bool:
    """Whether the values are the same, row by row, but for their labels."""
    return "values" in found and of_values(found["values"], expected["values"], TOLERANCE) in (None, "last bits")


def differing_columns(found: Seen, expected: Seen) -> list[Any]:
    """The values of the columns that differ, as pandas has them."""
    mine, theirs = _columns(found), _columns(expected)
    return [other for one, other in zip(mine, theirs, strict=False) if of_values(one, other, TOLERANCE) is not None]


def is_masked(column: Any) -> bool:
    """Whether a column has a mask beside its values, as nullable dtypes have."""
    return isinstance(column, list) and len(column) == 2 and all(isinstance(part, np.ndarray) for part in column) and column[1].dtype == np.bool_


def _rows(seen: Seen) -> list[tuple[Any, ...]] | None:
    length = seen["shape"][0] if seen.get("shape") else None
    if length is None:
        return None
    columns = [*_labels(seen, length), *_columns(seen)]
    items = [list(_items(column)) for column in columns]
    return list(zip(*items, strict=True)) if all(len(one) == length for one in items) else None


def _labels(seen: Seen, length: int) -> list[Any]:
    """The labels of rows, level by level."""
    held = seen.get("index values")
    if isinstance(held, tuple):
        first, _, step = held
        return [np.arange(length) * (step or 1) + (first or 0)]
    return list(held) if seen.get("index class") == "MultiIndex" else [held] if held is not None else []


def _columns(seen: Seen) -> list[Any]:
    held = seen.get("values")
    return list(held) if seen.get("class") == "DataFrame" else [held]


def _items(column: Any) -> Iterator[Any]:
    """The values of a column, one by one, floats without their last bits."""
    if isinstance(column, np.ndarray):
        yield from (_rounded(item) if isinstance(item, float) else item for item in column.tolist())
    elif isinstance(column, (pa.Array, pa.ChunkedArray)):
        yield from map(repr, column.to_pylist())
    elif isinstance(column, list) and column and isinstance(column[0], np.ndarray):
        # Values and a mask, or both ends of intervals.
        yield from zip(*map(_items, column), strict=True)
    else:
        yield from map(_token, column)


def _token(item: Any) -> Any:
    if isinstance(item, tuple) and len(item) == 2 and item[0] in ("float", "float64", "float32") and item[1] != "nan":
        return (item[0], _rounded(float.fromhex(item[1])))
    return repr(item)


def _rounded(value: float) -> str:
    return "nan" if value != value else f"{value + 0.0:.{DIGITS}e}"

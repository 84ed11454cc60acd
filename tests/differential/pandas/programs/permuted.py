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


def is_permutation(found: Seen, expected: Seen, *, labelled: bool = True) -> bool:
    """Whether all but the order of the rows is the same; the last bits of floats may differ. Rows that are not `labelled` are numbered anew."""
    rest = {*found, *expected} - {*ROWS, "index range", "index frequency"}
    if any(name not in found or name not in expected or of_values(found[name], expected[name], TOLERANCE) not in (None, "last bits") for name in rest):
        return False
    mine, theirs = (_rows(seen if labelled else {**seen, "index values": None, "index class": None}) for seen in (found, expected))
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


def same_groups(found: Seen, expected: Seen) -> bool:
    """Whether counts and groups are the same, row by row, where values are counted within groups: all but the last level of the labels; in a frame all columns but that before the counts."""
    if found.get("class") == "DataFrame":
        mine, theirs = _columns(found), _columns(expected)
        kept = [at for at in range(len(theirs)) if at != len(theirs) - 2]
    else:
        mine, theirs = ([*_labels(seen, seen["shape"][0])] for seen in (found, expected))
        kept = list(range(len(theirs) - 1))
    return len(mine) == len(theirs) and all(of_values(mine[at], theirs[at], TOLERANCE) in (None, "last bits") for at in kept)


def are_tied(found: Seen, expected: Seen) -> bool:
    """Whether rows in another order have floats that are equal but for their last bits, and not to the bit: those were told from each other where they were sorted."""
    for mine, theirs in zip(_floats(found), _floats(expected), strict=False):
        if len(mine) != len(theirs) or [*_items(mine)] != [*_items(theirs)]:
            continue
        known: dict[str, float] = {}
        for value, rounded in zip([*mine.tolist(), *theirs.tolist()], [*_items(mine), *_items(theirs)], strict=True):
            if value == value and known.setdefault(rounded, value) != value:
                return True
    return False


def _floats(seen: Seen) -> list[np.ndarray[Any, Any]]:
    """The columns and levels of floats."""
    length = seen["shape"][0] if seen.get("shape") else 0
    return [column for column in [*_labels(seen, length), *_columns(seen)] if isinstance(column, np.ndarray) and column.dtype.kind == "f"]


def differ_in_signs(found: Seen, expected: Seen) -> bool:
    """Whether all that differs are the signs of zeros."""
    for name in ROWS:
        mine: Any = found.get(name)
        theirs: Any = expected.get(name)
        several = isinstance(mine, list) and isinstance(theirs, list) and len(mine) == len(theirs)
        pairs = [*zip(mine, theirs, strict=True)] if several else [(mine, theirs)]
        for one, other in pairs:
            if isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and one.dtype == other.dtype and one.dtype.kind == "f":
                if not np.array_equal(one, other, equal_nan=True):
                    return False
            elif of_values(one, other, 0.0) not in (None, "last bits"):
                return False
    return True


def differing_columns(found: Seen, expected: Seen) -> list[Any]:
    """The values of the columns that differ, as pandas has them."""
    mine, theirs = _columns(found), _columns(expected)
    return [other for one, other in zip(mine, theirs, strict=False) if of_values(one, other, TOLERANCE) is not None]


def is_masked(column: Any) -> bool:
    """Whether a column has a mask beside its values, as nullable dtypes have."""
    return isinstance(column, list) and len(column) == 2 and all(isinstance(part, np.ndarray) for part in column) and column[1].dtype == np.bool_


def is_of_arrow(column: Any) -> bool:
    """Whether a column is of Arrow's floats: each is told by itself, and of what is missing nothing is known."""
    return isinstance(column, list) and all(isinstance(item, tuple) and item[0] in ("float", "NoneType") for item in column)


def _rows(seen: Seen) -> list[tuple[Any, ...]] | None:
    length = seen["shape"][0] if seen.get("shape") else None
    if length is None:
        return None
    columns = [*_labels(seen, length), *_columns(seen)]
    items = [list(_items(column)) for column in columns]
    return list(zip(*items, strict=True)) if all(len(one) == length for one in items) else None


def _labels(seen: Seen, length: int) -> list[Any]:
    """The labels of rows, level by level."""
    held: Any = seen.get("index values")
    if isinstance(held, tuple):
        first, _, step = held
        return [np.arange(length) * (step or 1) + (first or 0)]
    return list(held) if seen.get("index class") == "MultiIndex" else [held] if held is not None else []


def _columns(seen: Seen) -> list[Any]:
    held: Any = seen.get("values")
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

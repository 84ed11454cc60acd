"""Which dtypes are one and the same, so that values, codes and answers of one are those of the other.

pandas' own `==` says less: unordered categories are equal in whatever order they stand, though their codes differ, and so are objects of several classes for one zone.
Only here are dtypes compared; elsewhere `==` is for constants, which have no parameters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from pandas.core.dtypes.dtypes import CategoricalDtype, DatetimeTZDtype


def same(first: Any, second: Any) -> bool:
    """Whether two dtypes are the same in all that can be seen of their arrays."""
    if first is second:
        return True
    if isinstance(first, np.dtype) or isinstance(second, np.dtype):
        return isinstance(first, np.dtype) and isinstance(second, np.dtype) and first == second
    if type(first) is not type(second):
        return False
    if isinstance(first, CategoricalDtype):
        return bool(first.ordered == second.ordered) and _same_categories(first.categories, second.categories)
    if isinstance(first, DatetimeTZDtype):
        return bool(first.unit == second.unit) and same_zone(first.tz, second.tz)
    return bool(first == second)


def same_zone(first: Any, second: Any) -> bool:
    """Whether two zones are the same to whoever asks a timestamp for its zone."""
    # Fixed offsets are equal by their offset alone, and may have different names.
    return first is second or (type(first) is type(second) and first == second and repr(first) == repr(second))


def _same_categories(first: Any, second: Any) -> bool:
    if first is second:
        return True
    if first is None or second is None or type(first) is not type(second) or not same(first.dtype, second.dtype):
        return False
    if first.name != second.name or getattr(first, "freq", None) != getattr(second, "freq", None) or not first.equals(second):
        return False
    if isinstance(first.dtype, np.dtype) and first.dtype.kind == "f":
        return bool((np.signbit(first.to_numpy()) == np.signbit(second.to_numpy())).all())
    # 1, 1.0 and True are equal objects.
    return first.dtype != object or all(type(one) is type(other) for one, other in zip(first, second, strict=True))


def equal(first: Any, second: Any) -> bool:
    """Whether pandas takes two dtypes for equal: for rules of its own that ask no more."""
    return bool(first == second)


def distinct(dtypes: Iterable[Any]) -> list[Any]:
    """Each dtype once, in the order in which they first occur."""
    return [kind.dtype for kind in dict.fromkeys(Kind(dtype) for dtype in dtypes)]


def unequal(dtypes: Iterable[Any]) -> list[Any]:
    """One dtype of all that pandas takes for equal, in the order in which they first occur."""
    return list(dict.fromkeys(dtypes))


class Kind:
    """A dtype as a key: two are equal where their dtypes are the same."""

    __slots__ = ("_hash", "dtype")

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        # What is the same is equal, and has the same hash.
        self._hash = _hash(dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and same(self.dtype, other.dtype)

    def __hash__(self) -> int:
        return self._hash


def _hash(dtype: Any) -> int:
    """A number that is the same for dtypes that are the same."""
    try:
        return hash(dtype)
    except TypeError:
        # pandas hashes categories one by one, and those that are tuples beside others not at all.
        return hash((bool(dtype.ordered), len(dtype.categories)))

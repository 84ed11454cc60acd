"""Classes of arrays of ours, which compiled functions take by the memory that they have."""

from __future__ import annotations

from typing import Any

#: A class is here as soon as there can be objects of it.
CLASSES: set[type] = set()


def plain(given: Any) -> Any:
    """An array of NumPy's over the memory of one of ours; anything else as it is."""
    return given.shared() if type(given) in CLASSES else given

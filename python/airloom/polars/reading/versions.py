"""Which versions of Polars' plans are known, and who reads each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from airloom.polars.reading import version_16
from airloom.polars.reading.plan import PlanNode


class UnknownVersion(Exception):
    """Plans of this version are not read: a field that was renamed or moved could give a wrong answer."""


#: By major and minor number, exactly: Polars changes what a field means with a new major version, and adds fields with a new minor one.
VERSIONS: Mapping[tuple[int, int], Callable[[Any], PlanNode]] = {(16, 0): version_16.read}


def read(traverser: Any) -> PlanNode:
    """The plan that a traverser of Polars' stands at."""
    version = tuple(traverser.version())
    reader = VERSIONS.get(version)
    if reader is None:
        known = ", ".join(f"{major}.{minor}" for major, minor in sorted(VERSIONS))
        raise UnknownVersion(f"plans of version {'.'.join(map(str, version))} are not known, only {known}")
    return reader(traverser)

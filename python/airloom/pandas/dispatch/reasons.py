"""Why some methods have no operation: what they make is nothing that the engine would make sooner."""

from __future__ import annotations

_OBJECTS = "objects of Python, made one by one"
_PERIODS = "dtype `period` has no native type"

REASONS = {
    "Series.pop": "one value that is removed in place",
    "Series.dt.time": _OBJECTS,
    "Series.dt.timetz": _OBJECTS,
    "Series.dt.to_pydatetime": _OBJECTS,
    "Series.dt.to_pytimedelta": _OBJECTS,
    "Series.dt.to_period": _PERIODS,
    "Series.dt.asfreq": _PERIODS,
    "Series.dt.to_timestamp": _PERIODS,
    "Series.dt.freq": "a frequency that pandas infers from all values",
    "Series.str.wrap": "lines as the module `textwrap` breaks them",
    "Series.str.encode": "bytes of dtype `object` have no native type",
    "Series.str.decode": "bytes of dtype `object` have no native type",
}


def why(label: str) -> str:
    """Why the method that is told by this label is pandas' own."""
    return REASONS.get(label, "no native version")

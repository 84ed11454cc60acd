"""The page that says, for each name of pandas, who does it: made of what the differential tests have shown."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import compare
import pandas
from pandas.core.arrays.categorical import CategoricalAccessor
from pandas.core.groupby.generic import DataFrameGroupBy, SeriesGroupBy
from pandas.core.indexes.accessors import CombinedDatetimelikeProperties, DatetimeProperties, TimedeltaProperties
from pandas.core.strings.accessor import StringMethods
from pandas.core.window.ewm import ExponentialMovingWindow
from pandas.core.window.expanding import Expanding
from pandas.core.window.rolling import Rolling

PATH = Path(__file__).resolve().parents[3] / "docs" / "reference" / "pandas.md"

_MOVING = ("Rolling.", "Expanding.", "RollingGroupBy.", "ExpandingGroupBy.")
_DECAYING = ("ExponentialMovingWindow.", "ExponentialMovingWindowGroupBy.")

#: A section for each class: the prefix of its operations, and where its names are found.
_SECTIONS: list[tuple[str, tuple[str, ...], tuple[Any, ...]]] = [
    ("DataFrame", ("DataFrame.",), (pandas.DataFrame,)),
    ("Series", ("Series.",), (pandas.Series,)),
    ("GroupBy", ("DataFrameGroupBy.", "SeriesGroupBy."), (DataFrameGroupBy, SeriesGroupBy)),
    ("Series.str", ("Series.str.",), (StringMethods,)),
    ("Series.dt", ("Series.dt.",), (DatetimeProperties, TimedeltaProperties, CombinedDatetimelikeProperties)),
    ("Series.cat", ("Series.cat.",), (CategoricalAccessor,)),
    ("Rolling and Expanding", _MOVING, (Rolling, Expanding)),
    ("ExponentialMovingWindow", _DECAYING, (ExponentialMovingWindow,)),
]
_OPERATORS = "getitem setitem add sub mul truediv floordiv mod pow eq ne lt le gt ge and or xor invert neg pos abs array_ufunc".split()

_HEAD = """# pandas

Who does what, for each name of pandas' DataFrame, Series, GroupBy, `str`, `dt` and `cat`, and of windows. The page is made of what the differential tests have shown: *native* was compared with
pandas and never left to it; *partly* was compared too, and left to pandas for the reasons given; *pandas* is pandas' own method, on data that are computed for it.
Attributes that only look at data or hand them on (`values`, `to_numpy`, `items`, `plot` and so on) compute them and are not listed.
"""


def page() -> str:
    """The page."""
    parts = [_HEAD]
    for title, prefixes, classes in _SECTIONS:
        names = sorted({name for cls in classes for name in _names(cls)})
        rows = [(name, *_state(name, prefixes)) for name in names]
        count = sum(state != "pandas" for _, state, _ in rows)
        parts.append(f"\n## {title}\n\n{count} of {len(rows)} names, whole or in part.\n\n| name | done by | left to pandas |\n|---|---|---|\n")
        parts.extend(f"| `{name}` | {state} | {reasons} |\n" for name, state, reasons in rows)
    return "".join(parts)


#: By which names operations of each owner are told.
_OWNERS = {
    "GroupBy": ("DataFrameGroupBy.", "SeriesGroupBy."),
    "str": ("Series.str.",),
    "dt": ("Series.dt.",),
    "cat": ("Series.cat.",),
    "Rolling": _MOVING,
    "Decaying": _DECAYING,
    "Weighted": ("Window.",),
}


def untested() -> list[str]:
    """The operations that are registered, and that no program of the tests had the engine do."""
    from airloom.pandas.face.dispatch import OPERATIONS

    found = []
    for owner, operations in OPERATIONS.items():
        prefixes = _OWNERS.get(owner, (f"{owner}.",))
        found.extend(f"{owner}.{name}" for name in operations if not any(prefix + name in compare.NATIVE for prefix in prefixes))
    return found


def _names(cls: Any) -> list[str]:
    from airloom.pandas.face.attach import LOOKS

    found = []
    for name in dir(cls):
        if name.startswith("_"):
            if name.strip("_") in _OPERATORS and name.startswith("__"):
                found.append(name)
            continue
        item = inspect.getattr_static(cls, name)
        if name not in LOOKS and (inspect.isfunction(item) or (isinstance(item, property) and cls in (DatetimeProperties, TimedeltaProperties, CategoricalAccessor))):
            found.append(name)
    return [*found, *(name for name in ("iloc", "loc") if hasattr(cls, name) and cls in (pandas.DataFrame, pandas.Series))]


def _state(name: str, prefixes: tuple[str, ...]) -> tuple[str, str]:
    operations = [prefix + name for prefix in prefixes]
    if not any(operation in compare.NATIVE for operation in operations):
        return "pandas", ""
    reasons = sorted({reason for operation in operations for reason in compare.LEFT.get(operation, ()) if reason != "pandas only"})
    return ("partly", "; ".join(reasons)) if reasons else ("native", "")

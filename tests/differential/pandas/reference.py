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
from pandas.core.resample import Resampler
from pandas.core.strings.accessor import StringMethods
from pandas.core.window.ewm import ExponentialMovingWindow
from pandas.core.window.expanding import Expanding
from pandas.core.window.rolling import Rolling

from airloom.pandas.dispatch.reasons import why

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
    ("Resampler", ("Resampler.",), (Resampler,)),
]
#: The functions of the module that take tables or make some; readers are told by their plain names.
_FUNCTIONS = sorted(
    {name for name in dir(pandas) if name.startswith("read_")}
    | set(
        """concat crosstab cut eval factorize from_dummies get_dummies isna isnull json_normalize lreshape melt merge merge_asof merge_ordered notna notnull
        pivot pivot_table qcut to_datetime to_numeric to_timedelta unique wide_to_long""".split()
    )
)
#: Functions that are a method of their first argument, by whose name they are told.
_METHODS = {"merge": "DataFrame.merge"}
_OPERATORS = "getitem setitem add sub mul truediv floordiv mod pow eq ne lt le gt ge and or xor invert neg pos abs array_ufunc".split()

_HEAD = """# pandas

Who does what, for each name of pandas' DataFrame, Series, GroupBy, `str`, `dt` and `cat`, of windows and of spans of time, and for the functions that take or make tables. The page is made of what the differential tests have shown: *native* was compared with
pandas and never left to it; *partly* was compared too, and left to pandas for the reasons given; *pandas* is pandas' own method, on data that are computed for it.
What makes groups, windows or spans (`groupby`, `rolling` and so on) computes nothing: it is native where the engine knows what is to be done once somebody asks for results.
Attributes that only look at data or hand them on (`values`, `to_numpy`, `items`, `plot` and so on) compute them and are not listed.
"""


def page() -> str:
    """The page."""
    parts = [_HEAD]
    for title, prefixes, classes in _SECTIONS:
        names = sorted({name for cls in classes for name in _names(cls)})
        parts.extend(_table(title, {name: [prefix + name for prefix in prefixes] for name in names}))
    parts.extend(_table("Functions", {name: [f"pandas.{name}", name, _METHODS.get(name, name)] for name in _FUNCTIONS}))
    return "".join(parts)


def _table(title: str, names: dict[str, list[str]]) -> list[str]:
    """A section: each name, and by which operations it is told."""
    rows = [(name, *_state(operations)) for name, operations in names.items()]
    count = sum(state != "pandas" for _, state, _ in rows)
    head = f"\n## {title}\n\n{count} of {len(rows)} names, whole or in part.\n\n| name | done by | left to pandas |\n|---|---|---|\n"
    return [head, *(f"| `{name}` | {state} | {reasons} |\n" for name, state, reasons in rows)]


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
    from airloom.pandas.dispatch.registry import OPERATIONS

    found = []
    for owner, operations in OPERATIONS.items():
        prefixes = _OWNERS.get(owner, (f"{owner}.",))
        found.extend(f"{owner}.{name}" for name in operations if not any(prefix + name in compare.NATIVE for prefix in prefixes))
    return found


def _names(cls: Any) -> list[str]:
    from airloom.pandas.interface.attach import LOOKS

    found = []
    for name in dir(cls):
        if name.startswith("_"):
            # Where these are every object's own, they compare nothing but which object it is.
            if name.strip("_") in _OPERATORS and name.startswith("__") and getattr(cls, name) is not getattr(object, name, None):
                found.append(name)
            continue
        item = inspect.getattr_static(cls, name)
        if name not in LOOKS and (inspect.isfunction(item) or (isinstance(item, property) and cls in (DatetimeProperties, TimedeltaProperties, CategoricalAccessor))):
            found.append(name)
    return [*found, *(name for name in ("iloc", "loc") if hasattr(cls, name) and cls in (pandas.DataFrame, pandas.Series))]


def _state(operations: list[str]) -> tuple[str, str]:
    reasons = sorted({reason for operation in operations for reason in compare.LEFT.get(operation, ()) if reason != "no native version"})
    if not any(operation in compare.NATIVE for operation in operations):
        return "pandas", "; ".join(reasons or sorted({why(operation) for operation in operations} - {"no native version"}))
    return ("partly", "; ".join(reasons)) if reasons else ("native", "")

"""What operations there are, and what they are put on.

An operation is a function of a plan with the parameters of pandas' own, registered under its name. It returns a plan, or a value, or refuses. What is refused, and what
nobody registered, is pandas' own method, which finds the data by asking for `_mgr`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas

#: The base classes, as they were before anything was swapped.
BaseDataFrame = pandas.DataFrame
BaseSeries = pandas.Series
#: A class, groups, windows, an accessor of series, or pandas itself for functions of the module.
_OWNERS = ("DataFrame", "Series", "GroupBy", "Rolling", "Decaying", "Weighted", "str", "dt", "cat", "pandas")
#: Operations by owner and name.
OPERATIONS: dict[str, dict[str, Callable[..., Any]]] = {owner: {} for owner in _OWNERS}


def operation(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function as what `DataFrame.name`, `Series.name` or the like does."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for full in names:
            owner, name = full.split(".")
            assert name not in OPERATIONS[owner], full
            OPERATIONS[owner][name] = function
        return function

    return register


#: What tells an operation that only calls others, by the function that was registered.
_DRIVES = "__airloom_drives__"


def driving(when: Callable[..., bool]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Marks an operation that, for arguments of which `when` is true, does no more than to call functions with whole columns and to put together what they return.

    Where it is refused, pandas does that, and each function is called with objects of ours: what it does with them is done, and reported, by itself.
    """

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        setattr(function, _DRIVES, when)
        return function

    return mark


def drives(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether an operation only calls others, given these arguments."""
    when = getattr(function, _DRIVES, None)
    try:
        return when is not None and when(*args, **kwargs)
    except TypeError:
        # A wrong call, which is pandas' to complain about.
        return False


class Classes:
    """Our two classes, once they are made: what is planned and what pandas made becomes objects of these."""

    DataFrame: Any
    Series: Any


classes = Classes()

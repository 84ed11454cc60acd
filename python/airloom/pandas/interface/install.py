"""Putting our classes in the place of pandas' own, everywhere in pandas, and taking them back."""

from __future__ import annotations

import sys
from typing import Any

import pandas

import airloom.pandas as ours
from airloom.pandas.dispatch import registry
from airloom.pandas.interface.functions import FUNCTIONS

#: What was put where: the module, the name, and what stood there.
_changed: list[tuple[Any, str, Any]] = []


def install() -> None:
    """Makes `pandas` itself lazy and compiled, for all code that imports it from now on, and inside pandas."""
    if _changed:
        return
    swaps: dict[int, Any] = {
        id(registry.BaseDataFrame): ours.DataFrame,
        id(registry.BaseSeries): ours.Series,
    }
    kept: list[Any] = [registry.BaseDataFrame, registry.BaseSeries]
    for name, function in FUNCTIONS.items():
        original = getattr(pandas, name)
        swaps[id(original)] = function
        kept.append(original)
    names = {"DataFrame", "Series", *FUNCTIONS}
    for module_name, module in list(sys.modules.items()):
        if module is None or not (module_name == "pandas" or module_name.startswith("pandas.")):
            continue
        own = vars(module)
        for name in names & own.keys():
            put = swaps.get(id(own[name]))
            if put is not None:
                _changed.append((module, name, own[name]))
                setattr(module, name, put)


def uninstall() -> None:
    """Puts back what `install` took away. Objects of ours that are there stay what they are."""
    while _changed:
        module, name, original = _changed.pop()
        setattr(module, name, original)

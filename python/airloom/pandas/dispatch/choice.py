"""Whether an operation is tried on the engine, or stays with pandas."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np

from airloom import _callers
from airloom.pandas.internals import foreign, state


class Settings:
    """What decides who does an operation."""

    #: Frames with fewer rows stay with pandas: there the fixed cost of a program is more than the work.
    threshold = 20_000
    #: Whether an error in an operation of ours is raised, instead of being left to pandas.
    raise_errors = False
    #: What compares each result with pandas' own, where that is wanted.
    check: Callable[..., None] | None = None


settings = Settings()


class _Within(threading.local):
    """How deep this thread stands in pandas' own code for something that was left to it, and in questions that pandas' own rules are asked."""

    depth = 0
    asking = 0


within = _Within()


def stays(value: Any) -> bool:
    """Whether a value of ours is small, and in memory; or pandas is asked for one of its rules, which is its own."""
    if within.asking:
        return True
    manager = value.__dict__.get(state.MANAGER)
    return manager is not None and len(manager.axes[-1]) < settings.threshold


def is_cell(value: Any, key: Any) -> bool:
    """Whether a key is for a single value, by labels or positions that mean nothing else."""
    if value.ndim == 1:
        return isinstance(key, _SCALARS)
    return type(key) is tuple and len(key) == 2 and isinstance(key[0], _SCALARS) and isinstance(key[1], _SCALARS)


#: Labels and positions that are one.
_SCALARS = (str, int, float, np.integer, np.floating, datetime, np.datetime64)


def writes_in_place(value: Any) -> bool:
    """Whether pandas itself is to write to an object: its data are there, and few, so that writing in place is what is cheap, and expected; or it is not to be written to, of which pandas complains."""
    if stays(value):
        return True
    manager = None if state.is_lazy(value) else value.__dict__[state.MANAGER]
    if manager is None:
        return False
    if foreign.is_read_only(manager):
        # pandas complains where it is the only holder: what is planned over it copies nothing.
        state.release(value)
        return True
    return len(manager.axes[-1]) < state.WORTH_KEEPING


def by_itself(base: Callable[..., Any], value: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Lets pandas write to an object: where it must not, nothing is planned meanwhile that would hold the memory too."""
    manager = value.__dict__.get(state.MANAGER)
    if manager is None or not foreign.is_read_only(manager):
        return base(value, *args, **kwargs)
    within.asking += 1
    try:
        return base(value, *args, **kwargs)
    finally:
        within.asking -= 1


def from_asserters(depth: int) -> bool:
    """Whether functions of `pandas.testing` ask: they look at results, and are no program."""
    return sys._getframe(depth + 1).f_globals.get("__name__", "").startswith("pandas._testing")


def from_pandas(depth: int) -> bool:
    """Whether pandas' own code asks, in the middle of something. Where it calls what a user told it to call, it is the user who asks."""
    module = sys._getframe(depth + 1).f_globals.get("__name__", "")
    return module.startswith("pandas.") and module != "pandas.core.apply" and _callers.is_library(module, ("pandas",))

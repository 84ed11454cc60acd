"""Whether an operation is tried on the engine, or stays with pandas."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np

from airloom import _callers
from airloom._options import options
from airloom.pandas.internals import materialize, state
from airloom.pandas.plan.frame import Vector


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


#: Reductions of a column of numbers in memory that NumPy does in less time than a run takes to begin. Each stays with pandas for `n` times as many rows as other operations.
CHEAP = {**dict.fromkeys("sum mean min max count any all".split(), 120), **dict.fromkeys(("std", "var"), 8)}
#: Up to how many threads it was measured which reductions NumPy does in less time than the engine, for however many rows: what more threads would do is not known.
_MEASURED_THREADS = 2
#: Those reductions, by the kind of a dtype, and for floats of 32 bits.
_SOONER = {"b": ("min", "max", "any", "all", "mean"), "i": ("sum", "mean", "min", "max", "any", "all"), "f": ("sum",), "f4": ("sum", "mean", "min", "max")}


def is_cheap(value: Any, name: str) -> bool:
    """Whether a value is a column of numbers in memory, of which NumPy makes a reduction in less time than the engine."""
    own = value.__dict__
    manager = own.get(state.MANAGER)
    if manager is None:
        plan = own.get(state.PLAN)
        # A column of a frame is one, though nobody has looked at it yet.
        if not isinstance(plan, Vector) or not _is_number(plan.dtype) or not materialize.is_held(plan, _most_rows(name, plan.dtype)):
            return False
        state.force(value)
        return True
    return manager.ndim == 1 and _is_number(dtype := manager.blocks[0].dtype) and len(manager.axes[-1]) < _most_rows(name, dtype)


def _most_rows(name: str, dtype: Any) -> int:
    """The number of rows below which a reduction is NumPy's."""
    kind = "f4" if dtype.kind == "f" and dtype.itemsize == 4 else "i" if dtype.kind == "u" else dtype.kind
    always = name in _SOONER[kind] and options.resolved()["threads"] <= _MEASURED_THREADS
    times = sys.maxsize if always else CHEAP[name]
    return times * settings.threshold


def _is_number(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "biuf"


def is_cell(value: Any, key: Any) -> bool:
    """Whether a key is for a single value, by labels or positions that mean nothing else."""
    if value.ndim == 1:
        return isinstance(key, _SCALARS)
    return type(key) is tuple and len(key) == 2 and isinstance(key[0], _SCALARS) and isinstance(key[1], _SCALARS)


#: Labels and positions that are one.
_SCALARS = (str, int, float, np.integer, np.floating, datetime, np.datetime64)


def writes_in_place(value: Any) -> bool:
    """Whether pandas itself is to write to an object: its data are there, and few, so that writing in place is what is cheap, and expected."""
    return stays(value) or (not state.is_lazy(value) and len(value.__dict__[state.MANAGER].axes[-1]) < state.WORTH_KEEPING)


def from_asserters(depth: int) -> bool:
    """Whether functions of `pandas.testing` ask: they look at results, and are no program."""
    return sys._getframe(depth + 1).f_globals.get("__name__", "").startswith("pandas._testing")


def from_pandas(depth: int) -> bool:
    """Whether pandas' own code asks, in the middle of something. Where it calls what a user told it to call, it is the user who asks."""
    module = sys._getframe(depth + 1).f_globals.get("__name__", "")
    return module.startswith("pandas.") and module != "pandas.core.apply" and _callers.is_library(module, ("pandas",))

"""What frames and series of ours have in common: a manager that is computed when somebody asks for it."""

from __future__ import annotations

import contextlib
import copyreg
import functools
import importlib
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas
from pandas.core.generic import NDFrame

from airloom import _callers
from airloom import _report as report
from airloom.pandas.execution import run
from airloom.pandas.internals import state
from airloom.pandas.internals.foreign import mark_shared


class Twin(type):
    """The class of our two classes: an object of the class of pandas' own that one stands for is one of it too, as whoever has a frame of ours expects."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.__mro__[2]) if cls in state.OURS else type.__instancecheck__(cls, instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.__mro__[2]) if cls in state.OURS else type.__subclasscheck__(cls, subclass)


class _Pandas:
    """The module pandas, for pickles."""

    def __reduce__(self) -> Any:
        return importlib.import_module, ("pandas",)


def _class(cls: Any) -> Any:
    """What a class is pickled as: ours as pandas' own, so that who reads it needs no more than pandas; a subclass of a user's by its name."""
    return (getattr, (_Pandas(), cls.__name__)) if cls in state.OURS else cls.__qualname__


copyreg.pickle(Twin, _class)


class Lazy:
    """Before pandas' own class among the bases of ours."""

    _mgr = property(state.get_manager, state.set_manager)

    def __len__(self) -> int:
        count = state.row_count(self)
        if count is not None:
            return count
        try:
            return run.count(state.plan_of(self).rows)
        except Exception:
            return len(state.force(self).axes[-1])

    def __reduce__(self) -> Any:
        cls = type(self)
        if cls not in state.OURS:
            return super().__reduce__()
        # By the name that pandas' own class has, whichever class has that name here: who reads it needs no more than pandas.
        return copyreg._reconstructor, (getattr(pandas, cls.__name__), object, None), self.__getstate__()  # type: ignore[attr-defined]


def asks_within(depth: int) -> bool:
    """Whether code of pandas or of ours asks, and not the user's."""
    module = sys._getframe(depth + 1).f_globals.get("__name__", "")
    return _callers.is_library(module, ("pandas", "airloom"))


def takes_over(made: Any, given: Any, copy: Any) -> None:
    """Marks what a new object shares with arrays that the user has. What pandas makes in the middle of something is its own."""
    if copy is True or given is None or type(given) in state.OURS or type(made) not in state.OURS or asks_within(2):
        return
    if copy is False or not isinstance(given, (list, dict, np.ndarray)):
        mark_shared(made._mgr, given)


def from_manager(cls: Any, manager: Any) -> Any:
    """An object of a manager, as pandas makes its own."""
    made = cls.__new__(cls)
    NDFrame.__init__(made, manager)
    return made


@contextlib.contextmanager
def told_to_caller() -> Iterator[None]:
    """Warnings of pandas within it are told of the line that called whoever is within: pandas looks for the first that is not its own, and that would be ours."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield
    for warning in said:
        # This, the manager of the context, and the method that it stands in.
        warnings.warn(warning.message, warning.category, stacklevel=4)


def handed_on(owner: str, base: Callable[..., Any], plan: str) -> Any:
    """`pipe` of groups or windows: it computes nothing, but gives them to a function as they are. `plan` is the attribute that those of ours have."""

    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if plan in self.__dict__:
            report.LOG.add(f"{owner}.pipe", "native")
        return base(self, *args, **kwargs)

    return run


def options_of(base: Callable[..., Any]) -> Callable[..., dict[str, Any] | None]:
    """What a call of a method gives for each of its options, or stands for it; nothing where pandas would complain about the call."""
    signature = inspect.signature(base)

    def given(*args: Any, **kwargs: Any) -> dict[str, Any] | None:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            return None
        bound.apply_defaults()
        return {name: value for name, value in bound.arguments.items() if name != "self"}

    return given

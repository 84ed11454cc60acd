"""Who does an operation: the engine where it can, else pandas.

An operation is a function of a plan with the parameters of pandas' own, registered under its name. It returns a plan, or a value, or refuses. What is refused, and what
nobody registered, is pandas' own method, which finds the data by asking for `_mgr`.
"""

from __future__ import annotations

import functools
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import pandas
from pandas.compat import CHAINED_WARNING_DISABLED
from pandas.compat._constants import REF_COUNT_METHOD
from pandas.core import common
from pandas.errors import ChainedAssignmentError, Pandas4Warning
from pandas.errors.cow import _chained_assignment_method_msg

from airloom.pandas import report
from airloom.pandas.face import state
from airloom.pandas.plan.frame import Frame, Refused, Vector

#: The base classes, as they were before anything was swapped.
BaseDataFrame = pandas.DataFrame
BaseSeries = pandas.Series

#: Operations by owner and name: a class, an accessor of series, or pandas itself for functions of the module.
OPERATIONS: dict[str, dict[str, Callable[..., Any]]] = {"DataFrame": {}, "Series": {}, "str": {}, "dt": {}, "pandas": {}}


def operation(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function as what `DataFrame.name`, `Series.name` or the like does."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for full in names:
            owner, name = full.split(".")
            assert name not in OPERATIONS[owner], full
            OPERATIONS[owner][name] = function
        return function

    return register


class Settings:
    """What decides who does an operation."""

    #: Frames with fewer rows stay with pandas: there the fixed cost of a program is more than the work.
    threshold = 20_000
    #: Whether what the engine refuses is an error.
    strict = False
    #: Whether an error in an operation of ours is raised, instead of being left to pandas.
    raise_errors = False


settings = Settings()


class _Within(threading.local):
    """How deep this thread stands in pandas' own code for something that was left to it."""

    depth = 0


within = _Within()


def is_ours(value: Any) -> bool:
    """Whether a value is a frame or a series of ours, and no further subclass."""
    from airloom.pandas.face.frame import DataFrame
    from airloom.pandas.face.series import Series

    return type(value) is DataFrame or type(value) is Series


def stays(value: Any) -> bool:
    """Whether a value of ours is small, and in memory."""
    manager = value.__dict__.get(state.MANAGER)
    return manager is not None and len(manager.axes[-1]) < settings.threshold


def plan_of(value: Any) -> Any:
    """The plan of any frame or series, refused where there is none."""
    if is_ours(value):
        if not value._flags._allows_duplicate_labels:
            raise Refused("duplicate labels are forbidden by a flag")
        return state.plan_of(value)
    if type(value) is BaseDataFrame or type(value) is BaseSeries:
        from airloom.pandas.data.capture import captured_frame, captured_vector

        manager = value._mgr
        return captured_frame(manager) if manager.ndim == 2 else captured_vector(manager, value.name)
    raise Refused(f"`{type(value).__name__}` is not a frame")


def wrap(result: Any) -> Any:
    """What users get for a plan."""
    if type(result) is Frame:
        from airloom.pandas.face.frame import DataFrame

        return state.make(DataFrame, result)
    if type(result) is Vector:
        from airloom.pandas.face.series import Series

        return state.make(Series, result)
    return result


def attempt(label: str, value: Any, function: Callable[..., Any], base: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Does an operation on an object of ours that does not stay with pandas."""
    try:
        plan = plan_of(value)
        result = function(plan, *args, **kwargs)
    except Refused as refusal:
        reason = str(refusal)
    except RecursionError:
        raise
    except Exception as error:
        # A wrong call is pandas' to complain about. Anything else is a mistake of ours, which must not be the user's: pandas does the work, and the report tells.
        if settings.raise_errors and not (isinstance(error, TypeError) and error.__traceback__ is not None and error.__traceback__.tb_next is None):
            raise
        reason = f"{type(error).__name__}: {error}"
    else:
        report.LOG.add(label, "native", "")
        made = wrap(result)
        if made is not result and value._attrs:
            made.__finalize__(value)
        return made
    return left_to_pandas(label, reason, base, value, args, kwargs)


def left_to_pandas(label: str, reason: str, base: Callable[..., Any], value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Does an operation by pandas' own method."""
    if within.depth == 0:
        report.refused(label, reason, settings.strict)
    within.depth += 1
    try:
        return base(value, *args, **kwargs)
    finally:
        within.depth -= 1


def method(owner: str, name: str, base: Callable[..., Any], function: Callable[..., Any] | None) -> Callable[..., Any]:
    """A method: the operation, where there is one, and pandas' own otherwise."""
    label = f"{owner}.{name}"

    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if stays(self) and not any(is_ours(a) and not stays(a) for a in args):
            return base(self, *args, **kwargs)
        if not is_ours(self):
            return base(self, *args, **kwargs)
        if function is None:
            return left_to_pandas(label, "pandas only", base, self, args, kwargs)
        return attempt(label, self, function, base, args, kwargs)

    changes = name in _IN_PLACE or (owner, name) in _NEW_LABELS
    made: Any = _with_in_place(owner, name, base, function, run) if changes else run
    made.__airloom__ = function is not None
    return made  # type: ignore[no-any-return]


#: Methods that change an object in place and return it, where they are told to. pandas warns where nobody else holds the object.
_IN_PLACE = frozenset(("fillna", "replace", "clip", "where", "mask"))
#: Methods that do so and return nothing, of which pandas says that they will not do so any more.
_NEW_LABELS = frozenset(
    (owner, name)
    for owner in ("DataFrame", "Series")
    for name in ("dropna", "drop", "rename", "sort_values", "sort_index", "reset_index", "set_index", "drop_duplicates")
    if (owner, name) != ("Series", "rename")
)


def _with_in_place(owner: str, name: str, base: Callable[..., Any], function: Callable[..., Any] | None, run: Callable[..., Any]) -> Callable[..., Any]:
    """A method that may change its object in place: then the object is given the plan of the result."""
    label = f"{owner}.{name}"

    @functools.wraps(base)
    def run_in_place(self: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("inplace") is not True:
            return run(self, *args, **kwargs)
        # Asked here, before more hold the object.
        if (
            name in _IN_PLACE
            and not CHAINED_WARNING_DISABLED
            and sys.getrefcount(self) <= REF_COUNT_METHOD
            and not common.is_local_in_caller_frame(self)
        ):
            warnings.warn(_chained_assignment_method_msg, ChainedAssignmentError, stacklevel=2)
        if function is None or stays(self) or not is_ours(self):
            return base(self, *args, **kwargs)
        rest = {key: value for key, value in kwargs.items() if key != "inplace"}
        try:
            made = function(plan_of(self), *args, **rest)
        except Refused as refusal:
            return left_to_pandas(label, str(refusal), base, self, args, kwargs)
        except Exception as error:
            if settings.raise_errors:
                raise
            return left_to_pandas(label, f"{type(error).__name__}: {error}", base, self, args, kwargs)
        report.LOG.add(label, "native", "")
        state.set_plan(self, made)
        if name in _IN_PLACE:
            return self
        warnings.warn(
            f"The inplace keyword in {label} is deprecated and will be removed in a future version (PDEP-8).\n"
            "See https://pandas.pydata.org/docs/dev/whatsnew/v3.1.0.html#deprecation-inplace for more details.",
            Pandas4Warning,
            stacklevel=2,
        )
        return None

    return run_in_place


def accessor_method(
    owner: str, name: str, base: Callable[..., Any], function: Callable[..., Any] | None, *, property: bool
) -> Callable[..., Any]:
    """A method of an accessor, or what a property of one reads; `base` makes pandas' accessor of a series."""
    label = f"Series.{owner}.{name}"

    def original(series: Any, *args: Any, **kwargs: Any) -> Any:
        found = getattr(base(series), name)
        return found if property else found(*args, **kwargs)

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if function is None:
            return left_to_pandas(label, "pandas only", original, self._data, args, kwargs)
        return attempt(label, self._data, function, original, args, kwargs)

    run.__name__ = name
    return run


def module_function(name: str, base: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the module: the operation, where its first argument is ours and does not stay with pandas."""
    label = f"pandas.{name}"

    @functools.wraps(base)
    def run(*args: Any, **kwargs: Any) -> Any:
        if not args or not is_ours(args[0]) or stays(args[0]):
            return base(*args, **kwargs)
        return attempt(label, args[0], function, base, args[1:], kwargs)

    return run


def plain(value: Any) -> Any:
    """The same as an object of pandas' own class, sharing its data."""
    if not isinstance(value, (BaseDataFrame, BaseSeries)):
        return value
    base = BaseDataFrame if isinstance(value, BaseDataFrame) else BaseSeries
    manager = value._mgr.copy(deep=False)
    made = base._from_mgr(manager, manager.axes)
    if base is BaseSeries:
        object.__setattr__(made, "_name", value._name)
    return made.__finalize__(value)

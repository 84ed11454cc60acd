"""Who does an operation: the engine where it can, else pandas.

An operation is a function of a plan with the parameters of pandas' own, registered under its name. It returns a plan, or a value, or refuses. What is refused, and what
nobody registered, is pandas' own method, which finds the data by asking for `_mgr`.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np
import pandas
from pandas.api.extensions import no_default
from pandas.compat import CHAINED_WARNING_DISABLED
from pandas.compat._constants import REF_COUNT_METHOD
from pandas.core import common
from pandas.errors import ChainedAssignmentError, Pandas4Warning
from pandas.errors.cow import _chained_assignment_method_msg
from pandas.util._exceptions import find_stack_level

from airloom import _report as report
from airloom.pandas.data import restore
from airloom.pandas.data.foreign import mark_held_elsewhere
from airloom.pandas.face import attributes, state
from airloom.pandas.face.calls import Record
from airloom.pandas.face.reasons import why
from airloom.pandas.plan import sharing
from airloom.pandas.plan.frame import Failed, Frame, Refused, Stays, Vector

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


def is_ours(value: Any) -> bool:
    """Whether a value is a frame or a series of ours, and no further subclass."""
    return type(value) in state.OURS


def stays(value: Any) -> bool:
    """Whether a value of ours is small, and in memory; or pandas is asked for one of its rules, which is its own."""
    if within.asking:
        return True
    manager = value.__dict__.get(state.MANAGER)
    return manager is not None and len(manager.axes[-1]) < settings.threshold


#: Reductions of a column of numbers in memory that NumPy does in less time than a run takes to begin. Each stays with pandas for `n` times as many rows as other operations.
_CHEAP = {**dict.fromkeys("sum mean min max count any all".split(), 40), **dict.fromkeys(("std", "var"), 8)}


def is_cheap(value: Any, times: int) -> bool:
    """Whether a value is a column of numbers in memory, with fewer rows than `times` the threshold."""
    most = times * settings.threshold
    own = value.__dict__
    if state.MANAGER not in own:
        plan = own.get(state.PLAN)
        # A column of a frame is one, though nobody has looked at it yet.
        if not isinstance(plan, Vector) or not _is_number(plan.dtype) or not restore.is_held(plan, most):
            return False
        state.force(value)
    manager = own[state.MANAGER]
    return manager.ndim == 1 and len(manager.axes[-1]) < most and _is_number(manager.blocks[0].dtype)


def _is_number(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "biuf"


def is_cell(value: Any, key: Any) -> bool:
    """Whether a key is for a single value, by labels or positions that mean nothing else."""
    if value.ndim == 1:
        return isinstance(key, _SCALARS)
    return type(key) is tuple and len(key) == 2 and isinstance(key[0], _SCALARS) and isinstance(key[1], _SCALARS)


#: Labels and positions that are one.
_SCALARS = (str, int, float, np.integer, np.floating, datetime, np.datetime64)


def plan_of(value: Any) -> Any:
    """The plan of any frame or series, refused where there is none."""
    if is_ours(value):
        if not value._flags._allows_duplicate_labels:
            raise Refused("duplicate labels are forbidden by a flag")
        return state.plan_of(value)
    if type(value) is BaseDataFrame or type(value) is BaseSeries:
        from airloom.pandas.data.capture import captured_frame, captured_vector

        manager = value._mgr
        mark_held_elsewhere(manager)
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
    if type(result) is BaseDataFrame or type(result) is BaseSeries:
        from airloom.pandas.face.adopting import adopted

        return adopted(result)
    return result


def attempt(
    label: str,
    value: Any,
    function: Callable[..., Any],
    base: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    plan: Any = None,
) -> Any:
    """Does an operation on an object of ours that does not stay with pandas."""
    attrs: dict[Any, Any] | None = None
    if attributes.are_there(value, args):
        try:
            attrs = attributes.kept(label, value, args, kwargs)
        except attributes.Unknown:
            del plan
            return left_to_pandas(label, "`attrs` of which pandas says what is kept", base, value, args, kwargs)
    with Record() as record:
        result, reason = planned(value, function, args, kwargs, plan)
    # Nothing of the plan is held any more when pandas does the work: it writes in place where it is the only holder.
    del plan
    if reason is not None:
        args, kwargs = record.replayed(args), record.replayed(kwargs)
        return base(value, *args, **kwargs) if reason is STAYS else left_to_pandas(label, reason, base, value, args, kwargs)
    report.LOG.add(label, "native", "")
    made = wrap(result)
    # What a function of the user's returned is the user's.
    if attrs is not None and (made is not result or not attributes.hands_over(label, made, args, kwargs)):
        attributes.put(label, made, attrs, args)
    _check(label, made, base, value, args, kwargs)
    return made


def _check(label: str, made: Any, base: Callable[..., Any], value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Compares what was made with what pandas makes, where that is wanted."""
    if settings.check is not None and within.depth == 0:
        within.depth += 1
        try:
            settings.check(label, made, base, value, args, kwargs)
        finally:
            within.depth -= 1


#: Why an operation is pandas' by choice.
STAYS = "few rows"


def planned(value: Any, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], plan: Any = None) -> tuple[Any, str | None]:
    """What an operation makes of the plan of an object; or nothing, and why."""
    sharing.ACTIVE.values.append(value)
    try:
        return function(plan_of(value) if plan is None else plan, *args, **kwargs), None
    except Stays:
        return None, STAYS
    except Refused as refusal:
        return None, str(refusal)
    except Failed as failure:
        raise failure.error from None
    except RecursionError:
        raise
    except Exception as error:
        # A wrong call is pandas' to complain about. Anything else is a mistake of ours, which must not be the user's: pandas does the work, and the report tells.
        wrong_call = isinstance(error, TypeError) and error.__traceback__ is not None and error.__traceback__.tb_next is None
        if settings.raise_errors and not wrong_call:
            raise
        return None, f"{type(error).__name__}: {error}"
    finally:
        sharing.ACTIVE.values.pop()


def writes_in_place(value: Any) -> bool:
    """Whether pandas itself is to write to an object: its data are there, and few, so that writing in place is what is cheap, and expected."""
    return stays(value) or (not state.is_lazy(value) and len(value.__dict__[state.MANAGER].axes[-1]) < state.WORTH_KEEPING)


def left_to_pandas(label: str, reason: str, base: Callable[..., Any], value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Does an operation by pandas' own method."""
    outermost = within.depth == 0
    if outermost and is_ours(value) and state.is_lazy(value) and (state.row_count(value) or 0) < settings.threshold:
        # What turns out to be small stays with pandas, as all that is small does.
        state.force(value)
        if stays(value):
            return base(value, *args, **kwargs)
    if outermost:
        report.refused(label, reason)
    copied = bytes_to_compute(value) if outermost else 0
    started = time.perf_counter()
    within.depth += 1
    where = "raised"
    try:
        answer = base(value, *args, **kwargs)
        where = "pandas"
        return answer
    finally:
        within.depth -= 1
        if outermost:
            report.LOG.add(label, where, reason, time.perf_counter() - started, copied)


def bytes_to_compute(value: Any) -> int:
    """How much of an object is computed only for pandas, as far as that is known."""
    if not is_ours(value) or not state.is_lazy(value):
        return 0
    plan = value.__dict__[state.PLAN]
    columns = len(plan.columns) if isinstance(plan, Frame) else 1
    return (plan.rows.count or 0) * columns * 8


def from_tests(depth: int) -> bool:
    """Whether pandas' own test helpers ask: they look at results, and are no program."""
    return sys._getframe(depth + 1).f_globals.get("__name__", "").startswith("pandas._testing")


def from_pandas(depth: int) -> bool:
    """Whether pandas' own code asks, in the middle of something."""
    module = sys._getframe(depth + 1).f_globals.get("__name__", "")
    return module.startswith("pandas.") and not module.startswith("pandas.tests")


#: Methods that write a file.
_WRITERS = frozenset(("to_csv", "to_feather", "to_json", "to_parquet"))


def _writer(base: Callable[..., Any]) -> Callable[..., Any]:
    """pandas' own method that writes a file: after what is still to be read of it."""

    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        from airloom.pandas.data import placing

        for argument in (*args, *kwargs.values()):
            if isinstance(argument, (str, os.PathLike)):
                placing.compute_readers(os.path.realpath(argument))
        return base(self, *args, **kwargs)

    return run


def method(owner: str | None, name: str, base: Callable[..., Any], function: Callable[..., Any] | None) -> Callable[..., Any]:
    """A method: the operation, where there is one, and pandas' own otherwise. One that classes share is told by that of the object."""
    known = None if owner is None else f"{owner}.{name}"
    always = name in _ALWAYS_IN_PLACE
    cells = known == "Series.__getitem__"
    cheap = _CHEAP.get(name, 0)
    if name in _WRITERS:
        base = _writer(base)

    @functools.wraps(base)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        # Asked here, before more hold the object.
        if (
            (always or (name in _CHANGES and kwargs.get("inplace") is True))
            and not CHAINED_WARNING_DISABLED
            and sys.getrefcount(self) <= REF_COUNT_METHOD
            and not common.is_local_in_caller_frame(self)
        ):
            warnings.warn(_chained_assignment_method_msg, ChainedAssignmentError, stacklevel=2)
        if (stays(self) and not any(is_ours(a) and not stays(a) for a in args)) or not is_ours(self) or from_tests(1):
            return base(self, *args, **kwargs)
        if cheap and is_cheap(self, cheap):
            return base(self, *args, **kwargs)
        if cells and args and is_cell(self, args[0]) and state.is_read_by_cell(self):
            return base(self, *args, **kwargs)
        # In the middle of something of its own pandas looks at few rows itself.
        if from_pandas(1) and (function is None or writes_in_place(self) or (name == "xs" and not state.is_lazy(self))):
            return base(self, *args, **kwargs)
        label = known or f"{type(self).__name__}.{name}"
        if function is None:
            return left_to_pandas(label, why(label), base, self, args, kwargs)
        if always:
            if writes_in_place(self):
                return base(self, *args, **kwargs)
            written(label, self, function, base, args, kwargs)
            return None
        if "inplace" in kwargs:
            return in_place(label, name, self, function, base, args, kwargs)
        return attempt(label, self, function, base, args, kwargs)

    # pandas looks at the parameters of methods that are given by name.
    run.__signature__ = inspect.signature(base)  # type: ignore[attr-defined]
    run.__airloom__ = function is not None  # type: ignore[attr-defined]
    return run


#: Methods that change an object in place, and return nothing.
_ALWAYS_IN_PLACE = frozenset(("update",))
#: Methods that change an object in place and return it, where they are told to. pandas warns where nobody else holds the object.
_CHANGES = frozenset(("fillna", "replace", "clip", "where", "mask", "ffill", "bfill", "interpolate"))
#: Methods whose `inplace` pandas wants to be rid of. They return nothing; the others return the object.
_DEPRECATED_IN_PLACE = frozenset(
    "query eval drop rename rename_axis set_index reset_index dropna drop_duplicates sort_values sort_index".split()
)


def in_place(label: str, name: str, value: Any, function: Callable[..., Any], base: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An operation that makes the object itself its result: who was made of it before goes on from what it was."""
    rest = {key: item for key, item in kwargs.items() if key != "inplace"}
    if not isinstance(kwargs["inplace"], bool):
        return left_to_pandas(label, "an `inplace` that is no boolean", base, value, args, kwargs)
    if kwargs["inplace"] and writes_in_place(value):
        return base(value, *args, **kwargs)
    if not kwargs["inplace"]:
        made = attempt(label, value, function, base, args, rest)
        if name in _DEPRECATED_IN_PLACE:
            value._check_inplace_deprecation(False, name)
        return made
    left, answer = written(label, value, function, base, args, kwargs, rest)
    if left:
        return answer
    if name in _DEPRECATED_IN_PLACE:
        value._check_inplace_deprecation(True, name)
        return None
    return value


def written(
    label: str,
    value: Any,
    function: Callable[..., Any],
    base: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    own: dict[str, Any] | None = None,
) -> tuple[bool, Any]:
    """Makes an object something else in place: by its plan, or by pandas. Whether it was left to pandas, and what that, or the operation, returned beside the plan.

    `base` writes to the object it is given; `own` are the keywords of the operation, where they are others than pandas'.
    """
    with Record() as record:
        result, reason = planned(value, function, args, kwargs if own is None else own)
    if reason is not None:
        args, kwargs = record.replayed(args), record.replayed(kwargs)
        return True, base(value, *args, **kwargs) if reason is STAYS else left_to_pandas(label, reason, base, value, args, kwargs)
    plan, answer = result if isinstance(result, tuple) else (result, None)
    report.LOG.add(label, "native")
    if settings.check is not None:

        def afterwards(before: Any, *args: Any, **kwargs: Any) -> Any:
            copied = before.copy()
            base(copied, *args, **kwargs)
            return copied

        _check(label, wrap(plan), afterwards, value, args, kwargs)
    state.set_plan(value, plan)
    return False, answer


def check_inplace_deprecation(self: Any, inplace: Any, method: str) -> Any:
    """pandas' warning, told of the line that asked: there are more calls in between than pandas counts."""
    if inplace is no_default:
        return False
    warnings.warn(
        f"The inplace keyword in {type(self).__name__}.{method} is deprecated and will be removed in a future version (PDEP-8).\n"
        "See https://pandas.pydata.org/docs/dev/whatsnew/v3.1.0.html#deprecation-inplace for more details.",
        Pandas4Warning,
        stacklevel=find_stack_level(),
    )
    return inplace


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
            return left_to_pandas(label, why(label), original, self._data, args, kwargs)
        return attempt(label, self._data, function, original, args, kwargs, self._plan())

    run.__name__ = name
    return run


def module_function(name: str, base: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the module: the operation, where its first argument is ours and does not stay with pandas."""
    label = f"pandas.{name}"

    @functools.wraps(base)
    def run(*args: Any, **kwargs: Any) -> Any:
        from airloom.pandas.face.adopting import adopted

        if not args or not is_ours(args[0]) or stays(args[0]) or within.depth:
            return adopted(base(*args, **kwargs))
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

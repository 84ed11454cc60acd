"""From objects to plans and back."""

from __future__ import annotations

from typing import Any

from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.choice import settings
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, classes
from airloom.pandas.internals import state
from airloom.pandas.internals.capture import captured_frame, captured_vector
from airloom.pandas.internals.foreign import mark_held_elsewhere
from airloom.pandas.plan.frame import Frame, Vector
from airloom.pandas.plan.visible import unseen
from airloom.pandas.refusals import Refused


def is_ours(value: Any) -> bool:
    """Whether a value is a frame or a series of ours, and no further subclass."""
    return type(value) in state.OURS


def plan_of(value: Any) -> Any:
    """The plan of any frame or series, refused where there is none."""
    if is_ours(value):
        if not value._flags._allows_duplicate_labels:
            raise Refused("the flag `allows_duplicate_labels=False`")
        return state.plan_of(value)
    if type(value) is BaseDataFrame or type(value) is BaseSeries:
        manager = value._mgr
        mark_held_elsewhere(manager)
        return captured_frame(manager) if manager.ndim == 2 else captured_vector(manager, value.name)
    raise Refused(f"a value of type `{type(value).__name__}`, which is neither a DataFrame nor a Series")


def wrap(result: Any) -> Any:
    """What users get for a plan."""
    if settings.raise_errors and type(result) in (Frame, Vector) and (hidden := unseen(result)):
        raise AssertionError(f"a plan reads {hidden}, which its rows do not have")
    if type(result) is Frame:
        return state.make(classes.DataFrame, result)
    if type(result) is Vector:
        return state.make(classes.Series, result)
    if type(result) is BaseDataFrame or type(result) is BaseSeries:
        return adopted(result)
    return result


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

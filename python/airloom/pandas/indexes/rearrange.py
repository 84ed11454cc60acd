"""Methods that only move rows, or give them other labels: pandas says which, of a series with the same labels."""

from __future__ import annotations

from typing import Any

from airloom.pandas.algorithms.by_key import columns_asked
from airloom.pandas.algorithms.relocate import relocated
from airloom.pandas.algorithms.take import rearranged
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.dtypes import types
from airloom.pandas.plan.frame import Frame, Vector
from airloom.pandas.refusals import Refused, value_text

#: Methods that choose rows by the time of their labels, or make their labels other ones.
_BY_TIME = ("at_time", "between_time", "tz_localize", "tz_convert")


def _register(name: str) -> None:
    @operation(f"DataFrame.{name}", f"Series.{name}")
    def moved(plan: Any, *args: Any, **kwargs: Any) -> Any:
        if "copy" in kwargs:
            raise Refused("the `copy` argument")
        axis = kwargs.get("axis")
        if isinstance(plan, Frame) and axis in (1, "columns"):
            return columns_asked(plan, lambda model: getattr(model, name)(*args, **kwargs))
        rest = {option: value for option, value in kwargs.items() if option != "axis"}
        if axis not in (None, 0, "index"):
            raise Refused(f"`axis={value_text(axis)}`")
        return rearranged(plan, lambda series: getattr(series, name)(*args, **rest))


for _name in _BY_TIME:
    _register(_name)


@operation("Series.repeat")
def repeat(vector: Vector, repeats: Any, axis: Any = None) -> Any:
    if axis is not None:
        raise Refused(f"`axis={value_text(axis)}`")
    if vector.dtype == types.OBJECT:
        raise Refused("`repeat` of objects, of which pandas infers another dtype")
    return relocated(vector, lambda series: series.repeat(repeats))


@operation("Series.squeeze")
def squeeze(vector: Vector, axis: Any = None) -> Any:
    return relocated(vector, lambda series: series.squeeze(axis))

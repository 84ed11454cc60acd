"""Functions of whole columns, and methods by their names: what is applied is called with columns of ours, and does what it does on the engine."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from pandas.api.types import is_list_like
from pandas.core import common

from airloom.pandas.algorithms.align import aligned
from airloom.pandas.dispatch.calls import invoke
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dispatch.wrapping import plain, plan_of, wrap
from airloom.pandas.execution import run
from airloom.pandas.ops.aggregates import is_aggregate
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.reshape import concat_by_position

#: Results of at most this many rows are put together as pandas does it.
FEW_ROWS = 1000


def by_name(plan: Any, name: str, axis: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the method of a name makes of a frame or a series."""
    value = wrap(plan)
    across = axis in (1, "columns")
    if name == "size" and isinstance(plan, Frame):
        return BaseSeries(len(plan.columns), index=value.index) if across else BaseSeries(run.count(plan.rows), index=plan.labels)
    if name.startswith("_") or name in ("apply", "agg", "aggregate", "transform", "pipe", "map"):
        raise Refused(f"the function name {value_text(name)}")
    method = getattr(value, name, None)
    if method is None:
        # Functions of NumPy's, which warn of what they meet.
        raise Refused(f"{value_text(name)} is not a method")
    if not callable(method):
        if args or kwargs:
            raise Refused(f"arguments of `{name}`")
        return method
    takes = inspect.signature(method).parameters
    if across and ("axis" not in takes or name in ("corrwith", "skew")):
        raise Refused(f"`{name}` has no `axis`")
    return method(*args, **({**kwargs, "axis": axis} if "axis" in takes and axis != 0 else kwargs))


def are_names(functions: Any) -> bool:
    """Whether these are names of aggregates, and nothing else."""
    items = list(functions.values()) if isinstance(functions, dict) else functions
    return bool(items) and all(is_aggregate(item) for item in items)


def whole_columns(frame: Frame, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function makes of each column: a value of each, or a column of each."""
    if isinstance(function, np.ufunc):
        if args or kwargs:
            raise Refused("arguments of a NumPy function")
        return silently(function, wrap(frame))
    if not frame.columns or run.count(frame.rows) == 0:
        raise Refused("a function of a frame without columns or rows")
    results = [invoke(function, wrap(frame.vector(at)), *args, **kwargs) for at in range(len(frame.columns))]
    if all(isinstance(result, BaseSeries) for result in results):
        return _beside(frame, results)
    if any(is_list_like(result) or isinstance(result, BaseDataFrame) for result in results):
        raise Refused("a function that returns lists")
    made = BaseSeries(dict(enumerate(results)))
    made.index = frame.labels
    return made


def silently(function: np.ufunc, value: Any, *args: Any, **kwargs: Any) -> Any:
    """What a function of NumPy's makes of an object, without its warnings: where pandas applies one, it has none either."""
    with np.errstate(all="ignore"):
        return function(value, *args, **kwargs)


def _beside(frame: Frame, results: list[Any]) -> Any:
    """Columns that a function made, side by side."""
    plans = [plan_of(result) for result in results]
    first = plans[0]
    try:
        rows: Rows = first.rows
        columns: list[Column] = []
        for plan in plans:
            rows, column = aligned(rows, first.index, plan)
            columns.append(column)
        return Frame(rows, columns, frame.labels, first.index)
    except Refused:
        if any(len(result) > FEW_ROWS for result in results):
            raise
    made = BaseDataFrame({at: plain(result) for at, result in enumerate(results)})
    made.columns = frame.labels
    return made


def transformed(plan: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `transform` makes: as many rows as there were."""
    if isinstance(function, BaseSeries):
        function = dict(plain(function))
    if is_list_like(function) and not isinstance(function, Mapping):
        function = list(function)
        if len(set(function)) < len(function):
            raise Refused("duplicate functions")
        if isinstance(plan, Vector):
            function = {common.get_callable_name(item) or item: item for item in function}
        else:
            function = dict.fromkeys(plan.labels, function)
    if isinstance(function, Mapping):
        return _by_label(plan, dict(function), args, kwargs)
    if isinstance(function, str):
        made = by_name(plan, function, 0, args, kwargs)
    elif isinstance(plan, Frame):
        made = wrap(whole_columns(plan, function, args, kwargs))
    else:
        raise Refused("a function that must be called with single values")
    if not isinstance(made, (BaseDataFrame, BaseSeries)) or (isinstance(plan, Frame) and not isinstance(made, BaseDataFrame)):
        raise Refused("a function that returns an object of another shape")
    if not made.index.equals(wrap(plan).index):
        raise Refused("a function that returns another index")
    return made


def _by_label(plan: Any, functions: dict[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not functions or (isinstance(plan, Frame) and (not plan.labels.is_unique or plan.labels.nlevels > 1 or not all(label in plan.labels for label in functions))):
        raise Refused("functions by labels that are not columns")
    if len({is_list_like(function) for function in functions.values()}) > 1:
        raise Refused("lists of functions beside single ones")
    pieces = {}
    for label, function in functions.items():
        value = wrap(plan.vector(plan.position(label)) if isinstance(plan, Frame) else plan)
        pieces[label] = value.transform(function, 0, *args, **kwargs)
    return concat_by_position.concat(pieces, axis=1)

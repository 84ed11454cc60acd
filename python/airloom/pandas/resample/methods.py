"""What `resample` is asked for: aggregates of spans, and rows at the beginnings of shorter ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas

from airloom.pandas.algorithms import literals
from airloom.pandas.dispatch.registry import OPERATIONS, operation
from airloom.pandas.dtypes import types
from airloom.pandas.groupby.grouping import Grouping, group_result
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_index
from airloom.pandas.ops.aggregates import aggregate
from airloom.pandas.plan.expression import Literal
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.plan.rows import MemoryRows, space_of
from airloom.pandas.refusals import Refused
from airloom.pandas.resample.by_index import upsampled

#: The operations of groups that spans have too.
AGGREGATES = ("sum", "prod", "mean", "min", "max", "first", "last", "count", "size", "nunique", "std", "var", "sem", "median", "quantile", "ohlc")


def of_spans(name: str) -> Callable[..., Any]:
    """An aggregate of spans."""

    def run(groups: Grouping, *args: Any, **kwargs: Any) -> Any:
        if not groups.nothing:
            return OPERATIONS["GroupBy"][name](groups, *args, **kwargs)
        if args or kwargs:
            raise Refused(f"arguments of `{name}` without rows")
        return _of_nothing(groups, name)

    return run


def _of_nothing(groups: Grouping, name: str) -> Any:
    """What an aggregate of no rows comes to: no rows, of the same columns."""
    frame = groups.frame
    base = space_of(frame.rows)
    assert groups.spans is not None
    if not isinstance(base, MemoryRows) or isinstance(groups.spans, pandas.PeriodIndex):
        raise Refused("resampling no timestamps, or no periods")
    index = captured_index(base, groups.spans)
    if name == "ohlc":
        return _prices_of_nothing(groups, index)
    whole = Column(Literal(0, types.type_of(types.INT64)), types.INT64)  # type: ignore[arg-type]
    counts = name in ("count", "size")
    if groups.vector or (name == "size" and groups.selection is None):
        column = whole if counts else frame.columns[groups.positions[0]]
        return Vector(frame.rows, column, groups.selection if groups.vector else None, index)
    if name == "size":
        raise Refused("resampling no timestamps")
    columns = [whole if counts else frame.columns[position] for position in groups.positions]
    return Frame(frame.rows, columns, frame.labels.take(groups.positions), index)


def _prices_of_nothing(groups: Grouping, index: Any) -> Frame:
    frame = groups.frame
    if any(not types.is_float(materialize.decided(frame.columns[position]).dtype) for position in groups.positions):
        raise Refused("resampling no timestamps")
    titles = list(_PRICES)
    labels = pandas.Index(titles) if groups.vector else pandas.MultiIndex.from_product([frame.labels.take(groups.positions), titles])
    missing = Column(literals.missing(types.FLOAT64), types.FLOAT64)
    return Frame(frame.rows, [missing] * len(labels), labels, index)


def aggregate_spans(groups: Grouping, func: Any = None, *args: Any, **kwargs: Any) -> Any:
    """`agg`, and `apply`, of spans."""
    if isinstance(func, str) and func in SPANS:
        return SPANS[func](groups, *args, **kwargs)
    if isinstance(func, str):
        raise Refused(f"the aggregate `{func}` of `resample`")
    if groups.nothing:
        raise Refused("resampling no timestamps")
    return OPERATIONS["GroupBy"]["agg"](groups, func, *args, **kwargs)


def filling(name: str) -> Callable[..., Any]:
    """Rows at the beginnings of spans, where there are more spans than rows."""

    def run(groups: Grouping, limit: Any = None) -> Any:
        return upsampled(_plan(groups), _options(groups), name, limit)

    return run


def rows_at(groups: Grouping, fill_value: Any = None) -> Any:
    """`asfreq` of spans."""
    return upsampled(_plan(groups), _options(groups), "asfreq", None, fill_value)


def _options(groups: Grouping) -> dict[str, Any]:
    if groups.resampling is None:
        raise Refused("groups that are not by time")
    return groups.resampling


def _plan(groups: Grouping) -> Any:
    """What was asked for its spans."""
    frame = groups.frame
    if groups.vector:
        (position,) = groups.positions
        return Vector(frame.rows, frame.columns[position], groups.selection, frame.index)
    if groups.selection is not None:
        raise Refused("selected columns of `resample`")
    return frame


#: The operations of spans by name.
SPANS: dict[str, Callable[..., Any]] = {
    **{name: of_spans(name) for name in AGGREGATES},
    "agg": aggregate_spans,
    "aggregate": aggregate_spans,
    "apply": aggregate_spans,
    "ffill": filling("ffill"),
    "bfill": filling("bfill"),
    "nearest": filling("nearest"),
    "asfreq": rows_at,
    "transform": lambda groups, arg, *args, **kwargs: OPERATIONS["GroupBy"]["transform"](groups, arg, *args, **kwargs),
}

_PRICES = {"open": "first", "high": "max", "low": "min", "close": "last"}


@operation("GroupBy.ohlc")
def ohlc(groups: Grouping) -> Any:
    positions = groups.positions
    columns = [materialize.decided(groups.frame.columns[position]) for position in positions]
    if not columns or any(column.unsupported or column.dtype not in (types.FLOAT64, types.INT64) for column in columns):
        raise Refused("`ohlc` of dtypes other than `float64` and `int64`")
    values = [aggregate(name, column, grouped=True) for column in columns for name in _PRICES.values()]
    names = list(_PRICES.values()) * len(columns)
    if groups.vector:
        return group_result(groups, values, pandas.Index(list(_PRICES)), names)
    if isinstance(groups.frame.labels, pandas.MultiIndex) or not groups.as_index:
        raise Refused("MultiIndex columns")
    labels = [(groups.frame.labels[position], title) for position in positions for title in _PRICES]
    return group_result(groups, values, pandas.MultiIndex.from_tuples(labels, names=[groups.frame.labels.name, None]), names)

"""Quantiles of whole columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.ops.aggregates import aggregate
from airloom.pandas.plan.expression import call
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.plan.rows import Rows
from airloom.pandas.reductions.reductions import check_zeros, reduced
from airloom.pandas.reductions.value_counts import frame_of, series_of
from airloom.pandas.refusals import Refused, value_text


def _quantiles(rows: Rows, columns: Sequence[Column], wanted: Sequence[float], interpolation: str) -> list[list[Any]]:
    """For each column its quantiles."""
    made = [aggregate("quantile", column, grouped=False, q=q, interpolation=interpolation) for column in columns for q in wanted]
    narrow = [column for column in columns if column.dtype == np.float32]
    edges = [aggregate(edge, column, grouped=False) for column in columns for edge in ("min", "max")]
    counts = [aggregate("count", column, grouped=False) for column in narrow]
    values = reduced(rows, [*made, *edges, *counts])
    found = values[len(made) : len(made) + len(edges)]
    check_distances(rows, list(zip(columns, found[::2], found[1::2], strict=True)), wanted)
    if narrow and min(values[len(made) + len(edges) :]) < run.count(rows):
        # Where any is missing, pandas has quantiles of narrow floats as such.
        values = [np.float32(value) if columns[at // len(wanted)].dtype == np.float32 else value for at, value in enumerate(values[: len(made)])]
    check_zeros(rows, "quantile", [column for column in columns for _ in wanted], values[: len(made)])
    return [values[at * len(wanted) : (at + 1) * len(wanted)] for at in range(len(columns))]


def check_distances(rows: Rows, columns: Sequence[tuple[Column, Any, Any]], wanted: Sequence[float]) -> None:
    """Refuses quantiles between integers that lie further apart than their dtype reaches: NumPy has the distance of two wrap around. Columns come with their least and greatest.

    Infinite floats are refused too: NumPy subtracts the value at a quantile from the next one even where it needs only the first, and has NaN for none of an infinite distance.
    """
    if any(types.is_float(column.dtype) and (np.isinf(least) or np.isinf(greatest)) for column, least, greatest in columns):
        raise Refused("quantiles of infinite values")
    whole = [one for one in columns if types.is_integer(one[0].dtype)]
    far = [column for column, least, greatest in whole if int(greatest) - int(least) > np.iinfo(column.dtype).max]
    if not far:
        return
    floats = [Column(call("cast", column.expression, to=ir.f64), types.FLOAT64) for column in far]
    sides = [aggregate("quantile", column, grouped=False, q=q, interpolation=word) for column in floats for q in wanted for word in ("lower", "higher")]
    found = reduced(rows, sides)
    for at, (low, high) in enumerate(zip(found[::2], found[1::2], strict=True)):
        if high - low > np.iinfo(far[at // len(wanted)].dtype).max:
            raise Refused("integers that lie far apart")


def _numbers(q: Any) -> list[float]:
    if not isinstance(q, (list, tuple, np.ndarray)) or not len(q):
        raise Refused(f"`q` of type `{type(q).__name__}`")
    if not all(isinstance(item, (int, float, np.floating, np.integer)) and not isinstance(item, bool) and 0 <= item <= 1 for item in q):
        raise Refused("`q` with values that are not between 0 and 1")
    return [float(item) for item in q]


@operation("Series.quantile")
def quantile(vector: Vector, q: Any = 0.5, interpolation: str = "linear") -> Any:
    column = elementwise.known(vector.column)
    if isinstance(q, (int, float)) and not isinstance(q, bool):
        ((value,),) = _quantiles(vector.rows, [column], [float(q)], interpolation)
        return value
    wanted = _numbers(q)
    (values,) = _quantiles(vector.rows, [column], wanted, interpolation)
    return series_of(np.array(values), pandas.Index(wanted, dtype=np.float64), vector.name)


@operation("DataFrame.quantile")
def frame_quantile(frame: Frame, q: Any = 0.5, axis: Any = 0, numeric_only: Any = False, interpolation: str = "linear", method: str = "single") -> Any:
    if axis not in (0, "index") or method != "single" or interpolation != "linear":
        raise Refused(f"`axis={value_text(axis)}`, `method={value_text(method)}` or `interpolation={value_text(interpolation)}`")
    columns, labels = _of_numbers(frame, numeric_only)
    if isinstance(q, (int, float)) and not isinstance(q, bool):
        values = _quantiles(frame.rows, columns, [float(q)], interpolation)
        return series_of(np.array([value for (value,) in values]), labels, np.float64(q))
    wanted = _numbers(q)
    values = _quantiles(frame.rows, columns, wanted, interpolation)
    return frame_of(values, pandas.Index(wanted, dtype=np.float64), labels)


def is_plain(column: Column) -> bool:
    """Whether a column is one of NumPy's numbers."""
    return not column.unsupported and types.is_number(column.dtype) and not types.is_bool(column.dtype)


def _of_numbers(frame: Frame, numeric_only: Any) -> tuple[list[Column], pandas.Index]:
    """The columns of a frame, all of them numbers; refused where one is not."""
    if not isinstance(numeric_only, bool):
        raise Refused(f"`numeric_only={value_text(numeric_only)}` is not boolean")
    columns = [elementwise.known(column) if types.is_number(column.dtype) else materialize.decided(column) for column in frame.columns]
    positions = [at for at, column in enumerate(columns) if not numeric_only or types.is_numeric(column.dtype)]
    columns = [columns[at] for at in positions]
    if not columns or not all(map(is_plain, columns)):
        raise Refused("columns that are not numbers")
    return columns, frame.labels.take(positions)

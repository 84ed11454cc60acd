"""Spans of time by the index labels in memory: pandas says which label falls into which span, whatever the rule, and the engine does the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas.tseries.frequencies import is_subperiod, is_superperiod

from airloom.pandas.algorithms import elementwise, take
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.algorithms.relocate import promoted
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.groupby.grouping import Grouping
from airloom.pandas.internals.capture import captured_array, captured_index
from airloom.pandas.plan.expression import Literal
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, Vector, evaluate_windows
from airloom.pandas.plan.rows import MemoryRows, space_of
from airloom.pandas.refusals import Refused, value_text


def labels_of(frame: Any) -> pandas.Index:
    """The index labels in memory."""
    if not isinstance(frame.index, ColumnLabels) or frame.index.made is None or not isinstance(space_of(frame.rows), MemoryRows):
        raise Refused("an index that is not computed yet")
    return frame.index.made


def resampler_of(frame: Any, options: dict[str, Any]) -> Any:
    """pandas' spans of a series of positions with the same labels."""
    index = labels_of(frame)
    series = BaseSeries(np.arange(len(index)), index=index)
    return ask_pandas(lambda: series.resample(**options))


def grouping_by_labels(frame: Frame, options: dict[str, Any], group_options: dict[str, Any]) -> Grouping:
    """The groups of rows by the spans that their labels fall into."""
    spans = resampler_of(frame, options)
    axis = spans.ax
    if len(axis) and isinstance(axis, pandas.PeriodIndex):
        if not (is_subperiod(axis.freq, spans.freq) or is_superperiod(axis.freq, spans.freq) or axis.freq == spans.freq):
            raise Refused("a frequency into which the periods of the index do not fall")
    rows, columns = evaluate_windows(frame.rows, frame.columns)
    base = space_of(rows)
    assert isinstance(base, MemoryRows)
    labels, codes = _codes(spans, base.count)
    some_without = bool(len(codes)) and bool(codes.min() < 0)
    key = captured_array(base, pandas.arrays.IntegerArray(codes, codes < 0) if some_without else codes, "span")
    groups = Grouping(Frame(rows, columns, frame.labels, frame.index), [key], [axis.name], [], group_options)
    groups.spans = labels
    groups.nothing = not len(axis)
    positions = spans.obj.to_numpy()
    if (np.diff(positions) < 0).any():
        order = np.empty(base.count, np.int64)
        order[positions] = np.arange(base.count)
        groups.time = captured_array(base, order, "order").expression
    return groups


def _codes(spans: Any, count: int) -> tuple[pandas.Index, Any]:
    """The labels of spans, and the number of the span of each row: -1 where it has none."""
    if not len(spans.ax):
        return spans.ax._with_freq(spans.freq) if not isinstance(spans.ax, pandas.PeriodIndex) else spans.ax.asfreq(spans.freq), np.empty(0, np.int64)
    grouper = spans._grouper
    labels = grouper.result_index
    if isinstance(spans.ax, pandas.PeriodIndex) and not isinstance(labels, pandas.PeriodIndex):
        labels = labels.to_period(spans.freq)
    if not len(labels):
        raise Refused("no bins")
    codes = np.full(count, -1, np.int64)
    codes[spans.obj.to_numpy()] = grouper.ids
    return labels, codes


def upsampled(frame: Any, options: dict[str, Any], name: str, limit: Any = None, fill_value: Any = None) -> Any:
    """`ffill`, `bfill`, `nearest` or `asfreq` of spans: which row stands at each of the new labels."""
    labels = labels_of(frame)
    if isinstance(frame, Frame) and options["on"] is not None:
        raise Refused(f"`on={value_text(options['on'])}`")
    if isinstance(frame, Frame) and not len(labels) and isinstance(labels, pandas.TimedeltaIndex):
        # pandas has seconds for the labels of a frame then, and the unit of the index for those of a series.
        raise Refused("resampling no timedeltas")

    def change(series: Any) -> Any:
        spans = series.resample(**options)
        return spans.asfreq() if name == "asfreq" else getattr(spans, name)(limit=limit)

    return by_position(frame, change, fill_value)


def by_position(frame: Any, change: Any, fill_value: Any) -> Any:
    """The rows of a frame or a vector as pandas has those of a series of positions after a change, with a value where there is none."""
    found = take.positions_of(frame, change)
    if isinstance(found, int):
        raise Refused("an operation that leaves one row")
    positions, index = found
    if fill_value is None or not len(positions) or positions.min() >= 0:
        return take.at_positions(frame, positions, index)
    columns = frame.columns if isinstance(frame, Frame) else (frame.column,)
    if not len(labels_of(frame)):
        raise Refused("`fill_value` without rows")
    space = MemoryRows(len(positions))
    rows, made = take.gathered(space, space, frame.rows, columns, np.where(positions < 0, 0, positions))
    there = captured_array(space, positions >= 0, "there").expression
    filled = [_with(there, column, fill_value) for column in made]
    labels = captured_index(space, index)
    return Frame(rows, filled, frame.labels, labels) if isinstance(frame, Frame) else Vector(rows, filled[0], frame.name, labels)


def _with(there: Any, column: Column, fill_value: Any) -> Column:
    column = elementwise.known(column)
    if isinstance(column.dtype, np.dtype):
        promoted(column.dtype, fill_value)
    value = elementwise.fits(fill_value, column.dtype)
    if not isinstance(value, Literal) or value.value is None:
        raise Refused("a `fill_value` that is not of the dtype of the column")
    return column.at(elementwise.select(there, column.expression, value))


@operation("DataFrame.asfreq", "Series.asfreq")
def asfreq(frame: Any, freq: Any, method: Any = None, how: Any = None, normalize: Any = False, fill_value: Any = None) -> Any:
    return by_position(frame, lambda series: series.asfreq(freq, method=method, how=how, normalize=normalize), fill_value)


def _relabelled(frame: Any, axis: Any, change: Any) -> Any:
    """The same rows with labels that pandas makes of theirs."""
    if axis not in (0, "index"):
        raise Refused(f"`axis={value_text(axis)}`")
    index = labels_of(frame)
    return take.relabelled(frame, ask_pandas(lambda: change(BaseDataFrame(index=index)).index))


@operation("DataFrame.to_period", "Series.to_period")
def to_period(frame: Any, freq: Any = None, axis: Any = 0, copy: Any = None) -> Any:
    if copy is not None and copy is not pandas.api.extensions.no_default:
        raise Refused("the `copy` argument")
    return _relabelled(frame, axis, lambda empty: empty.to_period(freq))


@operation("DataFrame.to_timestamp", "Series.to_timestamp")
def to_timestamp(frame: Any, freq: Any = None, how: Any = "start", axis: Any = 0, copy: Any = None) -> Any:
    if copy is not None and copy is not pandas.api.extensions.no_default:
        raise Refused("the `copy` argument")
    return _relabelled(frame, axis, lambda empty: empty.to_timestamp(freq, how=how))



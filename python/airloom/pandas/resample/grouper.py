"""Spans of time as groups: `resample`, and groups by a frequency. Every span from the first row's to the last one's is a group, though it have no rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas
from pandas.core.resample import TimeGrouper

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dtypes import types
from airloom.pandas.groupby.grouper import BY_FREQUENCY
from airloom.pandas.groupby.grouping import Coded, Grouping
from airloom.pandas.plan.expression import Expression, Literal, call, fold
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, Vector, evaluate_windows, label_columns
from airloom.pandas.plan.rows import Rows
from airloom.pandas.reductions.reductions import reduced
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.resample.by_index import grouping_by_labels

OPTIONS = {"as_index": True, "sort": True, "dropna": True, "observed": True, "group_keys": False}


def grouping_by_time(frame: Frame, grouper: Any, position: int | None, name: Any, options: dict[str, Any]) -> Grouping:
    """The groups of rows by the span of time that a column, or the labels, fall into."""
    rows = frame.rows
    column = times_of(frame, rows, position)
    rows, settled = evaluate_windows(rows, [column, *frame.columns])
    column, columns = settled[0], settled[1:]
    number, spans = spans_of(rows, column, grouper, name)
    exclusions = [] if position is None else [position]
    groups = Grouping(Frame(rows, columns, frame.labels, frame.index), [number], [name], exclusions, options)
    groups.spans = spans
    if not _in_order(frame, position):
        groups.time = column.expression
    return groups


def key_of(frame: Frame, rows: Rows, grouper: Any) -> tuple[Rows, Column, Any, int | None]:
    """A frequency as a key beside others: spans without rows are no groups then."""
    if grouper.level is not None or (grouper.key is not None and grouper.key not in frame.labels):
        raise Refused("`Grouper` with `level`, or with a `key` that is not a column")
    position = None if grouper.key is None else frame.position(grouper.key)
    name = frame.index.names[0] if position is None else grouper.key
    column = times_of(frame, rows, position)
    rows, (column,) = evaluate_windows(rows, [column])
    number, spans = spans_of(rows, column, grouper, name)
    return rows, Coded(number, spans, in_full=False), name, position


def times_of(frame: Frame, rows: Rows, position: int | None) -> Column:
    """The times that spans are made of: a column, or the labels."""
    if position is not None:
        column = elementwise.known(frame.columns[position])
    else:
        labels = label_columns(rows, frame.index)
        if len(labels) != 1:
            raise Refused("a MultiIndex")
        column = elementwise.known(labels[0])
    if not types.is_time(column.dtype) or not isinstance(column.dtype, np.dtype):
        raise Refused(f"resampling dtype `{column.dtype}`")
    return column


def _in_order(frame: Frame, position: int | None) -> bool:
    return position is None and isinstance(frame.index, ColumnLabels) and frame.index.made is not None and bool(frame.index.made.is_monotonic_increasing)


def spans_of(rows: Rows, column: Column, grouper: Any, name: Any) -> tuple[Column, pandas.DatetimeIndex]:
    """The number of the span of each row, null without a time; and the labels of spans. pandas is asked with the first and the last time for where they begin."""
    asked = [Column(fold(op, column.expression, skip="null"), column.dtype) for op in ("min", "max")]
    *ends, gaps = reduced(rows, [*asked, Column(fold("any", call("is_null", column.expression)), types.BOOL)])
    if any(pandas.isna(end) for end in ends):
        raise Refused("resampling no timestamps")
    known = pandas.DatetimeIndex(np.array([pandas.Timestamp(end).to_datetime64() for end in ends], dtype=column.dtype), name=name)
    edges, bins, labels = grouper._get_time_bins(known)
    adjusted = grouper._adjust_bin_edges(edges, known.asi8)[1] if grouper.closed == "right" else edges.asi8
    begins = adjusted + 1 if grouper.closed == "right" else adjusted
    if gaps:
        # pandas puts missing times before all others, and takes them off again: the labels have no frequency then.
        labels = labels._with_freq(None)
    count = len(labels)
    if count == 0 or len(bins) != count or len(begins) < 2:
        raise Refused("no bins")
    steps = np.diff(begins)
    timestamps = begins.view(column.dtype)
    wide = ir.optional(ir.i64)
    if (steps == steps[0]).all() and steps[0] > 0:
        type = types.type_of(column.dtype)
        assert type is not None
        since = call("cast", call("dt_since", column.expression, Literal(timestamps[0], type.required)), to=wide)
        return _numbered(call("floordiv", since, Literal(int(steps[0]), ir.i64))), labels
    months = timestamps.astype("M8[M]")
    numbers = months.astype(np.int64)
    apart = np.diff(numbers)
    if not (months.astype(column.dtype) == timestamps).all() or not (apart == apart[0]).all() or apart[0] < 1:
        raise Refused("bins of different lengths")
    year = call("cast", call("dt_part", column.expression, part="year"), to=wide)
    month = call("cast", call("dt_part", column.expression, part="month"), to=wide)
    position: Expression = call("add", call("mul", call("sub", year, Literal(1970, ir.i64)), Literal(12, ir.i64)), month)
    since = call("sub", position, Literal(int(numbers[0]) + 1, ir.i64))
    return _numbered(call("floordiv", since, Literal(int(apart[0]), ir.i64))), labels


def _numbered(expression: Expression) -> Column:
    return Column(expression, pandas.Int64Dtype())


def resampled(plan: Any, options: dict[str, Any]) -> Grouping:
    """What `resample` asks for."""
    frame = plan
    if isinstance(plan, Vector):
        if options["on"] is not None:
            raise Refused(f"`on={value_text(options['on'])}` of a Series")
        frame = Frame(plan.rows, (plan.column,), pandas.Index([plan.name], dtype=object), plan.index)
    try:
        made = _by_rule(frame, options)
    except Refused:
        if options["on"] is not None:
            raise
        made = grouping_by_labels(frame, options, {**OPTIONS, "group_keys": bool(options["group_keys"])})
    made.resampling = options
    if isinstance(plan, Vector):
        made.selection, made.vector = plan.name, True
    return made


def time_grouper(options: dict[str, Any]) -> Any:
    """What pandas makes of a rule. What it warns of is left to it, so that it warns once."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return TimeGrouper(freq=options["rule"], **{word: options[word] for word in ("closed", "label", "origin", "offset")})
    except (ValueError, TypeError) as error:
        raise Refused(f"invalid frequency `{value_text(options['rule'])}`") from error
    except Warning as warning:
        raise Refused(f"a frequency of which pandas warns: {warning}") from warning


def _by_rule(frame: Frame, options: dict[str, Any]) -> Grouping:
    """Spans by arithmetic, where times have no zone and spans are alike."""
    if options["level"] is not None or options["convention"] != "start":
        raise Refused(f"`level`, or `convention={value_text(options['convention'])}`")
    grouper = time_grouper(options)
    on = options["on"]
    if on is not None and (isinstance(frame.labels, pandas.MultiIndex) or on not in frame.labels):
        raise Refused(f"`on={value_text(on)}` is not a column")
    position = None if on is None else frame.position(on)
    return grouping_by_time(frame, grouper, position, frame.index.names[0] if on is None else on, {**OPTIONS, "group_keys": bool(options["group_keys"])})


def grouped_by(frame: Frame, grouper: Any, options: dict[str, Any]) -> Grouping:
    """What `groupby(pandas.Grouper(...))` asks for."""
    if type(grouper) is not TimeGrouper or grouper.level is not None or not options["sort"] or not options["dropna"] or not options["as_index"]:
        raise Refused("`Grouper` with `level`, `sort=False`, `dropna=False` or `as_index=False`")
    if grouper.key is not None and (grouper.key not in frame.labels or not frame.labels.is_unique):
        raise Refused("`Grouper` with a `key` that is not a column")
    position = None if grouper.key is None else frame.position(grouper.key)
    return grouping_by_time(frame, grouper, position, frame.index.names[0] if position is None else grouper.key, options)


BY_FREQUENCY.update(alone=grouped_by, beside=key_of)

"""Spans of time within groups: `groupby(...).resample(...)`. Every span from a group's first row to its last one is there, though it have no rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas.tseries.offsets import Day, Tick

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.groupby.grouping import Grouping
from airloom.pandas.groupby.unobserved import grouper_of, observed
from airloom.pandas.plan.expression import Fold, Literal, Over, call
from airloom.pandas.plan.frame import Column, Frame, RangeLabels, evaluate_windows
from airloom.pandas.plan.rows import Sorted
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.resample.grouper import OPTIONS, spans_of, time_grouper, times_of
from airloom.pandas.resample.methods import AGGREGATES, aggregate_spans, of_spans

#: At most this many rows are made of spans without rows for each that has some.
MOST_EMPTY = 1000


def resampled(groups: Grouping, options: dict[str, Any]) -> Grouping:
    """The spans of each group."""
    if not (groups.sort and groups.dropna and groups.as_index and groups.group_keys) or groups.whole or groups.spans is not None:
        raise Refused("`sort=False`, `dropna=False`, `as_index=False` or `group_keys=False` of `groupby`")
    if options["group_keys"] is not False or options["include_groups"] is not False or options["kwargs"]:
        raise Refused("`group_keys`, `include_groups` or further arguments")
    on = options["on"]
    if options["convention"] is not None or (not groups.vector and groups.selection is None and not groups.exclusions):
        raise Refused("`convention`, or groups by keys that are not columns")
    frame = groups.frame
    if on is not None and (groups.vector or groups.selection is not None or isinstance(frame.labels, pandas.MultiIndex) or on not in frame.labels):
        raise Refused(f"`on={value_text(on)}` is not a column")
    if on is not None and not (isinstance(frame.index, RangeLabels) and (frame.index.start, frame.index.step) == (0, 1)):
        # Of a column within groups pandas takes the timestamps by its labels as if they were positions: with other labels they are those of other rows.
        raise Refused("`on` with labels that are not positions")
    grouper = time_grouper(options)
    _check_alike(grouper)
    position = None if on is None else frame.position(on)
    name = frame.index.names[0] if position is None else on
    times = times_of(frame, frame.rows, position)
    if elementwise.has_missing(frame.rows, times):
        raise Refused("missing timestamps within groups")
    rows, settled = evaluate_windows(frame.rows, [times, *groups.keys, *frame.columns])
    times, keys, columns = settled[0], settled[1 : 1 + len(groups.keys)], settled[1 + len(groups.keys) :]
    before = Over(Fold("arr_shift", (_count(times),), (Literal(1, ir.i64), Literal(None, ir.i64))), ())
    if elementwise.any_row(rows, call("is_true", call("lt", _count(times), before))):
        # pandas puts rows in the order of their times before it looks which is the first.
        rows = Sorted(rows, [times.expression], ["asc.first"])
    number, spans = spans_of(rows, times, grouper, name)
    exclusions = [*groups.exclusions] if position is None else [*groups.exclusions, position]
    settings = {**OPTIONS, "group_keys": True}
    made = Grouping(Frame(rows, columns, frame.labels, frame.index), [*keys, number], [*groups.names, name], exclusions, settings)
    made.selection, made.vector, made.whole = groups.selection, groups.vector, True
    made.whole_labels = _labels(made, spans)
    return made


def _check_alike(grouper: Any) -> None:
    """Refuses spans that begin elsewhere in one group than in another: at the day of its first row, or counted from there."""
    freq, origin = grouper.freq, grouper.origin
    if isinstance(freq, Tick):
        day = pandas.Timedelta(days=1)
        alike = origin == "epoch" or isinstance(origin, pandas.Timestamp) or (origin == "start_day" and day % pandas.Timedelta(freq) == pandas.Timedelta(0))
    else:
        alike = freq.n == 1 and (not isinstance(freq, Day) or origin in ("start_day", "epoch"))
    if not alike:
        raise Refused("bins that begin at another time in each group")


def _count(times: Column) -> Any:
    return call("cast", times.expression, to=ir.optional(ir.i64))


def _labels(groups: Grouping, spans: pandas.Index) -> tuple[pandas.Index, Any]:
    """The labels of all spans of all groups; and for each that has rows, in the order in which they first stand, which of the labels is its own."""
    *keys, numbers = observed(groups)
    numbers = np.asarray(numbers, np.int64)
    grouper = grouper_of(groups, keys)
    ids, count = np.asarray(grouper.ids, np.int64), len(grouper.result_index)
    known = ids >= 0
    if not known.any():
        raise Refused("no groups")
    first, last = np.full(count, len(spans), np.int64), np.full(count, -1, np.int64)
    np.minimum.at(first, ids[known], numbers[known])
    np.maximum.at(last, ids[known], numbers[known])
    lengths = last - first + 1
    if lengths.sum() > MOST_EMPTY * len(numbers):
        raise Refused("many more bins than rows")
    begins = np.cumsum(lengths) - lengths
    positions = np.full(len(numbers), -1, np.int64)
    positions[known] = begins[ids[known]] + numbers[known] - first[ids[known]]
    within = np.arange(lengths.sum()) - np.repeat(begins - first, lengths)
    # A span is used where more groups have begun than have ended.
    begun = np.bincount(first, minlength=len(spans) + 1) - np.bincount(last + 1, minlength=len(spans) + 1)
    used = np.cumsum(begun)[:-1] > 0
    codes = (np.cumsum(used) - 1)[within]
    result = grouper.result_index
    several = isinstance(result, pandas.MultiIndex)
    level = spans[used]._with_freq(None)
    if (first == first[0]).all() and (last == last[0]).all() or (first[1:] == last[:-1] + 1).all():
        # pandas keeps the frequency where all groups have the same spans, and where each goes on from where the one before ends.
        level = spans[first[0] : last[-1] + 1]
    levels = [*(result.levels if several else [result.rename(None)]), level.rename(None)]
    numbered = [*(result.codes if several else [np.arange(count)])]
    labels = pandas.MultiIndex(levels, [*(np.repeat(one, lengths) for one in numbered), codes], names=groups.names, verify_integrity=False)
    return labels, positions


#: The operations of spans within groups by name.
GROUP_SPANS: dict[str, Any] = {**{name: of_spans(name) for name in AGGREGATES}, "agg": aggregate_spans, "aggregate": aggregate_spans}

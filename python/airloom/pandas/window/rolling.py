"""Windows that move along the rows, and what they move along."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
from pandas.api.indexers import BaseIndexer, FixedForwardWindowIndexer
from pandas.api.types import is_bool_dtype
from pandas.tseries.frequencies import to_offset

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.algorithms.sorting import sort_key
from airloom.pandas.algorithms.steps import every
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.groupby.grouping import Coded, Grouping
from airloom.pandas.groupby.transform_rows import partition_of
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, call
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, Index, RangeLabels, Vector, evaluate_windows, label_columns
from airloom.pandas.plan.rows import Filtered, MemoryRows, Sliced, Sorted, space_of
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.window.bounds import Ahead, Around, Body, Bounds, Fixed, Given, Lately, Partition, SoFar
from airloom.pandas.window.floats import as_floats


class Moving:
    """A frame, a vector or groups of one, with the windows that move along it."""

    __slots__ = ("_minimum", "bounds", "on", "partition", "plan", "step", "times")

    def __init__(
        self, plan: Any, bounds: Bounds, minimum: int | None, step: int | None = None, on: Any = None, times: Column | None = None, partition: Partition = ()
    ) -> None:
        self.plan = plan
        self.bounds = bounds
        self._minimum = minimum
        #: Of every `n` rows there is a result.
        self.step = step
        #: The column along which windows move, which is no result; and as what it stands among the results, unless they have it as labels.
        self.on = on
        self.times = times
        #: The keys whose rows windows of one column of groups stay within.
        self.partition = partition

    @property
    def vector(self) -> bool:
        return isinstance(self.plan, Vector) or (isinstance(self.plan, Grouping) and self.plan.vector)

    @property
    def minimum(self) -> int:
        """How many elements a window needs."""
        return self.bounds.minimum if self._minimum is None else self._minimum

    def over(self, plan: Any, partition: Partition = ()) -> Moving:
        """The same windows along something else, from row to row."""
        if self.times is not None and isinstance(plan, Frame) and self.on not in plan.labels:
            plan = plan.with_columns([*plan.columns, self.times], plan.labels.append(pandas.Index([self.on])))
        return Moving(plan, self.bounds, self._minimum, self.step, self.on, self.times, partition)

    def whole(self) -> Moving:
        """The same windows, with a result of every row."""
        return Moving(self.plan, self.bounds, self._minimum, None, self.on, self.times, self.partition)

    def rolled(self, value: Expression, partition: Partition, body: Body, minimum: int | None = None) -> Expression:
        """What a body makes of each window: NaN where there are too few elements."""
        return call("null_to_nan", self.bounds.over(value, partition, body, self.minimum if minimum is None else minimum))


def rolling(plan: Any, window: Any, min_periods: Any, center: Any, win_type: Any, on: Any, closed: Any, method: Any, step: Any = None) -> Moving:
    """Windows of `n` rows, or of a span of time. Those of groups have no steps."""
    if win_type is not None or method != "single" or not isinstance(center, bool):
        raise Refused(f"`win_type`, `method={value_text(method)}`, or `center` is not boolean")
    if closed not in (None, "right", "left", "both", "neither"):
        raise Refused(f"`closed={value_text(closed)}`")
    if step is not None and (not isinstance(step, int) or isinstance(step, bool) or step < 1):
        raise Refused(f"`step={value_text(step)}`")
    _check_minimum(min_periods)
    bounds: Bounds
    if type(window) is FixedForwardWindowIndexer and not center and closed is None and isinstance(window.window_size, int) and on is None:
        bounds = Ahead(window.window_size)
    elif isinstance(window, (str, pandas.Timedelta, pandas.offsets.Tick)) or type(window).__name__ == "timedelta":
        return _lately(plan, window, min_periods, center, on, closed, step)
    elif isinstance(window, BaseIndexer) and on is None and step is None:
        return Moving(plan, _given(plan, window, min_periods, center, closed), min_periods)
    elif isinstance(window, (int, np.integer)) and not isinstance(window, (bool, np.timedelta64)) and window >= 1 and on is None:
        bounds = Fixed(int(window), center, closed or "right")
    else:
        raise Refused("`window` is neither a positive integer nor a timedelta, or `on` with a number of rows")
    if min_periods is not None and min_periods > bounds.minimum:
        raise Refused(f"`min_periods={value_text(min_periods)}` above the window")
    return Moving(plan, bounds, min_periods, step)


def _given(plan: Any, window: BaseIndexer, min_periods: Any, center: bool, closed: Any) -> Given:
    """The positions that an object of the user's gives for each row."""
    space = None if isinstance(plan, Grouping) else space_of(plan.rows)
    if not isinstance(space, MemoryRows) or not isinstance(window.window_size, (int, np.integer)):
        raise Refused("a `BaseIndexer` along groups, or along rows that are not computed yet")
    minimum = int(window.window_size) if min_periods is None else min_periods
    bounds = ask_pandas(lambda: window.get_window_bounds(num_values=space.count, min_periods=minimum, center=center, closed=closed, step=None))
    for positions in bounds:
        if not isinstance(positions, np.ndarray) or positions.shape != (space.count,) or positions.dtype != types.INT64:
            raise Refused(f"window bounds must be int64 arrays of length {space.count}")
        if space.count and (positions.min() < 0 or positions.max() > space.count):
            raise Refused("window bounds outside the rows")
        if (np.diff(positions) < 0).any():
            raise Refused("window bounds that decrease")
    starts, ends = (captured_array(space, positions.copy(), "position").expression for positions in bounds)
    return Given(starts, ends, minimum)


def _lately(plan: Any, window: Any, min_periods: Any, center: bool, on: Any, closed: Any, step: Any) -> Moving:
    grouped = isinstance(plan, Grouping)
    if step is not None or (grouped and on is not None):
        raise Refused("`step` with a timedelta as window, or `on` with groups")
    frame = plan.frame if grouped else plan
    labels = label_columns(frame.rows, frame.index)
    if on is None:
        if isinstance(frame.index, RangeLabels) or len(labels) != 1:
            raise Refused("a timedelta as window along an index that is not of timestamps")
        column = labels[0]
    elif isinstance(frame, Frame) and isinstance(on, str) and on in frame.labels and frame.labels.is_unique:
        column = frame.columns[frame.position(on)]
    else:
        raise Refused("`on` is not a column")
    times = elementwise.known(column)
    if not types.is_time(times.dtype) or types.unit_of(times.dtype) not in ("s", "ms", "us", "ns"):
        raise Refused(f"a timedelta as window along dtype `{times.dtype}`")
    ticks = _ticks(window, times.dtype)
    partition = partition_of(plan) if grouped else ()
    count = call("cast", times.expression, to=ir.optional(ir.i64))
    before = Over(Fold("arr_shift", (count,), (Literal(1, ir.i64), Literal(None, ir.i64))), partition)
    gone = call("is_null", count)
    known = call("coalesce", count, Literal(0, ir.i64))
    if elementwise.any_row(frame.rows, elementwise.either(call("is_true", call("lt", count, before)), gone)):
        if grouped or elementwise.any_row(frame.rows, elementwise.either(call("is_true", call("gt", count, before)), gone)):
            raise Refused("timestamps that neither increase nor decrease")
        known = call("sub", Literal(0, ir.i64), known)
    bounds = (Around if center else Lately)(known, ticks, closed or "right")
    stays = column if on is not None and on not in frame.index.names and not _same(frame, labels, times) else None
    return Moving(plan, bounds, min_periods, None, on, stays)


def _ticks(window: Any, dtype: Any) -> int:
    """How many ticks of times a span is."""
    try:
        span = pandas.Timedelta(to_offset(window).nanos)
    except (ValueError, TypeError) as error:
        raise Refused("`window` is not a timedelta") from error
    unit = types.unit_of(dtype)
    ticks = span.value // pandas.Timedelta(1, unit).value
    if ticks < 1 or span != pandas.Timedelta(int(ticks), unit):
        raise Refused("a window that is finer than the unit of the timestamps")
    return int(ticks)


def _same(frame: Frame, labels: tuple[Column, ...], times: Column) -> bool:
    """Whether times are the labels: pandas does not repeat them among the results."""
    if len(labels) != 1 or isinstance(frame.index, RangeLabels):
        return False
    label = elementwise.known(labels[0])
    return bool(kinds.same(label.dtype, times.dtype) and not elementwise.any_row(frame.rows, call("ne", label.expression, times.expression)))


def expanding(plan: Any, min_periods: Any, method: Any) -> Moving:
    """Windows of all rows so far."""
    if method != "single":
        raise Refused(f"`method={value_text(method)}`")
    _check_minimum(min_periods)
    return Moving(plan, SoFar(), min_periods)


def _check_minimum(value: Any) -> None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise Refused(f"`min_periods={value_text(value)}`")


#: A column of floats, and the keys whose rows windows stay within, as a column of results.
Make = Callable[[Column, Partition], Expression]


def along(moving: Any, numeric_only: Any, make: Make, floats: Callable[[Column], Expression] = as_floats) -> Any:
    """The results of windows along each column, of which `floats` are made."""
    if not isinstance(numeric_only, bool):
        raise Refused(f"`numeric_only={value_text(numeric_only)}` is not boolean")

    def change(column: Column, partition: Partition) -> Column:
        return Column(make(Column(floats(column), types.FLOAT64), partition), types.FLOAT64)

    plan = moving.plan
    if isinstance(plan, Vector):
        if numeric_only and not types.is_numeric(elementwise.known(plan.column).dtype):
            raise Refused(f"`numeric_only=True` on `{plan.dtype}`")
        return stepped(Vector(plan.rows, change(plan.column, moving.partition), plan.name, plan.index), moving.step)
    if isinstance(plan, Frame):
        on, columns, kept = moving.on, [], []
        for at, (label, column) in enumerate(zip(plan.labels, plan.columns, strict=True)):
            if on is not None and label == on:
                if moving.times is None:
                    continue
                columns.append(column)
            elif numeric_only and (is_bool_dtype(dtype := elementwise.known(column).dtype) or not types.is_numeric(dtype)):
                continue
            else:
                columns.append(change(column, ()))
            kept.append(at)
        if not columns:
            raise Refused("no columns")
        return stepped(plan.with_columns(columns, plan.labels.take(kept)), moving.step)
    if numeric_only:
        raise Refused("`numeric_only=True` with groups")
    columns = [change(plan.frame.columns[position], partition_of(plan)) for position in plan.positions]
    return by_group(plan, columns, None if plan.vector else plan.frame.labels.take(plan.positions))


def stepped(plan: Any, step: int | None) -> Any:
    """Every `n`-th row, where not all are wanted."""
    if step is None or step == 1 or run.count(Sliced(plan.rows, 0, 2)) < 2:
        # Labels that are all wanted are as they were, and keep their frequency.
        return plan
    return every(plan, step)


def _counting(index: Index, level: int) -> dict[str, Any]:
    """What is known of labels as a level below keys: whether they are a range may have to be looked at where pandas did."""
    if isinstance(index, RangeLabels) or isinstance(index.made, pandas.RangeIndex):
        return {"counting": level}
    if index.made is None and index.ranged and index.origin is None and len(index.columns) == 1:
        return {"counting": level, "ranged": index.ranged}
    return {}


def by_group(groups: Grouping, columns: list[Column], labels: pandas.Index | None) -> Any:
    """The windows of each group, one group after the other: keys are labels beside those of the rows. Without labels of columns, of one column."""
    if not groups.sort or not groups.dropna or not groups.as_index or groups.whole or groups.spans is not None:
        raise Refused("`sort=False`, `dropna=False`, `as_index=False`, unobserved categories, or groups by time")
    if any(isinstance(key, Coded) for key in groups.keys):
        raise Refused("groups by keys that have no native type")
    frame = groups.frame
    if not groups.vector and groups.selection is None and not groups.exclusions:
        raise Refused("groups by keys that are not columns")
    mine = label_columns(frame.rows, frame.index)
    if any(kinds.same(label.dtype, types.OBJECT) for label in mine):
        raise Refused("index labels of dtype `object`, of which pandas infers no other dtype here")
    together = [*columns, *groups.keys, *mine]
    rows, settled = evaluate_windows(frame.rows, together)
    values, rest = settled[: len(columns)], settled[len(columns) :]
    keys = rest[: len(groups.keys)]
    for key in keys:
        gone = elementwise.missing(key)
        if not isinstance(gone, Literal):
            rows = Filtered(rows, elementwise.negated(gone))
            if not elementwise.any_row(rows, elementwise.TRUE):
                raise Refused("no groups")
    rows = Sorted(rows, [sort_key(key) for key in keys], ["asc.last"] * len(keys))
    index = ColumnLabels(rest, [*groups.names, *frame.index.names], **_counting(frame.index, len(keys)))
    return Vector(rows, values[0], groups.selection, index) if labels is None else Frame(rows, values, labels, index)

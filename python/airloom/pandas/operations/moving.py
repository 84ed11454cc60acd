"""Windows that move along the rows: where they begin and end, and what they move along."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import pandas
from pandas.api.indexers import FixedForwardWindowIndexer

from airloom import ir
from airloom.pandas.data import types
from airloom.pandas.operations import elements
from airloom.pandas.operations.group_rows import partition_of
from airloom.pandas.operations.groups import Coded, Grouping
from airloom.pandas.operations.sorting import sort_key
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, Ref, call, fold
from airloom.pandas.plan.frame import Column, Frame, Keys, Positions, Refused, Vector, label_columns, moved, pinned
from airloom.pandas.plan.rows import Filtered, Rows, Sorted, space_of

#: The keys whose rows windows stay within.
Partition = tuple[Expression, ...]
#: What is made of the elements of a window.
Body = Callable[[Any], Any]


class Bounds(Protocol):
    """Where windows begin and end."""

    #: How many elements a window needs, where nobody says.
    minimum: int

    def over(self, value: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
        """What a body makes of each window: null where there are too few elements."""


class Fixed:
    """So many rows."""

    def __init__(self, width: int, centred: bool, closed: str) -> None:
        self.width = self.minimum = width
        self.centred = centred
        self.closed = closed

    def over(self, value: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
        attributes = {"min_count": minimum, "centred": self.centred, "closed": self.closed}
        return Over(Fold("arr_rolling", (value,), (Literal(self.width, ir.i64),), body, attributes), partition)


class SoFar:
    """All rows up to this one."""

    minimum = 1

    def over(self, value: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
        place = _place(value, partition)
        return _between(value, call("mul", place, Literal(0, ir.i64)), call("add", place, Literal(1, ir.i64)), partition, body, minimum)


class Ahead:
    """So many rows from this one on."""

    def __init__(self, width: int) -> None:
        self.width = self.minimum = width

    def over(self, value: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
        place = _place(value, partition)
        return _between(value, place, call("add", place, Literal(self.width, ir.i64)), partition, body, minimum)


class Lately:
    """The rows of a span of time that ends with this one; times rise from row to row."""

    minimum = 1

    def __init__(self, times: Expression, ticks: int, closed: str) -> None:
        self.times = times
        self.ticks = ticks
        self.closed = closed

    def over(self, value: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
        # The tick before belongs to the window where its left end does.
        back = self.ticks + (self.closed in ("left", "both"))
        begin = call("sub", self.times, Literal(back, ir.i64))
        start = Over(Fold("arr_search", (self.times, begin), (), None, {"right": True}), partition)
        if self.closed in ("right", "both"):
            end: Expression = call("add", _place(value, partition), Literal(1, ir.i64))
        else:
            # Rows of the same time do not belong to it either.
            end = Over(Fold("arr_search", (self.times, self.times), (), None, {"right": False}), partition)
        return _between(value, start, end, partition, body, minimum)


def _place(value: Expression, partition: Partition) -> Expression:
    return Over(fold("row_number", value), partition)


def _between(value: Expression, start: Expression, end: Expression, partition: Partition, body: Body, minimum: int) -> Expression:
    return Over(Fold("arr_windows", (value, start, end), (), body, {"min_count": minimum}), partition)


class Moving:
    """A frame, a vector or groups of one, with the windows that move along it."""

    __slots__ = ("_minimum", "bounds", "on", "plan", "step")

    def __init__(self, plan: Any, bounds: Bounds, minimum: int | None, step: int | None = None, on: Any = None) -> None:
        self.plan = plan
        self.bounds = bounds
        self._minimum = minimum
        #: Of every so many rows there is a result.
        self.step = step
        #: The column of times, which stays as it is.
        self.on = on

    @property
    def vector(self) -> bool:
        return isinstance(self.plan, Vector) or (isinstance(self.plan, Grouping) and self.plan.vector)

    @property
    def minimum(self) -> int:
        """How many elements a window needs."""
        return self.bounds.minimum if self._minimum is None else self._minimum

    def over(self, plan: Any) -> Moving:
        """The same windows along something else."""
        if self.on is not None and isinstance(plan, Frame) and self.on in plan.labels:
            raise Refused("the column of times among those that are chosen")
        return Moving(plan, self.bounds, self._minimum, self.step, self.on)

    def rolled(self, value: Expression, partition: Partition, body: Body, minimum: int | None = None) -> Expression:
        """What a body makes of each window: NaN where there are too few elements."""
        return call("null_to_nan", self.bounds.over(value, partition, body, self.minimum if minimum is None else minimum))


def rolling(plan: Any, window: Any, min_periods: Any, center: Any, win_type: Any, on: Any, closed: Any, step: Any, method: Any) -> Moving:
    """Windows of so many rows, or of a span of time."""
    if win_type is not None or method != "single" or not isinstance(center, bool):
        raise Refused("weights, or a table")
    if closed not in (None, "right", "left", "both", "neither"):
        raise Refused("which ends belong to a window")
    if step is not None and (not isinstance(step, int) or isinstance(step, bool) or step < 1):
        raise Refused("steps that are none")
    if step is not None and isinstance(plan, Grouping):
        raise Refused("steps along groups")
    _check_minimum(min_periods)
    bounds: Bounds
    if type(window) is FixedForwardWindowIndexer and not center and closed is None and isinstance(window.window_size, int) and on is None:
        bounds = Ahead(window.window_size)
    elif isinstance(window, (str, pandas.Timedelta, pandas.offsets.Tick)) or type(window).__name__ == "timedelta":
        return _lately(plan, window, min_periods, center, on, closed, step)
    elif isinstance(window, (int, np.integer)) and not isinstance(window, (bool, np.timedelta64)) and window >= 1 and on is None:
        bounds = Fixed(int(window), center, closed or "right")
    else:
        raise Refused("windows that are no number of rows, and no span of time")
    if min_periods is not None and min_periods > bounds.minimum:
        raise Refused("more periods than rows")
    return Moving(plan, bounds, min_periods, step)


def _lately(plan: Any, window: Any, min_periods: Any, center: bool, on: Any, closed: Any, step: Any) -> Moving:
    if center or step is not None or isinstance(plan, Grouping):
        raise Refused("spans of time around a row, with steps, or along groups")
    if on is None:
        labels = label_columns(plan.rows, plan.index)
        if isinstance(plan.index, Positions) or len(labels) != 1:
            raise Refused("labels that are no times")
        times = labels[0]
    elif isinstance(plan, Frame) and isinstance(on, str) and on in plan.labels and plan.labels.is_unique:
        times = plan.columns[plan.place(on)]
    else:
        raise Refused("times that are no column")
    times = elements.known(times)
    if not types.is_time(times.dtype) or types.unit_of(times.dtype) not in ("s", "ms", "us", "ns"):
        raise Refused(f"spans along `{times.dtype}`")
    try:
        span = pandas.Timedelta(window)
    except ValueError as error:
        raise Refused("a span that is none") from error
    ticks = span.value // pandas.Timedelta(1, types.unit_of(times.dtype)).value
    if ticks < 1 or span != pandas.Timedelta(int(ticks), types.unit_of(times.dtype)):
        raise Refused("a span that is no number of the ticks of times")
    rows = plan.rows
    count = call("cast", times.expression, to=ir.optional(ir.i64))
    known = call("coalesce", count, Literal(0, ir.i64))
    before = Over(Fold("arr_shift", (count,), (Literal(1, ir.i64), Literal(None, ir.i64))), ())
    falls = call("is_true", call("lt", count, before))
    if elements.anywhere(rows, elements.either(falls, call("is_null", count))):
        raise Refused("times that do not rise")
    return Moving(plan, Lately(known, int(ticks), closed or "right"), min_periods, None, on)


def expanding(plan: Any, min_periods: Any, method: Any) -> Moving:
    """Windows of all rows so far."""
    if method != "single":
        raise Refused("a table")
    _check_minimum(min_periods)
    return Moving(plan, SoFar(), min_periods)


def _check_minimum(value: Any) -> None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise Refused("a least number of periods that is none")


#: A column of floats, and the keys whose rows windows stay within, as a column of results.
Make = Callable[[Column, Partition], Expression]


def along(moving: Any, numeric_only: Any, make: Make) -> Any:
    """The results of windows along each column."""
    if numeric_only is not False:
        raise Refused("numbers only")

    def change(column: Column, partition: Partition) -> Column:
        column = elements.known(column)
        if not types.is_number(column.dtype):
            raise Refused(f"windows along `{column.dtype}`")
        value = column.expression
        if column.dtype != types.FLOAT64:
            value = call("cast", value, to=ir.f64)
        return Column(make(Column(value, types.FLOAT64), partition), types.FLOAT64)

    plan = moving.plan
    if isinstance(plan, Vector):
        return _stepped(Vector(plan.rows, change(plan.column, ()), plan.name, plan.index), moving.step)
    if isinstance(plan, Frame):
        if not plan.columns:
            raise Refused("no columns")
        on = moving.on
        columns = [column if on is not None and label == on else change(column, ()) for label, column in zip(plan.labels, plan.columns, strict=True)]
        return _stepped(plan.with_columns(columns), moving.step)
    return _by_group(plan, lambda column: change(column, partition_of(plan)))


def _stepped(plan: Any, step: int | None) -> Any:
    """Every so many-th row."""
    if step is None or step == 1:
        return plan
    vector = isinstance(plan, Vector)
    columns = [plan.column] if vector else list(plan.columns)
    rows, settled = pinned(plan.rows, columns)
    plan = Vector(rows, settled[0], plan.name, plan.index) if vector else Frame(rows, settled, plan.labels, plan.index)
    return _every(plan, step)


def _every(plan: Any, step: int) -> Any:
    def make(below: Rows) -> Rows:
        place = call("floormod", Ref(space_of(below).position), Literal(step, ir.i64))
        above = Filtered(below, call("eq", place, Literal(0, ir.i64)))
        above.count = None if below.count is None else -(-below.count // step)
        return above

    columns = [plan.column] if isinstance(plan, Vector) else list(plan.columns)
    index: Any = plan.index
    if isinstance(index, Positions):
        rows, index = make(plan.rows), Positions(index.start, index.step * step, index.name)
    else:
        rows, columns, index = moved(plan.rows, columns, index, make, False)
        if plan.index.made is not None:
            index.made = plan.index.made[::step]
    return Vector(rows, columns[0], plan.name, index) if isinstance(plan, Vector) else Frame(rows, columns, plan.labels, index)


def _by_group(groups: Grouping, change: Callable[[Column], Column]) -> Any:
    """The windows of each group, one group after the other: keys are labels beside those of the rows."""
    if not groups.sort or not groups.dropna or not groups.as_index or groups.whole or groups.spans is not None:
        raise Refused("windows of groups that are not in order")
    if any(isinstance(key, Coded) for key in groups.keys):
        raise Refused("windows of groups by labels that only pandas knows")
    frame = groups.frame
    if not groups.vector and groups.selection is None and not groups.exclusions:
        raise Refused("windows of groups by what is no column")
    columns = [change(frame.columns[place]) for place in groups.places]
    labels = label_columns(frame.rows, frame.index)
    together = [*columns, *groups.keys, *labels]
    rows, settled = pinned(frame.rows, together)
    values, rest = settled[: len(columns)], settled[len(columns) :]
    keys = rest[: len(groups.keys)]
    for key in keys:
        gone = elements.missing(key)
        if not isinstance(gone, Literal):
            rows = Filtered(rows, elements.negated(gone))
            if not elements.anywhere(rows, elements.TRUE):
                raise Refused("windows of no groups")
    rows = Sorted(rows, [sort_key(key) for key in keys], ["asc.last"] * len(keys))
    index = Keys(rest, [*groups.names, *frame.index.names], counting=len(keys) if isinstance(frame.index, Positions) else None)
    if groups.vector:
        return Vector(rows, values[0], groups.selection, index)
    return Frame(rows, values, frame.labels.take(groups.places), index)

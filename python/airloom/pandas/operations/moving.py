"""Windows that move along the rows: a fixed number of them, or all so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from airloom import ir
from airloom.pandas.data import types
from airloom.pandas.face.dispatch import operation
from airloom.pandas.operations import elements
from airloom.pandas.operations.group_rows import partition_of
from airloom.pandas.operations.groups import Coded, Grouping
from airloom.pandas.operations.sorting import sort_key
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, call, fold
from airloom.pandas.plan.frame import Column, Frame, Keys, Positions, Refused, Vector, label_columns, pinned
from airloom.pandas.plan.rows import Filtered, Sorted

#: The engine goes through a window for each row, where pandas keeps it in order as it moves: of wide ones pandas is faster.
NARROW = 32


class Moving:
    """A frame, a vector or groups of one, with the windows that move along it."""

    __slots__ = ("centred", "closed", "minimum", "plan", "width")

    def __init__(self, plan: Any, width: int | None, minimum: int | None, centred: bool, closed: str) -> None:
        self.plan = plan
        #: How many rows a window has; none is all so far.
        self.width = width
        self.minimum = minimum
        self.centred = centred
        self.closed = closed

    @property
    def vector(self) -> bool:
        return isinstance(self.plan, Vector) or (isinstance(self.plan, Grouping) and self.plan.vector)

    def over(self, plan: Any) -> Moving:
        """The same windows along something else."""
        return Moving(plan, self.width, self.minimum, self.centred, self.closed)


def rolling(plan: Any, window: Any, min_periods: Any, center: Any, win_type: Any, on: Any, closed: Any, step: Any, method: Any) -> Moving:
    """Windows of so many rows."""
    if not isinstance(window, (int, np.integer)) or isinstance(window, bool) or window < 1:
        raise Refused("windows that are no number of rows")
    if win_type is not None or on is not None or step is not None or method != "single" or not isinstance(center, bool):
        raise Refused("weights, a column of times, steps, or a table")
    if closed not in (None, "right", "left", "both", "neither"):
        raise Refused("which ends belong to a window")
    _minimum(min_periods)
    if min_periods is not None and min_periods > window:
        raise Refused("more periods than rows")
    return Moving(plan, int(window), min_periods, center, closed or "right")


def expanding(plan: Any, min_periods: Any, method: Any) -> Moving:
    """Windows of all rows so far."""
    if method != "single":
        raise Refused("a table")
    _minimum(min_periods)
    return Moving(plan, None, min_periods, False, "right")


def _minimum(value: Any) -> None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise Refused("a least number of periods that is none")


def _along(moving: Moving, numeric_only: Any, make: Callable[[Column, tuple[Expression, ...]], Expression]) -> Any:
    if numeric_only is not False:
        raise Refused("numbers only")

    def change(column: Column, partition: tuple[Expression, ...]) -> Column:
        column = elements.known(column)
        if not types.is_number(column.dtype):
            raise Refused(f"windows along `{column.dtype}`")
        value = column.expression
        if column.dtype != types.FLOAT64:
            value = call("cast", value, to=ir.f64)
        return Column(make(Column(value, types.FLOAT64), partition), types.FLOAT64)

    plan = moving.plan
    if isinstance(plan, Vector):
        return Vector(plan.rows, change(plan.column, ()), plan.name, plan.index)
    if isinstance(plan, Frame):
        if not plan.columns:
            raise Refused("no columns")
        return plan.with_columns([change(column, ()) for column in plan.columns])
    return _by_group(plan, lambda column: change(column, partition_of(plan)))


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


def _finite(value: Expression) -> Expression:
    """A value, null where it is missing: infinities are taken for missing too."""
    return call("select", call("is_finite", value), call("nan_to_null", value), Literal(None, ir.f64))


def _rolled(moving: Moving, value: Expression, partition: tuple[Expression, ...], body: Callable[[Any], Any], minimum: int) -> Expression:
    attributes = {"min_count": minimum, "centred": moving.centred, "closed": moving.closed}
    assert moving.width is not None
    made = Over(Fold("arr_rolling", (value,), (Literal(moving.width, ir.i64),), body, attributes), partition)
    return call("null_to_nan", made)


_RUNNING = {"sum": ("cumsum", 0.0), "mean": ("cumsum", 0.0), "min": ("cummin", float("inf")), "max": ("cummax", float("-inf"))}


def _expanded(moving: Moving, op: str, column: Column, partition: tuple[Expression, ...]) -> Expression:
    running, start = _RUNNING[op]
    value = _finite(column.expression)
    count = Over(fold("cumcount", value, skip="null"), partition)
    found: Expression = Over(fold(running, call("coalesce", value, Literal(start, ir.f64))), partition)
    least = 1 if moving.minimum is None else moving.minimum
    if op == "mean":
        found = call("div", found, call("cast", count, to=ir.f64))
    if op != "sum":
        least = max(1, least)
    enough = call("ge", count, Literal(least, ir.i64))
    return call("select", enough, found, Literal(float("nan"), ir.f64))


def _register(op: str) -> None:
    @operation(f"Rolling.{op}")
    def run(moving: Moving, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        if engine is not None or engine_kwargs is not None:
            raise Refused("an engine of its own")

        def make(column: Column, partition: tuple[Expression, ...]) -> Expression:
            if moving.width is None:
                return _expanded(moving, op, column, partition)
            minimum = moving.width if moving.minimum is None else moving.minimum
            return _rolled(moving, _finite(column.expression), partition, lambda window: getattr(ir, f"arr_{op}")(window, skip="null"), minimum)

        return _along(moving, numeric_only, make)


for _name in ("sum", "mean", "min", "max"):
    _register(_name)


def _narrow(moving: Moving) -> int:
    if moving.width is None or moving.width > NARROW:
        raise Refused("wide windows, which pandas keeps in order as they move")
    return moving.width if moving.minimum is None else moving.minimum


def _register_spread(op: str) -> None:
    @operation(f"Rolling.{op}")
    def run(moving: Moving, ddof: Any = 1, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
        if engine is not None or engine_kwargs is not None or not isinstance(ddof, int):
            raise Refused("an engine of its own")
        minimum = _narrow(moving)

        def make(column: Column, partition: tuple[Expression, ...]) -> Expression:
            body = lambda window: getattr(ir, f"arr_{op}")(window, skip="null", ddof=ddof)  # noqa: E731
            return _rolled(moving, _finite(column.expression), partition, body, minimum)

        return _along(moving, numeric_only, make)


_register_spread("std")
_register_spread("var")


@operation("Rolling.median")
def median(moving: Moving, numeric_only: Any = False, engine: Any = None, engine_kwargs: Any = None) -> Any:
    if engine is not None or engine_kwargs is not None:
        raise Refused("an engine of its own")
    minimum = _narrow(moving)
    return _along(moving, numeric_only, lambda column, keys: _rolled(moving, _finite(column.expression), keys, lambda w: ir.arr_median(w, skip="null"), minimum))


@operation("Rolling.count")
def count(moving: Moving, numeric_only: Any = False) -> Any:
    def make(column: Column, partition: tuple[Expression, ...]) -> Expression:
        # The least number of periods is one of rows, with a value or without.
        there = call("select", call("is_nan", column.expression), Literal(0.0, ir.f64), Literal(1.0, ir.f64))
        if moving.width is not None:
            minimum = moving.width if moving.minimum is None else moving.minimum
            return _rolled(moving, there, partition, lambda window: ir.arr_sum(window), minimum)
        rows = Over(fold("row_number", there), partition)
        enough = call("ge", rows, Literal((1 if moving.minimum is None else moving.minimum) - 1, ir.i64))
        return call("select", enough, Over(fold("cumsum", there), partition), Literal(float("nan"), ir.f64))

    return _along(moving, numeric_only, make)

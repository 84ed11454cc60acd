"""Groups along a column that is in order: spans that follow one another, and spans around each row."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes, rows
from airloom.polars.expressions.calendar import on_the_wall, same_steps
from airloom.polars.nodes.order import sliced
from airloom.polars.nodes.overlapping import overlapping_groups
from airloom.polars.nodes.registry import Building, SeveralRefused
from airloom.polars.reading import Dynamic, PlanNode, Rolling
from airloom.polars.refusals import Refused, value_text
from airloom.polars.spans import counted, in_order, is_even, uncounted, units, windows
from airloom.polars.values import Over, Value, column, folded, rowwise

_LOWER, _UPPER = "_lower_boundary", "_upper_boundary"


def rolling_groups(building: Building, node: PlanNode, relation: Node, keys: Mapping[str, Value]) -> Node:
    """A group for each row, of the rows around it."""
    given: Rolling = node.parameters["rolling"]
    index = in_order(_index(node, given.index, pl.UInt32, pl.Datetime), keys.values())
    over = Over(tuple(keys.values()), windows=windows(index, given.period, given.offset, given.closed, "`rolling`"))
    values = building.values(node, "aggregates", over)
    _check_single(values)
    made = rows.project(relation, {**keys, given.index: index, **values}, building.names)
    return _finished(node, made, keys)


def dynamic_groups(building: Building, node: PlanNode, relation: Node, keys: Mapping[str, Value]) -> Node:
    """A group for each span of time in which there are rows."""
    given: Dynamic = node.parameters["dynamic"]
    index = in_order(_index(node, given.index, pl.Datetime), keys.values())
    moved = any((given.offset.months, given.offset.weeks, given.offset.days, given.offset.nanoseconds))
    beside = moved or given.every != given.period or given.start_by != "window_bound" or given.closed not in ("left", "right")
    parts = [bool(part) for part in (given.every.months, given.every.weeks, given.every.days)]
    if isinstance(index.dtype, pl.Datetime) and not is_even(index.dtype) and (beside or given.every.nanoseconds or parts.count(True) != 1 or given.every.negative):
        # Hours are time that passes, from wherever the first of them began: a clock that was set forward or back shows others.
        raise Refused(f"`group_by_dynamic` along a column of dtype {index.dtype} is translated only by days, weeks or months that follow one another")
    if beside:
        _check_keys(keys)
        return overlapping_groups(building, node, relation, keys, index)
    start = _starts(given, index)
    over = Over((*keys.values(), start))
    values = building.values(node, "aggregates", over)
    _check_single(values)
    began = f"{rows.PREFIX}start"
    labels = {began: start}
    first = f"{rows.PREFIX}first"
    made = rows.reduce(relation, {**keys, **labels}, {**values, first: folded(index.dtype, over, lambda array: ir.first(array, skip="none"), index)}, building.names)

    def row_of(row: Node) -> dict[str, Node]:
        lower = ir.get(row, began)
        upper = _later(given, index.dtype, lower)
        bounds = {given.index: {"left": lower, "right": upper, "data_point": ir.get(row, first)}[given.label]}
        if given.boundaries:
            bounds.update({name: _as(made, node.schema[name]) for name, made in ((_LOWER, lower), (_UPPER, upper))})
        return {name: bounds[name] if name in bounds else ir.get(row, name) for name in node.schema}

    if given.label not in ("left", "right", "data_point"):
        raise Refused(f"`group_by_dynamic` with `label` {value_text(given.label)} is not translated")
    return _finished(node, ir.project(made, row_of), keys)


def _index(node: PlanNode, name: str, *unsigned: type[pl.DataType]) -> Value:
    dtype = node.inputs[0].schema[name]
    plain = dtypes.is_of(dtype, pl.Int32, pl.Int64, pl.Date, *unsigned) or is_even(dtype)
    if not plain:
        raise Refused(f"groups along a column of dtype {dtype} are not translated")
    return column(name, dtype)


def _check_single(values: Mapping[str, Value]) -> None:
    long = [name for name, value in values.items() if not value.single]
    if long:
        raise SeveralRefused([f"`agg` with a list of values for each group is not translated (column {name!r})" for name in long])


def _starts(given: Dynamic, index: Value) -> Value:
    """Where the span of each row begins."""
    every, dtype = given.every, index.dtype
    tick = -1 if given.closed == "right" else 0
    back = uncounted(dtype)

    def nudged(at: Node) -> Node:
        return ir.add(ir.cast(at, ir.i64), ir.const(tick))

    if every.months and not (every.weeks or every.days or every.nanoseconds):
        if not same_steps(every.months, "month") or every.negative:
            raise Refused(f"`group_by_dynamic` with `every` {every.months} months is not translated")
        return rowwise(dtype, lambda at: on_the_wall(dtype, lambda wall: ir.dt_step(wall, "month", every=every.months))(back(nudged(at)) if tick else at), index)
    if every.weeks and not (every.days or every.nanoseconds):
        return rowwise(dtype, lambda at: on_the_wall(dtype, lambda wall: ir.dt_step(wall, "week", every=every.weeks))(back(nudged(at)) if tick else at), index)
    if isinstance(dtype, pl.Datetime) and not is_even(dtype):
        return rowwise(dtype, lambda at: on_the_wall(dtype, lambda wall: ir.dt_step(wall, "day", every=every.days))(back(nudged(at)) if tick else at), index)
    length = units(every, dtype, "`group_by_dynamic`")
    if length <= 0:
        raise Refused("`group_by_dynamic` with `every` that is not positive is not translated")
    return rowwise(dtype, lambda at: back(ir.mul(ir.floordiv(ir.add(at, ir.const(tick)), ir.const(length)), ir.const(length))), counted(index))


def _later(given: Dynamic, dtype: pl.DataType, start: Node) -> Node:
    """Where a span ends that begins here."""
    if given.every.months:
        return on_the_wall(dtype, lambda wall: ir.dt_shift(wall, ir.const(given.every.months), "month"))(start)
    if isinstance(dtype, pl.Datetime) and not is_even(dtype):
        return on_the_wall(dtype, lambda wall: ir.dt_shift(wall, ir.const(7 * given.every.weeks + given.every.days), "day"))(start)
    return uncounted(dtype)(ir.add(ir.cast(start, ir.i64), ir.const(units(given.every, dtype, "`group_by_dynamic`"))))


def _as(node: Node, dtype: pl.DataType) -> Node:
    kind = dtypes.type_of(dtype)
    return node if node.type.required == kind else ir.cast(node, kind)


def _finished(node: PlanNode, made: Node, keys: Mapping[str, Value]) -> Node:
    """The groups of one key after those of another, by the order of keys."""
    _check_keys(keys)
    if keys:
        made = ir.sort(made, lambda row: {f"k{at}": ir.get(row, name) for at, name in enumerate(keys)}, ["asc.first"] * len(keys))
    return sliced(rows.pick(made, list(node.schema)), node.parameters["slice"])


def _check_keys(keys: Mapping[str, Value]) -> None:
    for name, key in keys.items():
        if not dtypes.is_of(key.dtype, *dtypes.COMPARED):
            raise Refused(f"groups along a column with a key of dtype {key.dtype} are not translated (column {name!r})")

"""Groups by spans that begin at an offset, leave gaps, or overlap, so that a row is in none of them or in several."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from airloom import ir
from airloom._native import Node
from airloom.polars import dtypes, rows
from airloom.polars.nodes.order import sliced
from airloom.polars.nodes.registry import Building, columns_of
from airloom.polars.reading import Dynamic, PlanNode
from airloom.polars.refusals import Refused, value_text
from airloom.polars.spans import counted, uncounted, units
from airloom.polars.values import Over, Value, column, folded, literal, rowwise

_LOWER, _UPPER = "_lower_boundary", "_upper_boundary"
_START, _AT = f"{rows.PREFIX}start", f"{rows.PREFIX}at"
#: A row may be in as many spans as these.
_MOST = 64


def overlapping_groups(building: Building, node: PlanNode, relation: Node, keys: Mapping[str, Value], index: Value) -> Node:
    """A group for each span in which there are rows; the first span is the step that the first row of a key is in, moved by the offset."""
    given: Dynamic = node.parameters["dynamic"]
    moved = any((given.offset.months, given.offset.weeks, given.offset.days, given.offset.nanoseconds))
    every, period, offset = (units(span, index.dtype, "`group_by_dynamic`") if moved or span is not given.offset else 0 for span in (given.every, given.period, given.offset))
    if every <= 0 or period <= 0 or given.closed not in ("left", "right", "both", "none") or given.start_by not in ("window_bound", "data_point") or given.label not in ("left", "right", "data_point"):
        raise Refused(f"`group_by_dynamic` with `start_by` {value_text(given.start_by)}, `closed` {value_text(given.closed)} and `label` {value_text(given.label)} is not translated")
    copies = period // every + 1
    if copies > _MOST:
        raise Refused(f"`group_by_dynamic` with {copies} spans for each row is not translated")
    # Weeks begin on Mondays, and 1970 on a Thursday.
    weekly = given.every.weeks and not given.every.days and not given.every.nanoseconds
    anchor = 4 * every // (7 * given.every.weeks) if weekly else 0
    at = counted(index)
    first = folded(pl.Int64(), Over(tuple(keys.values())), lambda array: ir.first(array, skip="none"), at)
    by_data = given.start_by == "data_point"
    origin = first if by_data else literal(anchor + offset, pl.Int64())
    closed_below, closed_above = given.closed in ("left", "both"), given.closed in ("right", "both")

    def begin_of_first(now: Node) -> Node:
        # The step that the first row is in, moved by the offset; where that is after the row, as many steps back as it takes.
        moved_step = ir.add(_grid(now, ir.const(anchor), every), ir.const(offset))
        return ir.least(moved_step, _grid(now if closed_below else ir.sub(now, ir.const(1)), ir.const(anchor + offset), every))

    start = rowwise(pl.Int64(), lambda now, zero: _grid(now, zero, every), at, origin)
    earliest = first if by_data else rowwise(pl.Int64(), begin_of_first, first)

    schema = node.inputs[0].schema
    earliest_name = f"{rows.PREFIX}earliest"
    wide = rows.project(relation, {**columns_of(schema), **{f"{rows.PREFIX}key:{name}": key for name, key in keys.items()}, _AT: at, _START: start, earliest_name: earliest}, building.names)

    def copy(back: int) -> Node:
        """The rows with the span that begins some steps before."""
        moved = ir.project(wide, lambda row: ir.with_(row, {_START: ir.sub(ir.get(row, _START), ir.const(back * every))}))

        def within(row: Node) -> Node:
            now, begin = ir.get(row, _AT), ir.get(row, _START)
            end = ir.add(begin, ir.const(period))
            low = ir.ge(now, begin) if closed_below else ir.gt(now, begin)
            high = ir.le(now, end) if closed_above else ir.lt(now, end)
            return ir.and_(ir.and_(low, high), ir.ge(begin, ir.get(row, earliest_name)))

        return ir.filter(moved, within)

    # Rows of a span that began earlier come later: in each group the rows stay in order.
    spread = ir.concat(*(copy(back) for back in range(copies))) if copies > 1 else copy(0)
    own_keys = {name: column(f"{rows.PREFIX}key:{name}", key.dtype) for name, key in keys.items()}
    begins = column(_START, pl.Int64())
    over = Over((*own_keys.values(), begins))
    values = building.values(node, "aggregates", over)
    if any(not value.single for value in values.values()):
        raise Refused("`agg` with a list of values for each group is not translated")
    first_name = f"{rows.PREFIX}first"
    point = folded(index.dtype, over, lambda array: ir.first(array, skip="none"), column(given.index, index.dtype))
    made = rows.reduce(spread, {**own_keys, _START: begins}, {**values, first_name: point}, building.names)
    made = ir.sort(made, lambda row: {f"k{number}": ir.get(row, name) for number, name in enumerate((*own_keys, _START))}, ["asc.first"] * (len(own_keys) + 1))
    back = uncounted(index.dtype)

    def row_of(row: Node) -> dict[str, Node]:
        begin = ir.get(row, _START)
        lower, upper = back(begin), back(ir.add(begin, ir.const(period)))
        bounds = {given.index: {"left": lower, "right": upper, "data_point": ir.get(row, first_name)}[given.label]}
        if given.boundaries:
            bounds.update({name: _as(edge, node.schema[name]) for name, edge in ((_LOWER, lower), (_UPPER, upper))})
        return {name: bounds[name] if name in bounds else ir.get(row, name) for name in node.schema}

    return sliced(ir.project(made, row_of), node.parameters["slice"])


def _grid(at: Node, origin: Node, every: int) -> Node:
    """The last of equal steps from an origin that is not after a number."""
    return ir.add(ir.mul(ir.floordiv(ir.sub(at, origin), ir.const(every)), ir.const(every)), origin)


def _as(node: Node, dtype: pl.DataType) -> Node:
    kind = dtypes.type_of(dtype)
    return node if node.type.required == kind else ir.cast(node, kind)

"""Groups whose results stand row for row beside what was grouped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from pandas.api.extensions import no_default

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.sorting import sort_key
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.groupby import unobserved
from airloom.pandas.groupby.grouping import Grouping
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.ops import cumulative, masked
from airloom.pandas.ops.deferred import Narrowed
from airloom.pandas.plan.expression import Expression, Literal, Over, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, DeferredDtype, Frame, Question, Vector
from airloom.pandas.plan.rows import Grouped, LookupJoin, MemoryRows, Rows, Sorted
from airloom.pandas.refusals import Refused, value_text


def partition_of(groups: Grouping) -> cumulative.Partition:
    """The keys by which rows belong together."""
    if groups.spans is not None and (groups.time is not None or groups.nothing):
        raise Refused("groups by time that are not sorted")
    return tuple(key.expression for key in groups.keys)


def without_key(groups: Grouping) -> Expression | None:
    """Whether a row belongs to no group: none where every row belongs to one."""
    if not groups.dropna:
        return None
    found: Expression | None = None
    for key in groups.keys:
        gone = elementwise.missing(key)
        if isinstance(gone, Literal):
            continue
        found = gone if found is None else elementwise.either(found, gone)
    return found


def keyless(groups: Grouping) -> Expression | None:
    """Whether a row belongs to no group, where there are such rows. It is looked at now, as dtypes depend on it."""
    gone = without_key(groups)
    return gone if gone is not None and elementwise.any_row(groups.frame.rows, gone) else None


def beside(
    groups: Grouping, make: Callable[[Column], Column], positions: Sequence[int] | None = None, understand: Callable[[Column], Column] = lambda column: column
) -> Any:
    """A column for each that is grouped, over the same rows; `understand` makes of it what the engine knows."""
    frame = groups.frame
    chosen = groups.positions if positions is None else list(positions)
    columns = [make(elementwise.known(understand(frame.columns[position]))) for position in chosen]
    if groups.vector:
        return Vector(frame.rows, columns[0], groups.selection, frame.index)
    if not columns:
        raise Refused("no columns")
    return Frame(frame.rows, columns, frame.labels.take(chosen), frame.index)


def left_out(column: Column, gone: Expression | None, rows: Rows) -> Column:
    """A column without the values of rows that belong to no group."""
    if gone is None:
        return column
    return elementwise.widened(column, rows, gone)


def _numbers(groups: Grouping, numeric_only: Any) -> Sequence[int] | None:
    if not isinstance(numeric_only, (bool, np.bool_)):
        raise Refused(f"`numeric_only={value_text(numeric_only)}` is not boolean")
    if not numeric_only:
        return None
    if groups.vector:
        raise Refused("`numeric_only=True` of a Series")
    return [position for position in groups.positions if types.is_numeric(materialize.decided(groups.frame.columns[position]).dtype)]


def _register_running(name: str) -> None:
    @operation(f"GroupBy.{name}")
    def run(groups: Grouping, numeric_only: Any = False, *args: Any, skipna: Any = True, **kwargs: Any) -> Any:
        if args or kwargs or not isinstance(skipna, bool):
            raise Refused(f"further arguments, or `skipna={value_text(skipna)}` is not boolean")
        partition = partition_of(groups)
        rows = groups.frame.rows
        gone = without_key(groups)
        positions = _numbers(groups, numeric_only)
        chosen = groups.positions if positions is None else positions
        dtypes = [materialize.decided(groups.frame.columns[position]).dtype for position in chosen]
        narrow = [dtype for dtype in dtypes if types.is_integer(dtype) and dtype.itemsize < 8]
        if len(set(narrow)) < len(narrow):
            raise Refused("sums of several columns of one narrow integer dtype")
        if gone is not None and any(types.is_number(dtype) and not types.is_float(dtype) for dtype in dtypes):
            gone = keyless(groups)

        def make(column: Column) -> Column:
            dtype = column.dtype
            if gone is not None and types.is_integer(dtype):
                # Where rows belong to no group, pandas counts in floats.
                column = Column(call("cast", column.expression, to=ir.f64), types.FLOAT64)
            elif gone is not None and types.is_bool(dtype):
                raise Refused("booleans beside rows with missing keys")
            if name in ("cummin", "cummax") and types.is_float(dtype) and elementwise.stores_negative_zero(rows, column):
                raise Refused(f"`{name}` of negative zeros, among which pandas keeps the first")
            made = cumulative.running(name, column, partition, skipna, grouped=True)
            if types.is_masked(dtype):
                made = left_out(made, gone, rows)
            if kinds.same(dtype, column.dtype) and types.is_integer(masked.number_of(dtype)) and not kinds.same(made.dtype, dtype):
                made = Column(made.expression, Narrowed(dtype, made.dtype).over(rows, made.expression))
            return made if types.is_masked(dtype) else left_out(made, gone, rows)

        return beside(groups, make, positions)


for _name in ("cumsum", "cumprod", "cummin", "cummax"):
    _register_running(_name)


@operation("GroupBy.cumcount")
def cumcount(groups: Grouping, ascending: bool = True) -> Vector:
    frame = groups.frame
    partition = partition_of(groups)
    position: Expression = Over(fold("row_number", partition[0]), partition)
    if not ascending:
        count = Over(fold("count", partition[0], skip="none"), partition)
        position = call("sub", call("sub", count, Literal(1, ir.i64)), position)
    return Vector(frame.rows, left_out(Column(position, types.INT64), without_key(groups), frame.rows), None, frame.index)


@operation("GroupBy.ngroup")
def ngroup(groups: Grouping, ascending: bool = True) -> Vector:
    frame = groups.frame
    partition = partition_of(groups)
    if groups.spans is not None:
        raise Refused("`ngroup` of groups by time")
    if groups.whole:
        return _number_among_all(groups, ascending)
    slots = [Slot("key") for _ in groups.keys]
    made: Rows = Grouped(groups.rows_with_keys(), {slot: key.expression for slot, key in zip(slots, groups.keys, strict=True)}, {})
    keys = [key.at(Ref(slot)) for slot, key in zip(slots, groups.keys, strict=True)]
    if groups.sort:
        made = Sorted(made, [sort_key(key) for key in keys], ["asc.last"] * len(keys))
    number: Expression = Ref(made.position)
    if not ascending:
        number = call("sub", call("sub", Over(fold("count", number, skip="none")), Literal(1, ir.i64)), number)
    position, found = Slot("position"), Slot("found")
    rows = LookupJoin(frame.rows, list(partition), made, [key.expression for key in keys], {position: number}, found, any_of=False)
    gone = without_key(groups)
    if gone is None:
        return Vector(rows, Column(call("coalesce", Ref(position), Literal(0, ir.i64)), types.INT64), None, frame.index)
    return Vector(rows, elementwise.nullable(Ref(position), types.INT64, rows), None, frame.index)


def _number_among_all(groups: Grouping, ascending: bool) -> Vector:
    """The number of each row's group among those with rows; from the end, it is counted from the number of all."""
    frame = groups.frame
    labels, positions = unobserved.labels_of(groups)
    among = np.searchsorted(np.unique(positions[positions >= 0]), positions)
    numbers = np.where(positions < 0, -1, among if ascending else len(labels) - 1 - among)
    slots = [Slot("key") for _ in groups.keys]
    distinct = Grouped(frame.rows, {slot: key.expression for slot, key in zip(slots, groups.keys, strict=True)}, {})
    space = MemoryRows(len(positions))
    number = Slot("number")
    column = captured_array(space, numbers, "number")
    numbered = LookupJoin(distinct, [Ref(distinct.position)], space, [Ref(space.position)], {number: column.expression}, Slot("found"), any_of=False)
    position = Slot("position")
    rows = LookupJoin(frame.rows, list(partition_of(groups)), numbered, [Ref(slot) for slot in slots], {position: Ref(number)}, Slot("found"), any_of=False)
    found = call("coalesce", Ref(position), Literal(-1, ir.i64))
    if not len(positions) or positions.min() >= 0:
        return Vector(rows, Column(found, types.INT64), None, frame.index)
    there = call("select", call("lt", found, Literal(0, ir.i64)), Literal(None, ir.i64), found)
    return Vector(rows, elementwise.nullable(there, types.INT64, rows), None, frame.index)


def chosen_rows(groups: Grouping, predicate: Expression) -> Any:
    """The rows of groups for which something is true, as they stand."""
    gone = without_key(groups)
    if gone is not None:
        predicate = elementwise.both(elementwise.negated(gone), predicate)
    frame = groups.frame
    if groups.vector:
        (position,) = groups.positions
        return Vector(frame.rows, frame.columns[position], groups.selection, frame.index).filtered(predicate)
    if groups.selection is None:
        return frame.filtered(predicate)
    positions = groups.positions
    return Frame(frame.rows, [frame.columns[position] for position in positions], frame.labels.take(positions), frame.index).filtered(predicate)


def _from_start(partition: cumulative.Partition) -> Expression:
    return Over(fold("row_number", partition[0]), partition)


def _from_end(partition: cumulative.Partition) -> Expression:
    count = Over(fold("count", partition[0], skip="none"), partition)
    return call("sub", call("sub", count, Literal(1, ir.i64)), _from_start(partition))


@operation("GroupBy.head")
def head(groups: Grouping, n: Any = 5) -> Any:
    count = cumulative.integer_of(n, "n")
    partition = partition_of(groups)
    if count >= 0:
        return chosen_rows(groups, call("lt", _from_start(partition), Literal(count, ir.i64)))
    return chosen_rows(groups, call("ge", _from_end(partition), Literal(-count, ir.i64)))


@operation("GroupBy.tail")
def tail(groups: Grouping, n: Any = 5) -> Any:
    count = cumulative.integer_of(n, "n")
    partition = partition_of(groups)
    if count >= 0:
        return chosen_rows(groups, call("lt", _from_end(partition), Literal(count, ir.i64)))
    return chosen_rows(groups, call("ge", _from_start(partition), Literal(-count, ir.i64)))


@operation("GroupBy.nth")
def nth(groups: Grouping, n: Any, dropna: Any = None) -> Any:
    if dropna is not None:
        raise Refused(f"`dropna={value_text(dropna)}` of `nth`")
    positions = [cumulative.integer_of(item, "n") for item in (n if isinstance(n, (list, tuple)) else [n])]
    if not positions:
        raise Refused("`nth` of no positions")
    partition = partition_of(groups)
    start, end = _from_start(partition), _from_end(partition)
    predicate: Expression | None = None
    for position in positions:
        here = call("eq", start, Literal(position, ir.i64)) if position >= 0 else call("eq", end, Literal(-position - 1, ir.i64))
        predicate = here if predicate is None else elementwise.either(predicate, here)
    assert predicate is not None
    return chosen_rows(groups, predicate)


def _moved(groups: Grouping, column: Column, positions: int, fill: Expression | None) -> Column:
    """The value some rows before, in the same group: missing where there is none."""
    rows = groups.frame.rows
    dtype = column.dtype
    if positions == 0 and fill is None:
        # Every row is its own neighbour, also one that belongs to no group.
        return column
    if fill is not None:
        if types.is_masked(dtype):
            raise Refused(f"`fill_value` of dtype `{dtype}`")
        return Column(cumulative.neighbour(column, positions, partition_of(groups), fill), dtype)
    made = cumulative.neighbour(column, positions, partition_of(groups))
    gone = without_key(groups)
    if gone is not None:
        made = call("select", gone, Literal(None, cumulative.graph_type(column).required), made)
    if types.is_masked(dtype):
        return Column(made, dtype)
    if types.is_number(dtype) and not types.is_float(dtype):
        # Where there are rows, some row is the first of its group, or the last.
        return Column(made, DeferredDtype(dtype, types.OBJECT if types.is_bool(dtype) else types.FLOAT64, Question(rows, elementwise.TRUE)))
    return Column(cumulative.missing_where_null(made, dtype), dtype)


@operation("GroupBy.shift")
def shift(groups: Grouping, periods: Any = 1, freq: Any = None, fill_value: Any = no_default, suffix: Any = None) -> Any:
    if freq is not None or suffix is not None:
        raise Refused("`freq` or `suffix`")
    positions = cumulative.integer_of(periods, "periods")

    def make(column: Column) -> Column:
        fill = None
        if fill_value is not no_default:
            if without_key(groups) is not None or types.is_category(column.dtype):
                raise Refused("`fill_value` beside rows with missing keys, or of categories")
            fill = elementwise.fits(fill_value, column.dtype)
            if fill is None or fill.value is None:
                raise Refused(f"a `fill_value` that is not of dtype `{column.dtype}`")
        return _moved(groups, column, positions, fill)

    return beside(groups, make)


@operation("GroupBy.diff")
def diff(groups: Grouping, periods: Any = 1) -> Any:
    positions = cumulative.integer_of(periods, "periods")
    rows = groups.frame.rows

    def make(column: Column) -> Column:
        dtype = column.dtype
        if types.is_float(dtype):
            return Column(call("sub", column.expression, _moved(groups, column, positions, None).expression), dtype)
        if types.is_masked(dtype) and dtype != masked.BOOLEAN:
            return masked.arithmetic("sub", False, column, _moved(groups, column, positions, None), rows)
        if types.is_time(dtype) or types.is_duration(dtype):
            from airloom.pandas.ops import timedeltas

            return timedeltas.arithmetic("sub", False, column, _moved(groups, column, positions, None), rows)
        if not types.is_integer(dtype) or positions == 0:
            raise Refused(f"`diff` of dtype `{dtype}`")
        # Where there are rows, some row is the first of its group: all differences are floats, and of the narrowest integers always.
        narrow = dtype.kind == "i" and dtype.itemsize < 4
        wide = Column(call("cast", column.expression, to=ir.f32 if narrow else ir.f64), np.dtype(np.float32) if narrow else types.FLOAT64)
        made = call("sub", wide.expression, _moved(groups, wide, positions, None).expression)
        return Column(made, wide.dtype if narrow else DeferredDtype(dtype, types.FLOAT64, Question(rows, elementwise.TRUE), wide=True))

    return beside(groups, make)


@operation("GroupBy.pct_change")
def pct_change(groups: Grouping, periods: Any = 1, fill_method: Any = None, freq: Any = None) -> Any:
    if fill_method is not None or freq is not None:
        raise Refused("`fill_method` or `freq`")
    positions = cumulative.integer_of(periods, "periods")

    def make(column: Column) -> Column:
        if types.is_masked(column.dtype) and column.dtype != masked.BOOLEAN:
            rows = groups.frame.rows
            ratio = masked.arithmetic("truediv", False, column, _moved(groups, column, positions, None), rows)
            return masked.arithmetic("sub", False, ratio, 1, rows)
        if not types.is_number(column.dtype) or types.is_bool(column.dtype):
            raise Refused(f"`pct_change` of dtype `{column.dtype}`")
        value = column if types.is_float(column.dtype) else Column(call("cast", column.expression, to=ir.f64), types.FLOAT64)
        before = _moved(groups, value, positions, None).expression
        return Column(call("sub", call("div", value.expression, before), Literal(1.0, cumulative.graph_type(value))), value.dtype)

    return beside(groups, make)


@operation("GroupBy.rank")
def rank(groups: Grouping, method: Any = "average", ascending: Any = True, na_option: Any = "keep", pct: Any = False) -> Any:
    gone = without_key(groups)

    def make(column: Column) -> Column:
        if types.is_nullable(column.dtype) and not types.is_masked(column.dtype):
            raise Refused(f"`rank` of dtype `{column.dtype}`")
        found = cumulative.ranked(column, partition_of(groups), method, ascending, na_option, pct)
        made = Column(call("nan_to_null", found), masked.nullable(types.FLOAT64)) if types.is_masked(column.dtype) else Column(found, types.FLOAT64)
        return left_out(made, gone, groups.frame.rows)

    return beside(groups, make, understand=elementwise.ordered)


def _register_fill(name: str, op: str) -> None:
    @operation(f"GroupBy.{name}")
    def run(groups: Grouping, limit: Any = None) -> Any:
        gone = without_key(groups)

        def make(column: Column) -> Column:
            made = column.at(cumulative.filled(column, partition_of(groups), op, limit))
            return left_out(made, gone, groups.frame.rows)

        return beside(groups, make)


_register_fill("ffill", "fill_forward")
_register_fill("bfill", "fill_backward")

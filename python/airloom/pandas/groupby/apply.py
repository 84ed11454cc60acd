"""Functions of Python that groups are given: `apply`, `filter`, `transform`, and aggregates that are no names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.functions.refusals import NotCompiled
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.algorithms.sorting import sort_key
from airloom.pandas.dispatch.registry import BaseSeries, operation
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.groupby.grouping import Coded, Grouping, group_result
from airloom.pandas.groupby.transform_rows import chosen_rows, left_out, partition_of, without_key
from airloom.pandas.groupby.unobserved import OfNothing
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, RangeLabels, Vector, evaluate_windows, label_columns
from airloom.pandas.plan.rows import Filtered, Grouped, Projected, Rows, Sorted
from airloom.pandas.reductions.reductions import reduced
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.udf import loops
from airloom.pandas.udf.group_things import Many, One, Record, Some, Table, Thing
from airloom.pandas.udf.groups import Body
from airloom.pandas.udf.values import Constant


def body_of(groups: Grouping, *, some_without_rows: bool = False) -> Body:
    """What runs functions over the rows of groups; refused where there is none, or some group has no rows unless that is provided for."""
    if not some_without_rows and not _all_have_rows(groups):
        raise Refused("a Python function, and groups without rows")
    if run.count(groups.rows_with_keys()) == 0:
        raise Refused("a Python function, and no groups")
    return Body(groups.frame.rows, tuple(key.expression for key in groups.keys), ordered=groups.time is None)


def _all_have_rows(groups: Grouping) -> bool:
    """Whether every group has rows."""
    if not groups.whole and groups.spans is None:
        return True
    every = groups.labels()
    slots = {Slot("key"): key.expression for key in groups.keys}
    return every is not None and not groups.nothing and run.count(Grouped(groups.rows_with_keys(), slots, {})) == len(every)


def of_nothing(groups: Grouping, function: Any, column: Column, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> str:
    """The name of an aggregate that is a function, with what it makes of no rows where some group has none. It is one that was understood, so that it may be called."""
    if _all_have_rows(groups):
        return "function"
    name = OfNothing("function")
    name.value = ask_pandas(lambda: function(BaseSeries([], dtype=column.dtype), *args, **(kwargs or {})))
    return name


def settled(groups: Grouping, body: Body) -> None:
    """Refuses functions that would warn or raise for some group."""
    if not body.never:
        return
    found: Expression = elementwise.FALSE
    for predicate in body.never:
        found = predicate if found is elementwise.FALSE else elementwise.either(found, predicate)
    slot = Slot("never")
    made = Grouped(groups.rows_with_keys(), {Slot("key"): key.expression for key in groups.keys}, {slot: found})
    if run.value(made, fold("any", Ref(slot), skip="null")):
        raise Refused("a Python function that warns or overflows")


def _series(groups: Grouping, position: int) -> Many:
    return Many(elementwise.known(groups.frame.columns[position]))


def _table(groups: Grouping, positions: list[int]) -> Table:
    labels = groups.frame.labels
    if not labels.is_unique or isinstance(labels, pandas.MultiIndex):
        raise Refused("duplicate column labels, or MultiIndex columns")
    return Table({labels[position]: elementwise.known(groups.frame.columns[position]) for position in positions})


def _one(result: Thing) -> Column:
    """What a function made of the group, as a column of plain numbers."""
    if isinstance(result, Constant):
        if not literals.is_number(result.value) or isinstance(result.value, np.generic):
            raise Refused(f"a Python function that returns a constant of type `{type(result.value).__name__}`")
        dtype = types.BOOL if isinstance(result.value, bool) else types.INT64 if isinstance(result.value, int) else types.FLOAT64
        return Column(literals.number(result.value, dtype), dtype)
    if not isinstance(result, One) or result.column.dtype not in (types.INT64, types.FLOAT64, types.BOOL):
        raise Refused("a Python function that returns no number")
    return result.column


def aggregate_by(groups: Grouping, function: Any, column: Column, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Column:
    """What a function of Python makes of a column of each group."""
    if function is list and not args and not kwargs:
        return _lists(groups, column)
    body = body_of(groups, some_without_rows=True)
    if column.dtype not in (types.INT64, types.FLOAT64, types.BOOL):
        # Narrow numbers come back as such where they fit.
        raise Refused(f"a Python function as aggregate of dtype `{column.dtype}`")
    made = _one(_called(groups, body, function, Many(elementwise.known(column)), args, kwargs or {}))
    settled(groups, body)
    return made


def _called(groups: Grouping, body: Body, function: Any, subject: Thing, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Thing:
    """What a function makes of each group by expressions of columns, or else by a loop over the rows of a group."""
    try:
        return body.call(function, subject, args, kwargs)
    except Refused as refusal:
        if not isinstance(subject, Many) or subject.column.dtype not in (types.INT64, types.FLOAT64, types.BOOL) or not body.ordered:
            raise
        try:
            made = loops.of_groups(body.rows, function, subject.column, body.partition, without_key(groups), args, kwargs)
        except NotCompiled as why:
            raise Refused(f"{refusal}; as a loop over groups: {why.reason}" if why.reason else str(refusal)) from refusal
        body.never.clear()
        zero = False if types.is_bool(made.dtype) else 0
        return One(made.at(call("coalesce", fold("first", made.expression, skip="none"), literals.number(zero, made.dtype))))


def _lists(groups: Grouping, column: Column) -> Column:
    """The values of each group as a list of Python's."""
    column = elementwise.known(column)
    if not _all_have_rows(groups) or not run.count(groups.rows_with_keys()):
        raise Refused("lists of groups without rows")
    if not types.is_number(column.dtype) and not types.is_text(column.dtype):
        raise Refused(f"lists of dtype `{column.dtype}`")
    if types.is_text(column.dtype) and elementwise.has_missing(groups.frame.rows, column):
        raise Refused("lists of strings with missing values")
    return Column(fold("list", column.expression, skip="none"), types.OBJECT)


@operation("GroupBy.apply")
def apply(groups: Grouping, func: Any, *args: Any, include_groups: Any = False, **kwargs: Any) -> Any:
    if include_groups is not False:
        raise Refused(f"`include_groups={value_text(include_groups)}`")
    if isinstance(func, str):
        from airloom.pandas.groupby.agg import by_name

        return by_name(groups, func, args, kwargs)
    if func is list and groups.vector and not args and not kwargs and groups.as_index:
        made = _lists(groups, groups.frame.columns[groups.positions[0]])
        return group_result(groups, [made], pandas.Index([groups.selection], dtype=object), ["apply"], series=True)
    body = body_of(groups, some_without_rows=groups.vector)
    subject: Thing = _series(groups, groups.positions[0]) if groups.vector else _table(groups, groups.positions)
    result = _called(groups, body, func, subject, args, kwargs)
    name = "apply"
    if isinstance(subject, Many):
        if not isinstance(result, (One, Constant)) and not _all_have_rows(groups):
            raise Refused("a Python function, and groups without rows")
        name = of_nothing(groups, func, subject.column, args, kwargs)
    if isinstance(result, Record) and groups.as_index:
        return _records(groups, body, result)
    if isinstance(result, Many) and groups.vector:
        if not groups.group_keys:
            return _beside(groups, body, [result.column])
        settled(groups, body)
        return in_groups(groups, [result.column], Some({}))
    if isinstance(result, (Some, Table)) and groups.group_keys:
        settled(groups, body)
        labels = groups.frame.labels
        chosen = [labels.get_loc(label) for label in result.columns]
        return in_groups(groups, list(result.columns.values()), result if isinstance(result, Some) else Some({}), labels.take(chosen))
    column = _one(result)
    settled(groups, body)
    if not groups.vector and not groups.as_index:
        raise Refused("`as_index=False` with a Python function that returns one value")
    labels = groups.frame.labels.take(groups.positions) if groups.vector else pandas.Index([None], dtype=object)
    return group_result(groups, [column], labels, [name], series=groups.as_index)


def in_groups(groups: Grouping, columns: list[Column], some: Some, labels: pandas.Index | None = None) -> Any:
    """Rows of one group after those of another, with the keys before their labels."""
    if not groups.sort or not groups.as_index or groups.whole or groups.spans is not None:
        raise Refused("`sort=False`, `as_index=False`, unobserved categories, or groups by time")
    frame = groups.frame
    mine = label_columns(frame.rows, frame.index)
    order = [column.at(sort_key(column)) for column, _ in some.order]
    predicate = [] if some.predicate is None else [Column(some.predicate, types.BOOL)]
    rows, settled_ = evaluate_windows(frame.rows, [*groups.keys, *mine, *columns, *order, *predicate])
    at = [len(groups.keys), len(mine), len(columns), len(order)]
    keys, mine_, values, order = (settled_[sum(at[:n]) : sum(at[: n + 1])] for n in range(4))
    there = without_key(groups)
    made: Rows = rows if there is None else Filtered(rows, elementwise.negated(there))
    # pandas has the rows of groups one after the other first: only where these are evenly spaced does it look whether the labels are still.
    counting = len(keys) if isinstance(frame.index, RangeLabels) and _evenly_spaced(made, keys, mine_[0].expression) else None
    if predicate:
        made = Filtered(made, settled_[-1].expression)
    by = [*(sort_key(key) for key in keys), *(column.expression for column in order)]
    made = Sorted(made, by, ["asc.last"] * len(keys) + [word for _, word in some.order])
    if some.count is not None:
        partition = tuple(key.expression for key in keys)
        position: Expression = Over(fold("row_number", partition[0]), partition)
        if some.from_end:
            position = call("sub", call("sub", Over(fold("count", partition[0], skip="none"), partition), Literal(1, ir.i64)), position)
        made = Filtered(made, call("lt", position, Literal(some.count, ir.i64)))
    shown = [key.as_labels() if isinstance(key, Coded) else key for key in keys]
    index = ColumnLabels([*shown, *mine_], [*groups.names, *frame.index.names], counting=counting)
    if labels is None:
        return Vector(made, values[0], groups.selection, index)
    return Frame(made, values, labels, index)


def _evenly_spaced(rows: Rows, keys: list[Column], label: Expression) -> bool:
    """Whether labels that count are evenly spaced once rows are in the order of keys."""
    ordered = Sorted(rows, [sort_key(key) for key in keys], ["asc.last"] * len(keys))
    step = Slot("step")
    before = Over(Fold("arr_shift", (call("cast", label, to=ir.optional(ir.i64)),), (Literal(1, ir.i64), Literal(None, ir.i64))))
    stepped = Projected(ordered, {step: call("sub", label, before)})
    least, most = reduced(stepped, [Column(fold(op, Ref(step), skip="null"), pandas.Int64Dtype()) for op in ("min", "max")])
    return bool(least is pandas.NA or least == most)


def _register_extremes(name: str) -> None:
    @operation(f"GroupBy.{name}")
    def of_groups(groups: Grouping, n: Any = 5, keep: Any = "first") -> Any:
        if not groups.vector or type(n) is not int or n < 0 or keep != "first" or not groups.group_keys:
            raise Refused(f"`n={value_text(n)}`, `keep={value_text(keep)}` or `group_keys=False`")
        column = elementwise.known(groups.frame.columns[groups.positions[0]])
        if not types.is_number(column.dtype) or types.is_bool(column.dtype):
            raise Refused(f"`nlargest` and `nsmallest` of dtype `{column.dtype}`")
        some = Some({})
        some.order, some.count = [(column, "desc.last" if name == "nlargest" else "asc.last")], n
        return in_groups(groups, [column], some)


_register_extremes("nlargest")
_register_extremes("nsmallest")


def _records(groups: Grouping, body: Body, result: Record) -> Frame:
    """A frame of what each column came to: all of one dtype, as the rows that pandas makes of them are."""
    columns = [_one(value) for value in result.values.values()]
    dtypes = kinds.distinct(column.dtype for column in columns)
    if not columns or (len(dtypes) > 1 and types.BOOL in dtypes):
        raise Refused("a Python function that returns booleans beside numbers")
    common = np.result_type(*dtypes)
    values = [Column(literals.cast(column.expression, column.dtype, common), common) for column in columns]
    settled(groups, body)
    labels = groups.frame.labels
    positions = [labels.get_loc(label) for label in result.values]
    made: Frame = group_result(groups, values, labels.take(positions), ["apply"] * len(values))
    return made


def _beside(groups: Grouping, body: Body, columns: list[Column]) -> Any:
    """Columns of the same rows, missing where a row belongs to no group."""
    partition_of(groups)
    settled(groups, body)
    frame = groups.frame
    gone = without_key(groups)
    made = [left_out(column, gone, frame.rows) for column in columns]
    if groups.vector:
        return Vector(frame.rows, made[0], groups.selection, frame.index)
    return Frame(frame.rows, made, frame.labels.take(groups.positions), frame.index)


def transformed(groups: Grouping, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function of Python makes of each column of each group, beside its rows."""
    body = body_of(groups)
    columns, scalar = [], []
    for position in groups.positions:
        result = body.call(func, _series(groups, position), args, kwargs)
        if isinstance(result, Many):
            columns.append(result.column)
        else:
            found = _one(result)
            scalar.append(found.dtype)
            columns.append(body.lifted(One(found)))
    if not columns or (len(set(scalar)) > 1 or (scalar and len(scalar) != len(columns))):
        raise Refused("a Python function of which columns become values of different dtypes")
    return _beside(groups, body, columns)


@operation("GroupBy.filter")
def filter_groups(groups: Grouping, func: Any, dropna: Any = True, *args: Any, **kwargs: Any) -> Any:
    if dropna is not True:
        raise Refused(f"`dropna={value_text(dropna)}`")
    body = body_of(groups)
    every = list(range(len(groups.frame.columns))) if groups.selection is None else groups.positions
    subject: Thing = _series(groups, groups.positions[0]) if groups.vector else _table(groups, every)
    result = body.call(func, subject, args, kwargs)
    if isinstance(result, Constant) and isinstance(result.value, bool):
        return chosen_rows(groups, Literal(result.value, ir.bool_))
    if not isinstance(result, One) or not types.is_bool(result.column.dtype):
        raise Refused("a Python function that returns no boolean")
    settled(groups, body)
    return chosen_rows(groups, body.lifted(result).expression)

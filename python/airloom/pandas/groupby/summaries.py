"""Summaries of groups: quantiles, descriptions, counts of values, where the extremes stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.sorting import sort_key
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.groupby.grouping import Coded, Grouping, aggregated, each_column, group_result
from airloom.pandas.groupby.unobserved import labels_of
from airloom.pandas.internals import materialize
from airloom.pandas.ops.aggregates import aggregate_of, present
from airloom.pandas.ops.cumulative import null_where_missing
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, RangeLabels, Vector, label_columns
from airloom.pandas.plan.nullness import may_be_null
from airloom.pandas.plan.rows import Concatenated, Grouped, Projected, Rows, Sorted
from airloom.pandas.reductions.describe import DESCRIPTION, described
from airloom.pandas.refusals import Refused


@operation("GroupBy.quantile")
def quantile(groups: Grouping, q: Any = 0.5, interpolation: str = "linear", numeric_only: bool = False) -> Any:
    if isinstance(q, (int, float)) and not isinstance(q, bool):
        return each_column(groups, "quantile", bool(numeric_only), q=q, interpolation=interpolation)
    if not isinstance(q, (list, tuple, np.ndarray)) or not len(q) or not groups.as_index or groups.whole or groups.spans is not None:
        raise Refused("several quantiles with `as_index=False`, unobserved categories or groups by time")
    wanted = [float(item) for item in q if isinstance(item, (int, float, np.floating)) and not isinstance(item, bool)]
    if len(wanted) != len(q) or len(set(wanted)) != len(wanted):
        raise Refused("`q` with duplicates, or with values that are not numbers")
    positions = groups.positions
    if numeric_only:
        positions = [position for position in positions if types.is_numeric(materialize.decided(groups.frame.columns[position]).dtype)]
    columns = [groups.frame.columns[position] for position in positions]
    if not columns:
        raise Refused("no columns to aggregate")
    values = [aggregate_of(groups.frame.rows, "quantile", column, q=item, interpolation=interpolation) for item in wanted for column in columns]
    rows, keys, made = aggregated(groups, values)
    slots = [Slot("key") for _ in keys]
    level, order, number = Slot("quantile"), Slot("order"), Slot("group")
    results = [Slot("value") for _ in columns]
    parts = []
    for at, item in enumerate(wanted):
        mine = made[at * len(columns) : (at + 1) * len(columns)]
        counted: list[Expression] = [Literal(item, ir.f64), Literal(at, ir.i64), Ref(rows.position)]
        parts.append((rows, [*(key.expression for key in keys), *counted, *(column.expression for column in mine)]))
    stacked = Concatenated([*slots, level, order, number, *results], parts)
    ordered = Sorted(stacked, [Ref(number), Ref(order)], ["asc.last", "asc.last"])
    levels = [*(key.at(Ref(slot)) for key, slot in zip(keys, slots, strict=True)), Column(Ref(level), types.FLOAT64)]
    index = ColumnLabels(levels, [*groups.names, None], grouped=(bool(groups.sort), bool(groups.dropna)))
    final = [Column(Ref(slot), column.dtype) for slot, column in zip(results, made, strict=False)]
    if groups.vector:
        return Vector(ordered, final[0], groups.selection, index)
    return Frame(ordered, final, groups.frame.labels.take(positions), index)


@operation("GroupBy.describe")
def describe(groups: Grouping, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
    if percentiles is not None or include is not None or exclude is not None or not groups.as_index or groups.whole or groups.spans is not None:
        raise Refused("`percentiles`, `include`, `exclude`, `as_index=False`, unobserved categories or groups by time")
    if len(groups.keys) > 1 and not groups.sort:
        # pandas unstacks the descriptions, and so sorts groups by where each key occurs first.
        raise Refused("`describe` of groups by several keys with `sort=False`")
    if not groups.dropna and any(types.is_nullable(key.dtype) for key in groups.keys):
        # To unstack, pandas may ask what is missing whether it is true.
        raise Refused("`describe` of groups by nullable keys with `dropna=False`")
    columns = [(position, materialize.decided(groups.frame.columns[position])) for position in groups.positions]
    if any(types.is_time(column.dtype) or types.is_duration(column.dtype) or column.unsupported for _, column in columns):
        raise Refused("`describe` of timestamps or timedeltas")
    columns = [(position, column) for position, column in columns if types.is_number(column.dtype) and not types.is_bool(column.dtype)]
    if not columns or any(column.dtype.itemsize < 8 for _, column in columns):
        raise Refused("`describe` of columns that are not 64-bit numbers")
    if run.count(groups.rows_with_keys()) == 0:
        raise Refused("`describe` of no groups")
    if any(types.is_float(column.dtype) and elementwise.any_row(groups.frame.rows, call("is_infinite", column.expression)) for _, column in columns):
        raise Refused("quantiles of infinite values")
    values = [value for _, column in columns for value in described(column, grouped=True)]
    if groups.vector:
        return group_result(groups, values, pandas.Index(DESCRIPTION))
    repeated = groups.frame.labels.take([position for position, _ in columns for _ in DESCRIPTION])
    labels = pandas.MultiIndex.from_arrays([repeated, DESCRIPTION * len(columns)], names=[groups.frame.labels.name, None])
    return group_result(groups, values, labels)


@operation("GroupBy.value_counts")
def value_counts(groups: Grouping, *args: Any, **kwargs: Any) -> Any:
    return _value_counts(groups, *args, **kwargs) if groups.vector else _row_counts(groups, *args, **kwargs)


def _value_counts(groups: Grouping, normalize: bool = False, sort: bool = True, ascending: bool = False, bins: Any = None, dropna: bool = True) -> Any:
    if bins is not None:
        raise Refused("`bins`")
    return _counts(groups, groups.positions, normalize, sort, ascending, dropna)


def _row_counts(groups: Grouping, subset: Any = None, normalize: bool = False, sort: bool = True, ascending: bool = False, dropna: bool = True) -> Any:
    positions = [position for position in groups.positions if position not in groups.exclusions]
    if subset is not None:
        labels = groups.frame.labels
        known = isinstance(subset, (list, tuple)) and all(label in labels for label in subset)
        if not known or any(labels.get_loc(label) in groups.exclusions for label in subset):
            raise Refused("`subset` with labels that are not columns")
        positions = [position for position in positions if labels[position] in subset]
    return _counts(groups, positions, normalize, sort, ascending, dropna)


def _counts(groups: Grouping, positions: Sequence[int], normalize: bool, sort: bool, ascending: bool, dropna: bool) -> Any:
    """How often values, or rows of them, stand in each group."""
    frame = groups.frame
    if groups.vector and any(position in groups.exclusions for position in positions):
        raise Refused("`value_counts` of a group key")
    if not all(isinstance(option, (bool, np.bool_)) for option in (normalize, sort, ascending, dropna)):
        raise Refused("`normalize`, `sort`, `ascending` or `dropna` is not boolean")
    if not groups.dropna or groups.whole or groups.spans is not None:
        raise Refused("`dropna=False` of `groupby`, unobserved categories or groups by time")
    columns = [elementwise.known(frame.columns[position]) for position in positions]
    if any(types.is_category(column.dtype) or types.is_masked(column.dtype) or types.is_arrow(column.dtype) for column in columns):
        raise Refused("`value_counts` of categories, or of nullable numbers or Arrow's dtypes, which are counted in their own")
    if any(elementwise.has_missing(frame.rows, column) for column in columns):
        # pandas then has another order for values that stand equally often.
        raise Refused("`value_counts` of missing values")
    if groups.as_index and any(types.is_float(key.dtype) or may_be_null(frame.rows, key.expression) for key in groups.keys) and any(
        elementwise.any_row(frame.rows, elementwise.negated(present(key))) for key in groups.keys
    ):
        raise Refused("`value_counts` of groups by keys that are missing, whose values are levels")
    rows = groups.rows_with_keys()
    slots = [Slot("key") for _ in groups.keys]
    value_slots = [Slot("value") for _ in columns]
    count_slot = Slot("count")
    expressions = {slot: key.expression for slot, key in zip([*slots, *value_slots], [*groups.keys, *columns], strict=True)}
    made: Rows = Grouped(rows, expressions, {count_slot: fold("count", groups.keys[0].expression, skip="none")})
    keys = [key.at(Ref(slot)) for slot, key in zip(slots, groups.keys, strict=True)]
    values = [column.at(Ref(slot)) for slot, column in zip(value_slots, columns, strict=True)]
    # Values of one column are counted in nullable numbers, where Arrow holds them and they are.
    dtype = columns[0].dtype if groups.vector and columns else None
    nullable = isinstance(dtype, pandas.StringDtype) and dtype.storage == "pyarrow" and dtype.na_value is pandas.NA
    result = Column(Ref(count_slot), pandas.Int64Dtype() if nullable else types.INT64)
    if normalize:
        total = Over(fold("sum", Ref(count_slot)), tuple(Ref(slot) for slot in slots))
        slot = Slot("share")
        made = Projected(made, {slot: call("div", call("cast", Ref(count_slot), to=ir.f64), call("cast", total, to=ir.f64))})
        result = Column(Ref(slot), pandas.Float64Dtype() if nullable else types.FLOAT64)
    by: list[Expression] = [sort_key(key) for key in keys] if groups.sort else []
    words = ["asc.last"] * len(by)
    if sort:
        by.append(Ref(count_slot))
        words.append("asc.last" if ascending else "desc.last")
    if by:
        made = Sorted(made, by, words)
    name = "proportion" if normalize else "count"
    shown = [*(key.as_labels() if isinstance(key, Coded) else key for key in keys), *values]
    names = [*groups.names, *(frame.labels[position] for position in positions)]
    if groups.as_index:
        if len(shown) == 1:
            raise Refused("`value_counts` of keys alone")
        if not groups.sort:
            raise Refused("`value_counts` of groups with `sort=False`, whose levels have an order of their own")
        return Vector(made, result, name, ColumnLabels(shown, names, grouped=(True, True)))
    if any(label is None for label in names) or len(set(names)) < len(names) or name in names or isinstance(frame.labels, pandas.MultiIndex):
        raise Refused("`as_index=False` with keys that have no name or that of a column")
    return Frame(made, [*shown, result], pandas.Index(names, dtype=frame.labels.dtype).insert(len(names), name), RangeLabels())


def _register_position(name: str, op: str) -> None:
    @operation(f"GroupBy.{name}")
    def run_(groups: Grouping, skipna: bool = True, numeric_only: bool = False) -> Any:
        if not skipna or groups.spans is not None or (numeric_only and groups.vector):
            raise Refused("`skipna=False`, groups by time, or `numeric_only=True` of a Series")
        if groups.whole and len(labels_of(groups)[0]) != int((labels_of(groups)[1] >= 0).sum()):
            raise Refused("`idxmin` and `idxmax` of groups without rows")
        return _labels_of(groups, op, bool(numeric_only))


def _labels_of(groups: Grouping, op: str, numeric_only: bool) -> Any:
    """The label of the row in which the least or the greatest of each column stands."""
    labels = label_columns(groups.frame.rows, groups.frame.index)
    if len(labels) != 1:
        raise Refused("a MultiIndex")
    label = elementwise.known(labels[0])
    if types.is_category(label.dtype) or types.is_masked(label.dtype) or types.is_float(label.dtype):
        raise Refused(f"index labels of dtype `{label.dtype}`")
    positions = groups.positions
    if numeric_only:
        positions = [position for position in positions if types.is_numeric(materialize.decided(groups.frame.columns[position]).dtype)]
    columns = [elementwise.known(groups.frame.columns[position]) for position in positions]
    if not columns:
        raise Refused("no columns to aggregate")
    found: list[Fold] = []
    for column in columns:
        ordered = types.is_category(column.dtype) and column.dtype.ordered
        if not (types.is_number(column.dtype) or types.is_time(column.dtype) or types.is_duration(column.dtype) or types.is_text(column.dtype) or ordered):
            raise Refused(f"`idxmin` and `idxmax` of dtype `{column.dtype}`")
        value = call("cast", column.expression, to=ir.i8) if types.is_bool(column.dtype) else null_where_missing(column) if ordered else column.expression
        found.append(fold(op, value, skip="all"))
    _none_missing(groups, columns, found)
    values = [Column(_at(label, position), label.dtype) for position in found]
    return group_result(groups, values, groups.frame.labels.take(positions), ["idx"] * len(values), series=groups.vector)


def _at(label: Column, position: Fold) -> Expression:
    return Fold("arr_at", (label.expression, call("coalesce", position, Literal(0, ir.i64))))


def _none_missing(groups: Grouping, columns: Sequence[Column], positions: Sequence[Fold]) -> None:
    """Refuses groups in which all is missing: pandas raises there."""
    asked = [position for column, position in zip(columns, positions, strict=True) if not isinstance(elementwise.missing(column), Literal)]
    if not asked:
        return
    rows = groups.rows_with_keys()
    slots = [Slot("position") for _ in asked]
    made = Grouped(rows, {Slot("key"): key.expression for key in groups.keys}, dict(zip(slots, asked, strict=True)))
    for slot in slots:
        if run.value(made, fold("any", call("is_null", Ref(slot)))):
            raise Refused("a group of missing values only")


_register_position("idxmin", "argmin")
_register_position("idxmax", "argmax")

"""Summaries of groups: quantiles, descriptions, counts of values, where the extremes stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.data import restore, types
from airloom.pandas.face.dispatch import operation
from airloom.pandas.operations import elements
from airloom.pandas.operations.aggregates import aggregate
from airloom.pandas.operations.group_whole import labels_of
from airloom.pandas.operations.groups import Coded, Grouping, aggregated, each_column, group_result
from airloom.pandas.operations.sorting import sort_key
from airloom.pandas.operations.windows import null_where_missing
from airloom.pandas.plan import run
from airloom.pandas.plan.expression import Expression, Fold, Literal, Over, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, Frame, Keys, Positions, Refused, Vector, label_columns
from airloom.pandas.plan.rows import Extended, Grouped, Rows, Sorted, Stacked


@operation("GroupBy.quantile")
def quantile(groups: Grouping, q: Any = 0.5, interpolation: str = "linear", numeric_only: bool = False) -> Any:
    if isinstance(q, (int, float)) and not isinstance(q, bool):
        return each_column(groups, "quantile", bool(numeric_only), q=q, interpolation=interpolation)
    if not isinstance(q, (list, tuple, np.ndarray)) or not len(q) or not groups.as_index or groups.whole or groups.spans is not None:
        raise Refused("several quantiles, with keys as columns")
    wanted = [float(item) for item in q if isinstance(item, (int, float, np.floating)) and not isinstance(item, bool)]
    if len(wanted) != len(q) or len(set(wanted)) != len(wanted):
        raise Refused("quantiles that are no numbers, or duplicates")
    places = groups.places
    if numeric_only:
        places = [place for place in places if types.is_numeric(restore.decided(groups.frame.columns[place]).dtype)]
    columns = [groups.frame.columns[place] for place in places]
    if not columns:
        raise Refused("no columns to aggregate")
    values = [aggregate("quantile", column, grouped=True, q=item, interpolation=interpolation) for item in wanted for column in columns]
    rows, keys, made = aggregated(groups, values)
    slots = [Slot("key") for _ in keys]
    level, order, number = Slot("quantile"), Slot("order"), Slot("group")
    results = [Slot("value") for _ in columns]
    parts = []
    for at, item in enumerate(wanted):
        mine = made[at * len(columns) : (at + 1) * len(columns)]
        counted: list[Expression] = [Literal(item, ir.f64), Literal(at, ir.i64), Ref(rows.position)]
        parts.append((rows, [*(key.expression for key in keys), *counted, *(column.expression for column in mine)]))
    stacked = Stacked([*slots, level, order, number, *results], parts)
    ordered = Sorted(stacked, [Ref(number), Ref(order)], ["asc.last", "asc.last"])
    levels = [*(key.at(Ref(slot)) for key, slot in zip(keys, slots, strict=True)), Column(Ref(level), types.FLOAT64)]
    index = Keys(levels, [*groups.names, None], grouped=(bool(groups.sort), bool(groups.dropna)))
    final = [Column(Ref(slot), column.dtype) for slot, column in zip(results, made, strict=False)]
    if groups.vector:
        return Vector(ordered, final[0], groups.selection, index)
    return Frame(ordered, final, groups.frame.labels.take(places), index)


@operation("GroupBy.describe")
def describe(groups: Grouping, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
    if percentiles is not None or include is not None or exclude is not None or not groups.as_index or groups.whole or groups.spans is not None:
        raise Refused("how groups are described")
    columns = [(place, restore.decided(groups.frame.columns[place])) for place in groups.places]
    if any(types.is_time(column.dtype) or types.is_duration(column.dtype) or column.opaque for _, column in columns):
        raise Refused("a description of instants")
    columns = [(place, column) for place, column in columns if types.is_number(column.dtype) and not types.is_bool(column.dtype)]
    if not columns or any(column.dtype.itemsize < 8 for _, column in columns):
        raise Refused("a description of what is no number")
    if run.count(groups.rows_with_keys()) == 0:
        raise Refused("a description of nothing")
    values = [value for _, column in columns for value in described(column, grouped=True)]
    if groups.vector:
        return group_result(groups, values, pandas.Index(DESCRIPTION))
    repeated = groups.frame.labels.take([place for place, _ in columns for _ in DESCRIPTION])
    labels = pandas.MultiIndex.from_arrays([repeated, DESCRIPTION * len(columns)], names=[groups.frame.labels.name, None])
    return group_result(groups, values, labels)


#: What numbers are described by.
DESCRIPTION = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]
QUARTILES = (0.25, 0.5, 0.75)


def described(column: Column, *, grouped: bool) -> list[Column]:
    """The description of a column of numbers, all of it floats."""
    values = [aggregate(name, column, grouped=grouped) for name in ("count", "mean", "std", "min")]
    values += [aggregate("quantile", column, grouped=grouped, q=q) for q in QUARTILES]
    values.append(aggregate("max", column, grouped=grouped))
    return [value if value.dtype == types.FLOAT64 else Column(call("cast", value.expression, to=ir.f64), types.FLOAT64) for value in values]


@operation("GroupBy.value_counts")
def value_counts(groups: Grouping, *args: Any, **kwargs: Any) -> Any:
    return _value_counts(groups, *args, **kwargs) if groups.vector else _row_counts(groups, *args, **kwargs)


def _value_counts(groups: Grouping, normalize: bool = False, sort: bool = True, ascending: bool = False, bins: Any = None, dropna: bool = True) -> Any:
    if bins is not None:
        raise Refused("counts by bins")
    return _counts(groups, groups.places, normalize, sort, ascending, dropna)


def _row_counts(groups: Grouping, subset: Any = None, normalize: bool = False, sort: bool = True, ascending: bool = False, dropna: bool = True) -> Any:
    places = [place for place in groups.places if place not in groups.exclusions]
    if subset is not None:
        labels = groups.frame.labels
        known = isinstance(subset, (list, tuple)) and all(label in labels for label in subset)
        if not known or any(labels.get_loc(label) in groups.exclusions for label in subset):
            raise Refused("labels that are no columns")
        places = [place for place in places if labels[place] in subset]
    return _counts(groups, places, normalize, sort, ascending, dropna)


def _counts(groups: Grouping, places: Sequence[int], normalize: bool, sort: bool, ascending: bool, dropna: bool) -> Any:
    """How often values, or rows of them, stand in each group."""
    frame = groups.frame
    if groups.vector and any(place in groups.exclusions for place in places):
        raise Refused("counts of a key")
    if not all(isinstance(option, (bool, np.bool_)) for option in (normalize, sort, ascending, dropna)):
        raise Refused("options that are no booleans")
    if not groups.dropna or groups.whole or groups.spans is not None:
        raise Refused("groups of what is missing, or without rows")
    columns = [elements.known(frame.columns[place]) for place in places]
    if any(types.is_category(column.dtype) or types.is_masked(column.dtype) for column in columns):
        raise Refused("counts of categories, or of nullable numbers")
    if any(elements.has_missing(frame.rows, column) for column in columns):
        # pandas then has another order for values that stand equally often.
        raise Refused("counts beside what is missing")
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
        made = Extended(made, {slot: call("div", call("cast", Ref(count_slot), to=ir.f64), call("cast", total, to=ir.f64))})
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
    names = [*groups.names, *(frame.labels[place] for place in places)]
    if groups.as_index:
        if len(shown) == 1:
            raise Refused("counts of the keys alone")
        return Vector(made, result, name, Keys(shown, names))
    if any(label is None for label in names) or len(set(names)) < len(names) or name in names or isinstance(frame.labels, pandas.MultiIndex):
        raise Refused("keys that are no new columns")
    return Frame(made, [*shown, result], pandas.Index(names, dtype=frame.labels.dtype).insert(len(names), name), Positions())


def _register_place(name: str, op: str) -> None:
    @operation(f"GroupBy.{name}")
    def run_(groups: Grouping, skipna: bool = True, numeric_only: bool = False) -> Any:
        if not skipna or groups.spans is not None or (numeric_only and groups.vector):
            raise Refused("missing values that count, or numbers only of one column")
        if groups.whole and len(labels_of(groups)[0]) != int((labels_of(groups)[1] >= 0).sum()):
            raise Refused("groups without rows, which have no extremes")
        return _labels_of(groups, op, bool(numeric_only))


def _labels_of(groups: Grouping, op: str, numeric_only: bool) -> Any:
    """The label of the row in which the least or the greatest of each column stands."""
    labels = label_columns(groups.frame.rows, groups.frame.index)
    if len(labels) != 1:
        raise Refused("labels of several levels")
    label = elements.known(labels[0])
    if types.is_category(label.dtype) or types.is_masked(label.dtype) or types.is_float(label.dtype):
        raise Refused(f"labels of `{label.dtype}`")
    places = groups.places
    if numeric_only:
        places = [place for place in places if types.is_numeric(restore.decided(groups.frame.columns[place]).dtype)]
    columns = [elements.known(groups.frame.columns[place]) for place in places]
    if not columns:
        raise Refused("no columns to aggregate")
    found: list[Fold] = []
    for column in columns:
        ordered = types.is_category(column.dtype) and column.dtype.ordered
        if not (types.is_number(column.dtype) or types.is_time(column.dtype) or types.is_duration(column.dtype) or types.is_text(column.dtype) or ordered):
            raise Refused(f"extremes of `{column.dtype}`")
        value = call("cast", column.expression, to=ir.i8) if types.is_bool(column.dtype) else null_where_missing(column) if ordered else column.expression
        found.append(fold(op, value, skip="all"))
    _none_missing(groups, columns, found)
    values = [Column(_at(label, place), label.dtype) for place in found]
    return group_result(groups, values, groups.frame.labels.take(places), ["idx"] * len(values), series=groups.vector)


def _at(label: Column, place: Fold) -> Expression:
    return Fold("arr_at", (label.expression, call("coalesce", place, Literal(0, ir.i64))))


def _none_missing(groups: Grouping, columns: Sequence[Column], places: Sequence[Fold]) -> None:
    """Refuses groups in which all is missing: pandas raises there."""
    asked = [place for column, place in zip(columns, places, strict=True) if not isinstance(elements.missing(column), Literal)]
    if not asked:
        return
    rows = groups.rows_with_keys()
    slots = [Slot("place") for _ in asked]
    made = Grouped(rows, {Slot("key"): key.expression for key in groups.keys}, dict(zip(slots, asked, strict=True)))
    for slot in slots:
        if run.value(made, fold("any", call("is_null", Ref(slot)))):
            raise Refused("a group in which all is missing")


_register_place("idxmin", "argmin")
_register_place("idxmax", "argmax")

"""What groups are made by: labels of columns, levels, functions of labels, values for each row, and pandas' `Grouper`."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pandas
from pandas.api.types import is_hashable, is_scalar
from pandas.core.resample import TimeGrouper

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.algorithms.align import align_to, aligned, array_column, vector_of
from airloom.pandas.dispatch.calls import recorded
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.groupby.grouping import Coded, Grouping
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.expression import Literal, call
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, RangeLabels, Vector, evaluate_windows, is_data, label_columns
from airloom.pandas.plan.index import Relation, relation
from airloom.pandas.plan.nullness import may_be_null
from airloom.pandas.plan.rows import Filtered, MemoryRows, Rows, Sliced, space_of
from airloom.pandas.refusals import Refused, value_text

#: What makes groups by a frequency, alone and beside other keys: `resample` puts both here.
BY_FREQUENCY: dict[str, Callable[..., Any]] = {}

#: What a label of a column may be.
_LABELS = (str, int, float, np.number, tuple, pandas.Timestamp, pandas.Timedelta, pandas.Period, pandas.Interval)


def grouping_of(plan: Any, by: Any, level: Any, options: dict[str, Any]) -> Grouping:
    """The groups of a frame or of a vector."""
    if isinstance(plan, Frame):
        return grouping(plan, by, level, options)
    if not options["as_index"]:
        raise Refused("`as_index=False` of a Series")
    name = plan.name
    frame = Frame(plan.rows, (plan.column,), pandas.Index([name], dtype=object), plan.index)
    made = grouping(frame, by, level, options, series=True)
    made.exclusions = ()
    made.selection = name
    made.vector = True
    return made


def grouping(frame: Frame, by: Any, level: Any, options: dict[str, Any], *, series: bool = False) -> Grouping:
    """The groups of a frame."""
    if not all(isinstance(options[name], (bool, np.bool_)) for name in options):
        raise Refused("options that are not boolean")
    if isinstance(frame.labels, pandas.MultiIndex) and not options["as_index"]:
        raise Refused("MultiIndex columns with `as_index=False`")
    named = [name for name in frame.index.names if name is not None]
    if len(set(named)) < len(named):
        raise Refused("duplicate names of index levels")
    given = by if isinstance(by, list) else [by]
    if any(isinstance(item, TimeGrouper) for item in given) and level is None:
        if len(given) == 1:
            return BY_FREQUENCY["alone"](frame, given[0], options)
    if type(by) is pandas.Grouper:
        # By itself it says whether keys are sorted, and whether missing ones count.
        options = {**options, "sort": by.sort, "dropna": by.dropna}
    keys, names, exclusions = [], [], []
    rows = frame.rows
    for item in _given(frame, by, level, series):
        rows, key, name, position = _key(frame, rows, item, options, series)
        keys.append(key)
        names.append(name)
        if position is not None:
            exclusions.append(position)
    # Keys are compared after rows are left out, so what looks at other rows is computed before.
    rows, settled = evaluate_windows(rows, [*keys, *frame.columns])
    keys, columns = settled[: len(keys)], settled[len(keys) :]
    return Grouping(Frame(rows, columns, frame.labels, frame.index), keys, names, exclusions, options)


class _Level:
    __slots__ = ("position",)

    def __init__(self, position: int) -> None:
        self.position = position


def _key(frame: Frame, rows: Rows, item: Any, options: dict[str, Any], series: bool) -> tuple[Rows, Column, Hashable, int | None]:
    """A key over rows, its name, and the position of the column that it is."""
    if isinstance(item, TimeGrouper):
        return BY_FREQUENCY["beside"](frame, rows, item)
    if type(item) is pandas.Grouper:
        if (item.key is None) == (item.level is None):
            raise Refused("`Grouper` without `key` or `level`")
        item = item.key if item.key is not None else _levels(frame, item.level)[0]
        if not isinstance(item, _Level) and series:
            raise Refused("`Grouper` with `key` for a Series")
    if isinstance(item, BaseSeries):
        vector = vector_of(item)
        assert vector is not None
        is_column = is_hashable(vector.name) and vector.name in frame.labels and _is_column(frame, vector)
        if relation(rows, frame.index, vector.rows, vector.index) in (Relation.SAME, Relation.EQUAL):
            rows, column = aligned(rows, frame.index, vector)
        else:
            # Rows are a view of others where they are a slice of them, and where a mask leaves out none: pandas then still takes the key for the column.
            is_column = is_column and _is_view(frame.rows, vector.rows)
            rows, column = align_to(rows, frame.index, vector)
        position = frame.position(vector.name) if is_column else None
        return rows, _known(rows, column, options), vector.name, position
    if isinstance(item, _Level):
        return rows, _level_key(frame, rows, item.position, options), frame.index.names[item.position], None
    if isinstance(item, pandas.Index):
        if isinstance(item, pandas.MultiIndex):
            raise Refused("a MultiIndex as key")
        return rows, _of_values(rows, item, options), item.name, None
    if isinstance(item, (np.ndarray, list, pandas.api.extensions.ExtensionArray)):
        return rows, _of_values(rows, item, options), None, None
    if not series and isinstance(item, _LABELS) and not isinstance(item, bool) and is_hashable(item) and item in frame.labels:
        if item in [name for name in frame.index.names if name is not None]:
            raise Refused(f"{value_text(item)} is both a column and an index level")
        position = frame.position(item)
        return rows, _known(rows, frame.columns[position], options), item, position
    if callable(item) or isinstance(item, dict):
        return rows, _of_values(rows, _of_labels(frame, item), options), frame.index.names[0] if len(frame.index.names) == 1 else None, None
    raise Refused(f"a key of type `{type(item).__name__}`")


def _known(rows: Rows, column: Column, options: dict[str, Any]) -> Column:
    """A column as a key: where it has no native type there must be no rows."""
    if not column.unsupported:
        column = materialize.decided(column)
        if elementwise.are_objects(column):
            raise Refused("a key of dtype `object`")
        if column.dtype == types.OBJECT:
            # The labels of groups are inferred of the keys that there are: strings, where there is one.
            if not elementwise.any_row(rows, elementwise.negated(call("is_null", column.expression))):
                raise Refused("a key of dtype `object` without a value")
            return Column(column.expression, types.STR)
        if elementwise.tells_zeros_apart(rows, column):
            raise Refused(f"a key of `{column.dtype}` with negative zeros")
        return column
    dates = elementwise.understood(column)
    if elementwise.are_dates(dates):
        if not options["dropna"] and may_be_null(rows, dates.expression):
            raise Refused("missing dates as a key")
        return dates
    if space_of(rows).count != 0 or column.held is None:
        raise Refused(f"a key of dtype `{column.dtype}`, which has no native type")
    _, labels = _numbered(column.held.array[:0], options)
    return Coded(Column(Literal(0, ir.i64), types.INT64), labels, in_full=True)


def _of_values(rows: Rows, values: Any, options: dict[str, Any]) -> Column:
    """A key of a value for each row: numbered by pandas where only that knows the values, or labels know more than their values."""
    base = space_of(rows)
    if not isinstance(base, MemoryRows) or len(values) != base.count:
        raise Refused("a key of another length than the frame, or beside rows that are not computed yet")
    if isinstance(values, pandas.arrays.NumpyExtensionArray):
        values = values.to_numpy()
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise Refused(f"a key that is an array of {values.ndim} dimensions")
    plain = not isinstance(values, (list, pandas.RangeIndex)) and getattr(values, "freq", None) is None
    dtype = getattr(values, "dtype", None)
    if plain and types.type_of(dtype) is not None and not isinstance(values, np.ma.MaskedArray):
        return array_column(rows, values.array if isinstance(values, pandas.Index) else values)
    return _coded(rows, values, options)


def _coded(rows: Rows, values: Any, options: dict[str, Any]) -> Column:
    """A key by the number of the group of each value."""
    base = space_of(rows)
    assert isinstance(base, MemoryRows)
    codes, labels = _numbered(values, options)
    array = pandas.arrays.IntegerArray(codes, codes < 0) if len(codes) and codes.min() < 0 else codes
    return Coded(captured_array(base, array, "key"), labels, in_full=True)


def _numbered(values: Any, options: dict[str, Any]) -> tuple[Any, pandas.Index]:
    """The number of the group of each value, and the groups' labels, in their order: as pandas has them."""
    try:
        grouper = BaseSeries(np.empty(len(values), np.int8)).groupby([values], sort=options["sort"], dropna=options["dropna"])._grouper
        labels, codes = grouper.result_index, grouper.ids
    except (TypeError, ValueError, NotImplementedError) as error:
        raise Refused("a key that pandas cannot factorize") from error
    if isinstance(labels, pandas.MultiIndex):
        raise Refused("a MultiIndex as key")
    return np.asarray(codes, np.int64), labels


def _level_key(frame: Frame, rows: Rows, position: int, options: dict[str, Any]) -> Column:
    """A level of the labels as a key."""
    index = frame.index
    base = space_of(rows)
    if isinstance(index, RangeLabels):
        if not isinstance(base, MemoryRows):
            raise Refused("a level of an evenly spaced index as key")
        return _coded(rows, pandas.RangeIndex(index.start, index.start + index.step * base.count, index.step), options)
    column = label_columns(rows, index)[position]
    if index.made is not None and isinstance(base, MemoryRows) and index.made.nlevels == 1 and (column.unsupported or getattr(index.made, "freq", None) is not None):
        return _of_values(rows, index.made, options)
    known = index.made if index.made is not None else index.origin[0] if index.origin is not None else None
    of_level = known.levels[position] if isinstance(known, pandas.MultiIndex) else known
    # Of at most one row pandas keeps the level as it is.
    is_range = index.counting == position or (isinstance(of_level, pandas.RangeIndex) and isinstance(known, pandas.MultiIndex))
    is_kept = is_range and (base.count is None or base.count <= 1)
    if (index.ranged and len(index.columns) == 1) or is_kept or getattr(of_level, "freq", None) is not None:
        raise Refused("a level of an evenly spaced index as key")
    if column.unsupported and index.made is not None and isinstance(base, MemoryRows):
        return _of_values(rows, index.made.get_level_values(position), options)
    return _known(rows, column, options)


def _given(frame: Frame, by: Any, level: Any, series: bool) -> list[Any]:
    if level is not None:
        if by is not None:
            raise Refused("both `by` and `level`")
        return list(_levels(frame, level))
    if isinstance(by, BaseDataFrame):
        raise Refused("a DataFrame as key")
    if not isinstance(by, list):
        return [_named_level(frame, by, series)]
    if not by:
        raise Refused("an empty list of keys")
    if _for_each_row(frame, by, series):
        return [by]
    return [_named_level(frame, item, series) for item in by]


def _levels(frame: Frame, level: Any) -> list[_Level]:
    levels = level if isinstance(level, (list, tuple)) else [level]
    names = list(frame.index.names)
    if len(levels) == 0 or len(levels) > len(names):
        raise Refused("more levels than the index has")
    positions = []
    for item in levels:
        if isinstance(item, (int, np.integer)) and item not in names:
            if not -len(names) <= item < len(names):
                raise Refused(f"level {value_text(item)} is out of bounds")
            positions.append(int(item) % len(names))
        elif item in names:
            positions.append(names.index(item))
        else:
            raise Refused(f"{value_text(item)} is not an index level")
    return [_Level(position) for position in positions]


def _for_each_row(frame: Frame, by: list[Any], series: bool) -> bool:
    """Whether a list is one key with a value for each row: as long as there are rows, and not of labels alone."""
    if len(by) != frame.rows.count or not all(is_scalar(item) for item in by):
        return False
    return not all(is_hashable(item) and ((not series and item in frame.labels) or item in frame.index.names) for item in by)


def _named_level(frame: Frame, item: Any, series: bool) -> Any:
    if isinstance(item, str) and (series or item not in frame.labels) and item in frame.index.names:
        return _Level(list(frame.index.names).index(item))
    return item


def _of_labels(frame: Frame, function: Any) -> Any:
    """What a function, or a mapping, makes of the index labels in memory."""
    index = frame.index
    if isinstance(index, ColumnLabels) and index.made is not None and isinstance(space_of(frame.rows), MemoryRows):
        labels = index.made
    elif isinstance(index, RangeLabels) and isinstance(space_of(frame.rows), MemoryRows):
        labels = pandas.RangeIndex(index.start, index.start + index.step * run.count(frame.rows), index.step)
    else:
        raise Refused("a Python function of index labels that are not computed yet")
    found = labels.map(function.get if isinstance(function, dict) else recorded(function))
    if isinstance(found, pandas.MultiIndex):
        raise Refused("a Python function of index labels that returns tuples")
    return found


def _is_view(rows: Rows, others: Rows) -> bool:
    """Whether pandas has rows in the memory of others."""
    node, base = space_of(rows), space_of(others)
    # What is in memory may have been taken into a plan twice.
    while node is not base and not (isinstance(node, MemoryRows) and isinstance(base, MemoryRows) and node.count == base.count):
        if not isinstance(node, (Filtered, Sliced)):
            raise Refused("a key that is a column of the frame whose rows these are, in another order: use its name")
        below = space_of(node.input)
        if isinstance(node, Filtered) and run.count(node) != run.count(below):
            return False
        node = below
    return True


def _is_column(frame: Frame, vector: Vector) -> bool:
    """Whether a vector is the column of its name: pandas then leaves that column out."""
    column = frame.columns[frame.position(vector.name)]
    if column is vector.column or column.expression is vector.column.expression:
        return True
    if is_data(column) and is_data(vector.column):
        first, second = column.expression.slot, vector.column.expression.slot  # type: ignore[attr-defined]
        return first is second or bool(first.owner.shares(second.owner))
    return False




"""Frames and series one after the other, or side by side."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas
from pandas import concat as pandas_concat
from pandas.api.extensions import no_default

from airloom.pandas.algorithms import literals
from airloom.pandas.algorithms.align import aligned
from airloom.pandas.algorithms.prototypes import ask_pandas, one_row, settled
from airloom.pandas.algorithms.stack import stacked_column
from airloom.pandas.algorithms.take import gathered
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dispatch.wrapping import is_ours, plan_of
from airloom.pandas.dtypes import types
from airloom.pandas.internals import materialize, state
from airloom.pandas.internals.capture import captured_index
from airloom.pandas.plan.expression import Expression, Ref, Slot
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, Index, RangeLabels, Vector, label_columns
from airloom.pandas.plan.rows import Concatenated, MemoryRows, Rows
from airloom.pandas.refusals import Refused, value_text


def concat(
    objs: Any,
    *,
    axis: Any = 0,
    join: str = "outer",
    ignore_index: bool = False,
    keys: Any = None,
    levels: Any = None,
    names: Any = None,
    verify_integrity: bool = False,
    sort: Any = no_default,
    copy: Any = no_default,
    union_categories: bool = False,
) -> Any:
    if levels is not None or verify_integrity or copy is not no_default or union_categories:
        raise Refused("`levels`, `verify_integrity`, `union_categories` or the `copy` argument")
    if isinstance(objs, Mapping):
        keys = list(objs) if keys is None else keys
        objs = [objs[key] for key in keys]
    objs = list(objs)
    if keys is not None and not isinstance(keys, (list, tuple, pandas.Index)):
        raise Refused(f"`keys` of type `{type(keys).__name__}`")
    if not objs or not all(isinstance(item, (BaseDataFrame, BaseSeries)) for item in objs):
        raise Refused("objects that are neither DataFrame nor Series")
    if any(item.attrs for item in objs):
        raise Refused("`attrs`")
    if not ignore_index:
        for item in objs:
            _know_labels(item)
    plans = [plan_of(item) for item in objs]
    if any(isinstance(plan, Frame) and isinstance(plan.labels, pandas.DatetimeIndex) for plan in plans):
        raise Refused("a DatetimeIndex as columns")
    options = {"join": join, "ignore_index": ignore_index, "keys": keys, "names": names, "sort": sort}
    if axis in (0, "index"):
        return _stacked(objs, plans, options)
    if axis in (1, "columns"):
        return _beside(plans, options)
    raise Refused(f"`axis={value_text(axis)}`")


def _know_labels(item: Any) -> None:
    """Computes a piece whose labels are not known, once for them and its values."""
    if is_ours(item) and state.is_lazy(item):
        index = state.plan_of(item).index
        if isinstance(index, ColumnLabels) and index.made is None:
            state.force(item)


def _stacked(objs: Sequence[Any], plans: Sequence[Any], options: Mapping[str, Any]) -> Any:
    if len(plans) == 1:
        raise Refused("`concat` of one object")
    plans = [settled(plan) for plan in plans]
    if any(isinstance(plan, Frame) and len(plan.columns) == 0 for plan in plans):
        raise Refused("a frame without columns")
    model = ask_pandas(lambda: pandas_concat([one_row(plan) for plan in plans], **options))
    if isinstance(model, BaseSeries):
        parts = [[plan.column] for plan in plans]
        targets = [model.dtype]
        hints: list[str] = ["values" if model.name is None else str(model.name)]
    else:
        frames = [plan if isinstance(plan, Frame) else plan.framed(_label(plan, options)) for plan in plans]
        parts = [_arranged(frame, model.columns) for frame in frames]
        targets = list(model.dtypes)
        hints = [str(label) for label in model.columns]
    slots = [Slot(hint) for hint in hints]
    columns, expressions = [], []
    for at, target in enumerate(targets):
        column, values = stacked_column([part[at] for part in parts], target, slots[at])
        columns.append(column)
        expressions.append(values)
    index, label_slots, label_values = _labels(objs, plans, options)
    parts_of_rows = [
        (plan.rows, [*(values[at] for values in expressions), *(values[at] for values in label_values)]) for at, plan in enumerate(plans)
    ]
    rows = Concatenated([*slots, *label_slots], parts_of_rows)
    if isinstance(model, BaseSeries):
        return Vector(rows, columns[0], model.name, index)
    return Frame(rows, columns, model.columns, index)


def _label(vector: Vector, options: Mapping[str, Any]) -> Hashable:
    return 0 if vector.name is None else vector.name


def _arranged(frame: Frame, labels: pandas.Index) -> list[Column | None]:
    """The columns of a piece in the order of the result; none where it has no such column."""
    if frame.labels.equals(labels) and len(frame.labels) == len(labels):
        return list(frame.columns)
    if not frame.labels.is_unique:
        raise Refused("duplicate column labels")
    positions = frame.labels.get_indexer(labels)
    return [None if position < 0 else frame.columns[position] for position in positions]


def _labels(objs: Sequence[Any], plans: Sequence[Any], options: Mapping[str, Any]) -> tuple[Index, list[Slot], list[list[Expression]]]:
    """The labels of the result's rows: pandas' own, of labels that are known."""
    if options["ignore_index"]:
        return RangeLabels(), [], []
    indexes = [item.index for item in objs]
    model = pandas_concat([BaseSeries(0, index=index) for index in indexes], keys=options["keys"], names=options["names"])
    made = model.index
    if isinstance(made, pandas.RangeIndex):
        return RangeLabels(made.start, made.step, made.name), [], []
    outer = made.nlevels - indexes[0].nlevels
    if any(index.nlevels != indexes[0].nlevels for index in indexes):
        raise Refused("indexes of different numbers of levels")
    levels = [made] if made.nlevels == 1 else [made.get_level_values(at) for at in range(made.nlevels)]
    slots = [Slot(str(level.name or "index")) for level in levels]
    keys = list(options["keys"]) if options["keys"] is not None else []
    columns: list[Column] = []
    values: list[list[Expression]] = []
    for at, level in enumerate(levels):
        if at < outer:
            if outer != 1 or types.type_of(level.dtype) is None or types.is_category(level.dtype):
                raise Refused("`keys` of several levels, or of categories")
            values.append([literals.literal(key, level.dtype) for key in keys])
            columns.append(Column(Ref(slots[at]), level.dtype))
            continue
        parts = [materialize.decided(label_columns(plan.rows, plan.index)[at - outer]) for plan in plans]
        column, found = stacked_column(parts, level.dtype, slots[at])
        columns.append(column)
        values.append(found)
    return ColumnLabels(columns, made.names, made=made), slots, values


def _beside(plans: Sequence[Any], options: Mapping[str, Any]) -> Frame:
    """Side by side, by the labels of their rows."""
    if options["join"] not in ("outer", "inner") or any(isinstance(plan, Frame) and not len(plan.columns) for plan in plans):
        raise Refused(f"`join={value_text(options['join'])}`, or a frame without columns")
    plans = [settled(plan) for plan in plans]
    model = ask_pandas(lambda: pandas_concat([one_row(plan) for plan in plans], axis=1, **options))
    first = plans[0]
    if options["sort"] is not True and len({tuple(plan.index.names) for plan in plans}) == 1:
        try:
            rows: Rows = first.rows
            columns: list[Column] = []
            for plan in plans:
                for column in plan.columns if isinstance(plan, Frame) else (plan.column,):
                    rows, fitted = aligned(rows, first.index, Vector(plan.rows, column, None, plan.index))
                    columns.append(fitted)
            return Frame(rows, columns, model.columns, first.index)
        except Refused:
            pass
    return _united(plans, model.columns, options)


def _united(plans: Sequence[Any], labels: pandas.Index, options: Mapping[str, Any]) -> Frame:
    """The same where rows differ: pandas brings the labels together, and values follow."""
    indexes = materialize.restored_indexes(plans)
    if not all(index.is_unique for index in indexes):
        raise Refused("duplicate index labels")
    positions = ask_pandas(
        lambda: pandas_concat([BaseSeries(np.arange(len(index)), index=index) for index in indexes], axis=1, join=options["join"], sort=options["sort"])
    )
    space = MemoryRows(len(positions))
    rows: Rows = space
    columns: list[Column] = []
    for at, plan in enumerate(plans):
        found = positions.iloc[:, at].to_numpy()
        found = np.where(np.isnan(found), -1, found).astype(np.int64)
        rows, made = gathered(rows, space, plan.rows, plan.columns if isinstance(plan, Frame) else (plan.column,), found)
        columns.extend(made)
    return Frame(rows, columns, labels, captured_index(space, positions.index))

"""Frames and series one after the other, or side by side."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas
from pandas import concat as pandas_concat
from pandas.api.extensions import no_default

from airloom import ir
from airloom.pandas.data import kinds, restore, types
from airloom.pandas.data.capture import captured_index
from airloom.pandas.data.held import Held, vector_block
from airloom.pandas.face import state
from airloom.pandas.face.dispatch import BaseDataFrame, BaseSeries, is_ours, plan_of
from airloom.pandas.operations import scalars
from airloom.pandas.operations.alignment import aligned
from airloom.pandas.operations.gather import gathered
from airloom.pandas.operations.models import asked, one_row, settled
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, Frame, Index, Keys, Positions, Refused, Vector, label_columns
from airloom.pandas.plan.rows import Rows, Space, Stacked


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
        raise Refused("levels, a check for duplicates, a copy, or categories brought together")
    if isinstance(objs, Mapping):
        keys = list(objs) if keys is None else keys
        objs = [objs[key] for key in keys]
    objs = list(objs)
    if keys is not None and not isinstance(keys, (list, tuple, pandas.Index)):
        raise Refused("keys that are no list")
    if not objs or not all(isinstance(item, (BaseDataFrame, BaseSeries)) for item in objs):
        raise Refused("what is no frame and no series")
    if any(item.attrs for item in objs):
        raise Refused("attributes of their own")
    if not ignore_index:
        for item in objs:
            _know_labels(item)
    plans = [plan_of(item) for item in objs]
    if any(isinstance(plan, Frame) and isinstance(plan.labels, pandas.DatetimeIndex) for plan in plans):
        raise Refused("columns that are instants")
    options = {"join": join, "ignore_index": ignore_index, "keys": keys, "names": names, "sort": sort}
    if axis in (0, "index"):
        return _stacked(objs, plans, options)
    if axis in (1, "columns"):
        return _beside(plans, options)
    raise Refused("an axis that is none")


def _know_labels(item: Any) -> None:
    """Computes a piece whose labels are not known, once for them and its values."""
    if is_ours(item) and state.is_lazy(item):
        index = state.plan_of(item).index
        if isinstance(index, Keys) and index.made is None:
            state.force(item)


def _stacked(objs: Sequence[Any], plans: Sequence[Any], options: Mapping[str, Any]) -> Any:
    if len(plans) == 1:
        raise Refused("a single piece")
    plans = [settled(plan) for plan in plans]
    if any(isinstance(plan, Frame) and len(plan.columns) == 0 for plan in plans):
        raise Refused("a frame without columns")
    model = asked(lambda: pandas_concat([one_row(plan) for plan in plans], **options))
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
    rows = Stacked([*slots, *label_slots], parts_of_rows)
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
        raise Refused("labels that stand for several columns")
    places = frame.labels.get_indexer(labels)
    return [None if place < 0 else frame.columns[place] for place in places]


def stacked_column(parts: Sequence[Column | None], target: Any, slot: Slot) -> tuple[Column, list[Expression]]:
    """One column of the result, and what each piece has for it."""
    there = [part for part in parts if part is not None]
    if any(part.opaque for part in there):
        return _held(parts, target, slot)
    if target == types.OBJECT and all(types.is_bool(part.dtype) for part in there):
        absent = Literal(None, ir.bool_)
        return Column(Ref(slot), target), [absent if part is None else call("cast", part.expression, to=ir.optional(ir.bool_)) for part in parts]
    type = types.type_of(target)
    if type is None:
        raise Refused(f"columns that become `{target}`")
    values: list[Expression] = []
    for part in parts:
        if part is None:
            values.append(scalars.missing(target))
        elif types.is_category(target) and kinds.equal(part.dtype, target):
            values.append(_coded(part, target))
        elif kinds.same(part.dtype, target):
            values.append(part.expression)
        elif types.is_number(part.dtype) and types.is_number(target):
            values.append(scalars.cast(part.expression, part.dtype, target))
        else:
            raise Refused(f"`{part.dtype}` after `{target}`")
    return Column(Ref(slot), target), values


#: So many categories in another order are told apart one by one.
MOST_CATEGORIES = 64


def _coded(part: Column, target: Any) -> Expression:
    """The numbers of categories in the order of another dtype: without an order of their own, dtypes are the same in whatever order they stand."""
    if part.dtype.categories.equals(target.categories):
        return part.expression
    if len(target.categories) > MOST_CATEGORIES:
        raise Refused("many categories in another order")
    width = types.type_of(target)
    assert width is not None
    made: Expression = Literal(-1, width)
    for code, place in enumerate(target.categories.get_indexer(part.dtype.categories).tolist()):
        made = call("select", call("eq", part.expression, Literal(code, width)), Literal(place, width), made)
    return made


def _held(parts: Sequence[Column | None], target: Any, slot: Slot) -> tuple[Column, list[Expression]]:
    """Values that only pandas knows: those of all pieces held together, each found by its place there."""
    there = [part for part in parts if part is not None]
    if not all(part.placed and kinds.same(part.dtype, target) for part in there):
        raise Refused("values that only pandas knows, beside others")
    arrays = [part.held.array for part in there]
    together = np.concatenate(arrays) if isinstance(arrays[0], np.ndarray) else arrays[0]._concat_same_type(arrays)
    values: list[Expression] = []
    offset = 0
    for part in parts:
        if part is None:
            values.append(Literal(-1, ir.i64))
            continue
        place = part.expression
        moved = call("add", place, Literal(offset, ir.i64)) if offset else place
        values.append(call("select", call("lt", place, Literal(0, ir.i64)), Literal(-1, ir.i64), moved) if offset else place)
        offset += len(part.held.array)
    return Column(Ref(slot), target, Held(vector_block(together), 0)), values


def _labels(objs: Sequence[Any], plans: Sequence[Any], options: Mapping[str, Any]) -> tuple[Index, list[Slot], list[list[Expression]]]:
    """The labels of the result's rows: pandas' own, of labels that are known."""
    if options["ignore_index"]:
        return Positions(), [], []
    indexes = [item.index for item in objs]
    model = pandas_concat([BaseSeries(0, index=index) for index in indexes], keys=options["keys"], names=options["names"])
    made = model.index
    if isinstance(made, pandas.RangeIndex):
        return Positions(made.start, made.step, made.name), [], []
    outer = made.nlevels - indexes[0].nlevels
    if any(index.nlevels != indexes[0].nlevels for index in indexes):
        raise Refused("labels of different levels")
    levels = [made] if made.nlevels == 1 else [made.get_level_values(at) for at in range(made.nlevels)]
    slots = [Slot(str(level.name or "index")) for level in levels]
    keys = list(options["keys"]) if options["keys"] is not None else []
    columns: list[Column] = []
    values: list[list[Expression]] = []
    for at, level in enumerate(levels):
        if at < outer:
            if outer != 1 or types.type_of(level.dtype) is None or types.is_category(level.dtype):
                raise Refused("keys of several levels")
            values.append([scalars.literal(key, level.dtype) for key in keys])
            columns.append(Column(Ref(slots[at]), level.dtype))
            continue
        parts = [restore.decided(label_columns(plan.rows, plan.index)[at - outer]) for plan in plans]
        column, found = stacked_column(parts, level.dtype, slots[at])
        columns.append(column)
        values.append(found)
    return Keys(columns, made.names, made=made), slots, values


def _beside(plans: Sequence[Any], options: Mapping[str, Any]) -> Frame:
    """Side by side, by the labels of their rows."""
    if options["join"] not in ("outer", "inner") or any(isinstance(plan, Frame) and not len(plan.columns) for plan in plans):
        raise Refused("how to join, or a frame without columns")
    plans = [settled(plan) for plan in plans]
    model = asked(lambda: pandas_concat([one_row(plan) for plan in plans], axis=1, **options))
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
    indexes = [restore.restored_index(plan.rows, plan.index) for plan in plans]
    if not all(index.is_unique for index in indexes):
        raise Refused("duplicate labels")
    places = asked(
        lambda: pandas_concat([BaseSeries(np.arange(len(index)), index=index) for index in indexes], axis=1, join=options["join"], sort=options["sort"])
    )
    space = Space(len(places))
    rows: Rows = space
    columns: list[Column] = []
    for at, plan in enumerate(plans):
        found = places.iloc[:, at].to_numpy()
        found = np.where(np.isnan(found), -1, found).astype(np.int64)
        rows, made = gathered(rows, space, plan.rows, plan.columns if isinstance(plan, Frame) else (plan.column,), found)
        columns.extend(made)
    return Frame(rows, columns, labels, captured_index(space, places.index))

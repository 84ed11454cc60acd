"""Bringing two frames together by keys."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.data import restore, types
from airloom.pandas.face.dispatch import BaseDataFrame, BaseSeries, operation, plan_of
from airloom.pandas.operations import scalars
from airloom.pandas.operations.distinct import equal_key
from airloom.pandas.operations.sorting import sort_key
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, Frame, Positions, Refused, Test, Undecided
from airloom.pandas.plan.rows import Joined, Rows, Sorted

HOWS = ("inner", "left", "right", "outer", "cross")


@operation("DataFrame.merge")
def merge(
    left: Frame,
    right: Any,
    how: str = "inner",
    on: Any = None,
    left_on: Any = None,
    right_on: Any = None,
    left_index: bool = False,
    right_index: bool = False,
    sort: bool = False,
    suffixes: Any = ("_x", "_y"),
    copy: Any = None,
    indicator: Any = False,
    validate: Any = None,
) -> Frame:
    if how not in HOWS or left_index or right_index or indicator or validate is not None:
        raise Refused("a join by labels of rows, with an indicator, or validated")
    if isinstance(right, BaseSeries):
        raise Refused("a series to join with")
    far = plan_of(right) if isinstance(right, BaseDataFrame) else None
    if far is None:
        raise Refused("no frame to join with")
    if isinstance(left.labels, pandas.MultiIndex) or isinstance(far.labels, pandas.MultiIndex):
        raise Refused("columns of several levels")
    if not left.labels.is_unique or not far.labels.is_unique:
        raise Refused("labels that stand for several columns")
    if how == "cross":
        if on is not None or left_on is not None or right_on is not None:
            raise Refused("keys of a cross join")
        mine: list[Hashable] = []
        theirs: list[Hashable] = []
    else:
        mine, theirs = _keys(left, far, on, left_on, right_on)
    return joined(left, far, how, mine, theirs, sort, suffixes)


def _keys(left: Frame, right: Frame, on: Any, left_on: Any, right_on: Any) -> tuple[list[Hashable], list[Hashable]]:
    if on is None and left_on is None and right_on is None:
        on = list(left.labels.intersection(right.labels))
        if not on:
            raise Refused("no columns in common")
    if on is not None:
        left_on = right_on = on
    mine, theirs = ([*on] if isinstance(on, (list, tuple)) else [on] for on in (left_on, right_on))
    if len(mine) != len(theirs) or not mine:
        raise Refused("keys that are not as many on both sides")
    for frame, keys in ((left, mine), (right, theirs)):
        for key in keys:
            if not isinstance(key, (str, int, np.integer)) or key not in frame.labels or key in [n for n in frame.index.names if n is not None]:
                raise Refused("a key that is no column")
    if len(set(mine)) != len(mine) or len(set(theirs)) != len(theirs):
        raise Refused("a key that stands twice")
    return mine, theirs


def key_pair(left: Column, right: Column) -> tuple[Column, Column, Expression, Expression]:
    """Two keys of one dtype, and what they are compared by."""
    left, right = restore.decided(left), restore.decided(right)
    if left.opaque or right.opaque or types.is_category(left.dtype) or types.is_category(right.dtype):
        raise Refused("keys that only pandas knows")
    if left.dtype == right.dtype:
        return left, right, equal_key(left), equal_key(right)
    if types.is_whole(left.dtype) and types.is_whole(right.dtype) and left.dtype.kind == right.dtype.kind:
        common = np.result_type(left.dtype, right.dtype)
        return left, right, scalars.cast(left.expression, left.dtype, common), scalars.cast(right.expression, right.dtype, common)
    raise Refused(f"keys of `{left.dtype}` and `{right.dtype}`")


def joined(left: Frame, right: Frame, how: str, mine: Sequence[Hashable], theirs: Sequence[Hashable], sort: bool, suffixes: Any) -> Frame:
    """The join of two frames by columns."""
    pairs = [key_pair(left.column(a), right.column(b)) for a, b in zip(mine, theirs, strict=True)]
    shared = [a for a, b in zip(mine, theirs, strict=True) if a == b]
    labels = _labels(left, right, shared, suffixes)
    left_slots = {label: Slot(str(label)) for label in left.labels}
    right_slots = {label: Slot(str(label)) for label in right.labels}
    # Whether a row of each side is there at all: missing values of its own do not tell.
    marks = (Slot("left_row"), Slot("right_row"))
    left_columns: dict[Slot, Expression] = {left_slots[label]: column.expression for label, column in zip(left.labels, left.columns, strict=True)}
    right_columns: dict[Slot, Expression] = {right_slots[label]: column.expression for label, column in zip(right.labels, right.columns, strict=True)}
    left_columns[marks[0]] = right_columns[marks[1]] = Literal(True, ir.bool_)
    rows: Rows = Joined(
        left.rows,
        right.rows,
        how,
        [pair[2] for pair in pairs],
        [pair[3] for pair in pairs],
        left_columns,
        right_columns,
        nulls="equal",
        major="right" if how == "right" else "left",
    )
    tests = tuple(Test(rows, call("is_null", Ref(mark))) for mark in marks)
    weak = (how in ("right", "outer"), how in ("left", "outer"))

    def of_left(label: Hashable) -> Column:
        return missing_side(left.column(label), left_slots[label], tests[0]) if weak[0] else left.column(label).at(Ref(left_slots[label]))

    def of_right(label: Hashable) -> Column:
        return missing_side(right.column(label), right_slots[label], tests[1]) if weak[1] else right.column(label).at(Ref(right_slots[label]))

    columns = []
    for label in left.labels:
        if label in shared:
            columns.append(_key(how, left.column(label), right.column(label), left_slots[label], right_slots[label]))
        else:
            columns.append(of_left(label))
    columns.extend(of_right(label) for label in right.labels if label not in shared)
    if sort or how == "outer":
        by = [_key(how, left.column(a), right.column(b), left_slots[a], right_slots[b]) for a, b in zip(mine, theirs, strict=True)]
        # pandas sorts instants by their counts, of which that of a missing one is the least.
        words = ["asc.first" if types.is_time(column.dtype) or types.is_duration(column.dtype) else "asc.last" for column in by]
        rows = Sorted(rows, [sort_key(column) for column in by], words)
    return Frame(rows, columns, labels, Positions())


def _key(how: str, left: Column, right: Column, left_slot: Slot, right_slot: Slot) -> Column:
    """The key that both sides share: of the side that is always there, or of whichever is."""
    left, right = restore.decided(left), restore.decided(right)
    if how == "right":
        if left.dtype != right.dtype:
            raise Refused("keys of different widths")
        if not types.is_float(left.dtype):
            return right.at(Ref(right_slot))
        # Of zeros with different signs, which are equal, pandas takes the left one.
    if how in ("right", "outer"):
        if left.dtype != right.dtype:
            raise Refused("keys of different widths")
        type = types.type_of(left.dtype)
        assert type is not None
        if type.nullable:
            return left.at(call("coalesce", Ref(left_slot), Ref(right_slot)))
        zero = Literal(False if types.is_bool(left.dtype) else 0.0 if types.is_float(left.dtype) else 0, type)
        return left.at(call("coalesce", Ref(left_slot), Ref(right_slot), zero))
    if left.dtype != right.dtype and np.result_type(left.dtype, right.dtype) != left.dtype:
        raise Refused("keys of different widths")
    return left.at(Ref(left_slot))


def missing_side(column: Column, slot: Slot, test: Test) -> Column:
    """A column of a side that may be missing: as pandas has it where it is."""
    if isinstance(column.dtype, Undecided):
        column = restore.decided(column)
    if column.opaque:
        return Column(call("coalesce", Ref(slot), Literal(-1, ir.i64)), column.dtype, column.held)
    dtype = column.dtype
    if types.is_float(dtype):
        return Column(call("null_to_nan", Ref(slot)), dtype)
    if types.is_category(dtype):
        width = types.type_of(dtype)
        assert width is not None
        return Column(call("coalesce", Ref(slot), Literal(-1, width)), dtype)
    if types.is_whole(dtype):
        return Column(Ref(slot), Undecided(dtype, types.FLOAT64, test))
    if types.is_bool(dtype):
        return Column(Ref(slot), Undecided(dtype, types.OBJECT, test))
    return Column(Ref(slot), dtype)


def _labels(left: Frame, right: Frame, shared: Sequence[Hashable], suffixes: Any) -> pandas.Index:
    """The labels of the result: those that both have are told apart by suffixes. pandas' own rule, asked with frames of no rows."""
    kept = right.labels.drop(list(shared))
    overlap = left.labels.intersection(kept)
    if len(overlap) == 0:
        return left.labels.append(kept)
    if not isinstance(suffixes, (list, tuple)) or len(suffixes) != 2 or not all(isinstance(s, str) or s is None for s in suffixes):
        raise Refused("suffixes that are not two")
    first, second = suffixes
    if not first and not second:
        raise Refused("no suffixes")
    names = [f"{label}{first}" if label in overlap and first is not None else label for label in left.labels]
    names += [f"{label}{second}" if label in overlap and second is not None else label for label in kept]
    if len(set(names)) != len(names):
        raise Refused("suffixes that make labels the same")
    return pandas.Index(names)

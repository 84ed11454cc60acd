"""Bringing two frames together by keys."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas
from pandas import merge as pandas_merge
from pandas.api.extensions import no_default

from airloom import ir
from airloom.pandas.algorithms import prototypes
from airloom.pandas.algorithms.duplicates import equal_key
from airloom.pandas.algorithms.elementwise import any_row, are_dates, select
from airloom.pandas.algorithms.sorting import sort_key
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plan_of
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Expression, Literal, Over, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, Index, ObjectView, Question, RangeLabels, label_columns
from airloom.pandas.plan.nullness import may_be_null
from airloom.pandas.plan.rows import Joined, Rows, Sorted, space_of
from airloom.pandas.refusals import Refused, value_text
from airloom.pandas.reshape import merge_categories, merge_index, merge_levels, merge_lookup
from airloom.pandas.reshape.merge_sides import key_pair, missing_side

HOWS = ("inner", "left", "right", "outer", "cross", "left_anti", "right_anti")
VALIDATED = {
    "one_to_one": (True, True),
    "1:1": (True, True),
    "one_to_many": (True, False),
    "1:m": (True, False),
    "many_to_one": (False, True),
    "m:1": (False, True),
    "many_to_many": (False, False),
    "m:m": (False, False),
}


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
    copy: Any = no_default,
    indicator: Any = False,
    validate: Any = None,
) -> Frame:
    if how not in HOWS or copy is not no_default or (validate is not None and validate not in VALIDATED):
        raise Refused(f"`how={value_text(how)}`, `validate={value_text(validate)}` or the `copy` argument")
    if not all(isinstance(flag, bool) for flag in (left_index, right_index, sort)) or not isinstance(indicator, (bool, str)):
        raise Refused("`left_index`, `right_index`, `sort` or `indicator` is not boolean")
    far = _frame_of(right)
    left, far = prototypes.settled(left), prototypes.settled(far)
    for frame in (left, far):
        if isinstance(frame.labels, pandas.MultiIndex) or not frame.labels.is_unique:
            raise Refused("MultiIndex columns, or duplicate column labels")
    options = {
        "how": how,
        "on": on,
        "left_on": left_on,
        "right_on": right_on,
        "left_index": left_index,
        "right_index": right_index,
        "sort": sort,
        "suffixes": suffixes,
        "indicator": indicator,
    }
    if not all(_is_plain(key) for key in (on, left_on, right_on)):
        raise Refused("keys that are not column labels")
    key = (prototypes.outline(left), prototypes.outline(far), prototypes.typed(list(options.values())))
    model = prototypes.ask_pandas_once(key, lambda: pandas_merge(prototypes.labelled(left), prototypes.labelled(far), **options))
    if left_index and right_index:
        return merge_index.joined(left, far, model, options, validate)
    if how == "cross":
        if indicator or validate is not None:
            raise Refused("`how='cross'` with `indicator` or `validate`")
        return joined(left, far, "cross", [], [], [], model, RangeLabels)
    if left_index or right_index:
        mine = list(label_columns(left.rows, left.index)) if left_index else [_key_of(left, key) for key in _listed(left_on)]
        theirs = list(label_columns(far.rows, far.index)) if right_index else [_key_of(far, key) for key in _listed(right_on)]
        shared: list[Hashable] = []
        if len(model.columns) - bool(indicator) != len(left.columns) + len(far.columns):
            raise Refused("a key that becomes a column of its own")
        if sort or how not in ("inner", "left" if right_index else "right"):
            raise Refused("an index of one side that may be missing")
        kept = left if right_index else far
        if how == "inner" and run.count(kept.rows) == 0:
            raise Refused("a merge without rows, whose index pandas decides")
    else:
        names, other_names = _names(left, far, on, left_on, right_on)
        if merge_levels.levels_among(left, far, names, other_names) and names == other_names:
            options = {"how": how, "sort": sort, "suffixes": suffixes, "indicator": indicator, "validate": validate}
            return merge_levels.joined(left, far, names, model, options)
        for frame, labels in ((left, names), (far, other_names)):
            for label in labels:
                _key_of(frame, label)
        left, far, coded = merge_categories.comparable(left, far, names, other_names, how, sort)
        mine, theirs = [_key_of(left, key) for key in names], [_key_of(far, key) for key in other_names]
        for at, (own, other) in coded.items():
            mine[at], theirs[at] = own, other
        shared = [a for a, b in zip(names, other_names, strict=True) if a == b]
        # Keys of two labels that are not both text are one column to pandas, which it fills from either side, or adds.
        fills = how not in ("inner", "left") and any(a != b and not (isinstance(a, str) and isinstance(b, str)) for a, b in zip(names, other_names, strict=True))
        if fills or len(model.columns) - bool(indicator) != len(left.columns) + len(far.columns) - len(shared):
            raise Refused("a key that becomes a column of its own")
        kept = None
    if validate is not None:
        _check(left.rows, mine, VALIDATED[validate][0])
        _check(far.rows, theirs, VALIDATED[validate][1])
    base = how.removesuffix("_anti")
    if how == "left" and not sort and not indicator and (kept is None or kept is left) and merge_lookup.is_lookup(left, far, theirs):
        found = merge_lookup.looked_up(left, far, mine, theirs, shared, model, kept)
        if found is not None:
            return found
    made = joined(left, far, base, mine, theirs, shared, model, kept, sort=sort, indicator=bool(indicator))
    if base != how:
        frame, marks = made.frame, made.marks
        return frame.filtered(call("is_null", Ref(marks[1 if base == "left" else 0])))
    return made.frame


@operation("DataFrame.join")
def join(
    left: Frame,
    other: Any,
    on: Any = None,
    how: str = "left",
    suffixes: Any = no_default,
    lsuffix: Any = no_default,
    rsuffix: Any = no_default,
    sort: bool = False,
    validate: Any = None,
) -> Frame:
    if not isinstance(other, (BaseDataFrame, BaseSeries)):
        raise Refused("`other` is a list of frames")
    each = {name: value for name, value in (("lsuffix", lsuffix), ("rsuffix", rsuffix)) if value is not no_default}
    if each:
        if suffixes is not no_default:
            raise Refused("`suffixes` in `join`")
        made = join(left, other, on, how, (each.get("lsuffix", ""), each.get("rsuffix", "")), sort=sort, validate=validate)
        # pandas warns of these keywords.
        prototypes.heard(lambda: prototypes.one_row(prototypes.settled(left)).join(prototypes.one_row(prototypes.settled(_frame_of(other))), **each))
        return made
    given = ("", "") if suffixes is no_default else suffixes
    if how == "cross":
        return merge(left, other, how=how, on=on, suffixes=given, sort=sort, validate=validate)
    return merge(left, other, how, None, on, None, on is None, True, sort, given, validate=validate)


def _frame_of(value: Any) -> Frame:
    if isinstance(value, BaseSeries):
        if value.name is None:
            raise Refused("a Series without a name")
        plan = plan_of(value)
        return plan.framed(plan.name)
    if not isinstance(value, BaseDataFrame):
        raise Refused("`right` is neither a DataFrame nor a Series")
    return plan_of(value)


def _is_plain(key: Any) -> bool:
    return key is None or all(isinstance(item, (str, int, np.integer)) for item in _listed(key))


def _listed(key: Any) -> list[Any]:
    return [*key] if isinstance(key, (list, tuple)) else [key]


def _names(left: Frame, right: Frame, on: Any, left_on: Any, right_on: Any) -> tuple[list[Hashable], list[Hashable]]:
    if on is None and left_on is None and right_on is None:
        on = list(left.labels.intersection(right.labels))
    if on is not None:
        left_on = right_on = on
    mine, theirs = _listed(left_on), _listed(right_on)
    if len(mine) != len(theirs) or not mine or len(set(mine)) != len(mine) or len(set(theirs)) != len(theirs):
        raise Refused("duplicate keys, or different numbers of them")
    return mine, theirs


def _key_of(frame: Frame, key: Hashable) -> Column:
    if key not in frame.labels or key in [name for name in frame.index.names if name is not None]:
        raise Refused(f"{value_text(key)} is not a column, or also an index level")
    return frame.column(key)


def _check(rows: Rows, keys: Sequence[Column], once: bool) -> None:
    """Refuses keys that stand more than once, where they must not: pandas complains."""
    if once:
        expressions = [equal_key(key) for key in keys]
        number = Over(fold("row_number", expressions[0]), tuple(expressions))
        if any_row(rows, call("gt", number, Literal(0, ir.i64))):
            raise Refused("duplicate keys, with `validate`")


class Made:
    """A join: the frame, and the slots that tell whether a row of each side is there."""

    __slots__ = ("frame", "marks")

    def __init__(self, frame: Frame, marks: tuple[Slot, Slot]) -> None:
        self.frame = frame
        self.marks = marks


def joined(
    left: Frame,
    right: Frame,
    how: str,
    mine: Sequence[Column],
    theirs: Sequence[Column],
    shared: Sequence[Hashable],
    model: Any,
    labelled: Any,
    *,
    sort: bool = False,
    indicator: bool = False,
) -> Any:
    """The join of two frames by keys; `labelled` is the side whose labels the result has, where it has them."""
    mine, theirs = [materialize.decided(key) for key in mine], [materialize.decided(key) for key in theirs]
    pairs = [key_pair(a, b, left.rows, right.rows) for a, b in zip(mine, theirs, strict=True)]
    # By position, not by label: looking up each of many labels would take longer than all the rest.
    left_names, right_names = left.labels.tolist(), right.labels.tolist()
    left_slots, right_slots = [[Slot(str(label)) for label in names] for names in (left_names, right_names)]
    key_slots = [(Slot("left_key"), Slot("right_key")) for _ in pairs]
    # Whether a row of each side is there at all: missing values of its own do not tell.
    marks = (Slot("left_row"), Slot("right_row"))
    sides: list[dict[Slot, Expression]] = [
        {slot: column.expression for slot, column in zip(left_slots, left.columns, strict=True)},
        {slot: column.expression for slot, column in zip(right_slots, right.columns, strict=True)},
    ]
    for side, keys in enumerate((mine, theirs)):
        sides[side][marks[side]] = Literal(True, ir.bool_)
        sides[side].update({slots[side]: key.expression for slots, key in zip(key_slots, keys, strict=True)})
    labels_of = _Labels(labelled) if isinstance(labelled, Frame) else None
    if labels_of is not None:
        sides[0 if labelled is left else 1].update(labels_of.columns)
    rows: Rows = Joined(
        left.rows,
        right.rows,
        how,
        [pair[0] for pair in pairs],
        [pair[1] for pair in pairs],
        sides[0],
        sides[1],
        nulls="equal",
        major="right" if how == "right" else "left",
    )
    index: Index = RangeLabels() if labels_of is None else labels_of.over(rows)
    tests = tuple(Question(rows, call("is_null", Ref(mark))) for mark in marks)
    weak = (how in ("right", "outer"), how in ("left", "outer"))

    def side_of(column: Column, slot: Slot, side: int) -> Column:
        if weak[side] and are_dates(column) and not may_be_null((left.rows, right.rows)[side], column.expression):
            column = Column(column.expression, types.OBJECT, shown=ObjectView(types.DATE, np.nan))
        return missing_side(column, slot, tests[side]) if weak[side] else column.at(Ref(slot))

    columns = []
    for label, column, slot in zip(left_names, left.columns, left_slots, strict=True):
        if label in shared:
            other = right.position(label)
            columns.append(_key(how, column, right.columns[other], slot, right_slots[other]))
        else:
            columns.append(side_of(column, slot, 0))
    columns.extend(side_of(column, slot, 1) for label, column, slot in zip(right_names, right.columns, right_slots, strict=True) if label not in shared)
    if indicator:
        columns.append(_indicator(model.dtypes.iloc[-1], marks))
    if sort or how == "outer":
        by = [_key(how, a, b, *slots) for a, b, slots in zip(mine, theirs, key_slots, strict=True)]
        # pandas sorts timestamps by their counts and categories by their codes, of which that of a missing one is the least.
        words = ["asc.first" if types.is_time(column.dtype) or types.is_duration(column.dtype) or types.is_category(column.dtype) else "asc.last" for column in by]
        rows = Sorted(rows, [sort_key(column) for column in by], words)
    made = Frame(rows, columns, model.columns, index)
    return made if how == "cross" else Made(made, marks)


class _Labels:
    """The labels of one side, carried through a join."""

    def __init__(self, frame: Frame) -> None:
        self.index = frame.index
        self.keys = label_columns(frame.rows, frame.index)
        self.slots = [Slot("label") for _ in self.keys]
        self.position = Slot("position")
        self.columns: dict[Slot, Expression] = {slot: key.expression for slot, key in zip(self.slots, self.keys, strict=True)}
        self.origin: Any = None
        #: Whether labels are a range: what is taken of them is looked at for even spacing anew.
        self.counts = isinstance(frame.index, RangeLabels) or isinstance(frame.index.made, pandas.RangeIndex)
        if isinstance(frame.index, ColumnLabels) and not self.counts:
            if frame.index.made is not None:
                self.origin, self.columns[self.position] = frame.index.made, Ref(space_of(frame.rows).position)
            elif frame.index.origin is not None:
                self.origin, self.columns[self.position] = frame.index.origin

    def over(self, rows: Rows) -> ColumnLabels:
        index = self.index
        if isinstance(index, ColumnLabels) and index.ranged and index.made is None and len(index.columns) == 1:
            raise Refused("an index that may become a range")
        steps: tuple[Rows, ...] = (rows,) if self.counts or getattr(getattr(index, "made", None), "freq", None) is not None else ()
        origin = None if self.origin is None else (self.origin, Ref(self.position))
        columns = [key.at(Ref(slot)) for key, slot in zip(self.keys, self.slots, strict=True)]
        return ColumnLabels(columns, index.names, steps, None, origin, isinstance(index, ColumnLabels) and index.made is None and index.numbers)


def _indicator(dtype: Any, marks: tuple[Slot, Slot]) -> Column:
    width = types.type_of(dtype)
    assert width is not None
    without = select(call("is_null", Ref(marks[0])), Literal(1, width), Literal(2, width))
    return Column(select(call("is_null", Ref(marks[1])), Literal(0, width), without), dtype)


def _key(how: str, left: Column, right: Column, left_slot: Slot, right_slot: Slot) -> Column:
    """The key that both sides share: of the side that is always there, or of whichever is."""
    left, right = materialize.decided(left), materialize.decided(right)
    if how in ("right", "outer") and not kinds.same(left.dtype, right.dtype):
        raise Refused(f"keys of `{left.dtype}` and `{right.dtype}`")
    if how == "right":
        if not types.is_float(left.dtype):
            return right.at(Ref(right_slot))
        # Of zeros with different signs, which are equal, pandas takes the left one.
    if how in ("right", "outer"):
        type = types.type_of(left.dtype)
        if type is None:
            raise Refused(f"keys of `{left.dtype}` that either side may have")
        if type.nullable:
            return left.at(call("coalesce", Ref(left_slot), Ref(right_slot)))
        zero = Literal(False if types.is_bool(left.dtype) else 0.0 if types.is_float(left.dtype) else 0, type)
        return left.at(call("coalesce", Ref(left_slot), Ref(right_slot), zero))
    return left.at(Ref(left_slot))

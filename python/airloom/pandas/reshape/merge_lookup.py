"""A left join by keys that are unique on the right side: the rows of the left side stay as they are, and the columns of their matches are put beside them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from airloom.pandas.algorithms.elementwise import are_dates, negated
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Expression, Ref, Slot
from airloom.pandas.plan.frame import Column, Frame, ObjectView, Question, RangeLabels, evaluate_windows
from airloom.pandas.plan.nullness import may_be_null
from airloom.pandas.plan.rows import DataSlot, Distinct, LookupJoin, MemoryRows, Rows, space_of
from airloom.pandas.reshape.merge_sides import key_pair, missing_side

#: Whether the keys of more rows than this are unique is not looked at, unless the other side has many times as many.
_MANY = 100_000
_TIMES = 8

#: For columns in memory that are keys, by the first of them: the others, and whether they are unique together.
_ONCE: WeakKeyDictionary[Slot, dict[tuple[int, ...], bool]] = WeakKeyDictionary()


def is_lookup(left: Frame, right: Frame, theirs: Sequence[Column]) -> bool:
    """Whether a join may be a look-up: both sides are in memory, and the right one is not too large to look at its keys."""
    mine, other = space_of(left.rows), space_of(right.rows)
    if not isinstance(mine, MemoryRows) or not isinstance(other, MemoryRows) or not other.count or not theirs:
        return False
    return other.count <= _MANY or other.count * _TIMES <= mine.count


def looked_up(left: Frame, right: Frame, mine: Sequence[Column], theirs: Sequence[Column], shared: Sequence[Hashable], model: Any, labelled: Any) -> Frame | None:
    """The join of two frames by keys that are unique on the right side; none where there are duplicates."""
    mine, theirs = [materialize.decided(key) for key in mine], [materialize.decided(key) for key in theirs]
    pairs = [key_pair(a, b, left.rows, right.rows) for a, b in zip(mine, theirs, strict=True)]
    others = [pair[1] for pair in pairs]
    if not _are_unique(right.rows, others):
        return None
    rows, settled = evaluate_windows(left.rows, [*left.columns, *(Column(pair[0], None) for pair in pairs)])
    beside = [column for label, column in zip(right.labels.tolist(), right.columns, strict=True) if label not in shared]
    slots = [Slot("value") for _ in beside]
    found = Slot("found")
    keys = [key.expression for key in settled[len(left.columns) :]]
    looked = LookupJoin(rows, keys, right.rows, others, {slot: column.expression for slot, column in zip(slots, beside, strict=True)}, found, any_of=False)
    test = Question(looked, negated(Ref(found)))
    columns = settled[: len(left.columns)]
    for column, slot in zip(beside, slots, strict=True):
        if are_dates(column) and not may_be_null(right.rows, column.expression):
            column = Column(column.expression, types.OBJECT, shown=ObjectView(types.DATE, np.nan))
        columns.append(missing_side(column, slot, test))
    return Frame(looked, columns, model.columns, RangeLabels() if labelled is None else left.index)


def _are_unique(rows: Rows, keys: Sequence[Expression]) -> bool:
    """Whether no two rows have the same keys. What is known of columns in memory is remembered."""
    slots = [key.slot for key in keys if isinstance(key, Ref) and isinstance(key.slot, DataSlot) and not getattr(key.slot.owner, "foreign", False)]
    if len(slots) < len(keys):
        return _are_distinct(rows, keys)
    known = _ONCE.setdefault(slots[0], {})
    others = tuple(slot.number for slot in slots[1:])
    if others not in known:
        known[others] = _are_distinct(rows, keys)
    return known[others]


def _are_distinct(rows: Rows, keys: Sequence[Expression]) -> bool:
    return run.count(Distinct(rows, keys, "first")) == run.count(rows)

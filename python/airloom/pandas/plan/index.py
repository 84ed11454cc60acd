"""How the index labels of two plans are related: the only way by which alignment may learn that rows need not be found by their labels.

Labels that count are three things: the rows that were counted, the label of the first of them, and the step. Filters, sorts and slices leave all three as they are.
Two plans over the same rows whose labels begin or step otherwise have nothing in common but values, as `df.iloc[10:]` and `df.iloc[10:].reset_index(drop=True)`.
"""

from __future__ import annotations

from enum import Enum

from airloom.pandas.dtypes import kinds
from airloom.pandas.plan.expression import Expression, Ref
from airloom.pandas.plan.frame import Column, ColumnLabels, Counted, DeferredDtype, Index, RangeLabels, together
from airloom.pandas.plan.rows import Exploded, MemoryRows, Rows, Sliced, space_of


class Relation(Enum):
    """What the labels of one plan are to those of another."""

    #: Both are the same rows, row for row, with the same labels.
    SAME = "same"
    #: Both are rows in memory, as many, with equal labels in the same order.
    EQUAL = "equal"
    #: Each row of the first is one of the second, which has each label once, and has the same label there.
    WITHIN = "within"
    #: Labels must be found by their values.
    UNKNOWN = "unknown"


def relation(rows: Rows, index: Index, other_rows: Rows, other_index: Index) -> Relation:
    """What the index labels are to those of other rows."""
    if together(rows, other_rows) is not None and _same(index, other_index):
        return Relation.SAME
    base, far = space_of(rows), space_of(other_rows)
    if isinstance(base, MemoryRows) and base.count == far.count and _equal(index, other_index):
        return Relation.EQUAL
    mine, theirs = counted(rows, index), counted(other_rows, other_index)
    if mine is not None and theirs is not None and _same_count(mine, theirs) and _is_made_of(rows, far) and _has_each_once(far, theirs.origin):
        return Relation.WITHIN
    return Relation.UNKNOWN


def counted(rows: Rows, index: Index) -> Counted | None:
    """Which rows labels count, and how; nothing where they do not. Slices are taken for pieces of the rows that they were cut from."""
    if isinstance(index, RangeLabels):
        found = Counted(space_of(rows), index.start, index.step)
    elif index.counted is not None:
        found = index.counted
    else:
        return None
    origin, start = found.origin, found.start
    while isinstance(origin, Sliced) and origin.offset >= 0:
        start -= found.step * origin.offset
        origin = space_of(origin.input)
    return Counted(origin, start, found.step)


def _same_count(first: Counted, second: Counted) -> bool:
    return first.origin is second.origin and (first.start, first.step) == (second.start, second.step)


def _is_made_of(rows: Rows, other: Rows) -> bool:
    """Whether rows are some of others, in whatever order."""
    node: Rows | None = rows
    while node is not None and node is not other:
        node = node.passes
    return node is other


def _has_each_once(rows: Rows, origin: Rows) -> bool:
    """Whether no row of those that were counted occurs twice."""
    node: Rows | None = rows
    while node is not None and node is not origin:
        if isinstance(node, Exploded):
            return False
        node = node.passes
    return node is origin


def _same(first: Index, second: Index) -> bool:
    """Whether labels are the same, given that the rows are."""
    if isinstance(first, RangeLabels) or isinstance(second, RangeLabels):
        return isinstance(first, RangeLabels) and isinstance(second, RangeLabels) and (first.start, first.step) == (second.start, second.step)
    if len(first.columns) != len(second.columns):
        return False
    return all(_same_column(a, b) for a, b in zip(first.columns, second.columns, strict=True))


def _same_column(first: Column, second: Column) -> bool:
    """Whether two columns over the same rows are one. Values that pandas holds are known by where they stand alone, as periods and intervals of the same rows; and codes are no categories."""
    if first.held is not second.held or not _same_values(first.expression, second.expression):
        return False
    if isinstance(first.dtype, DeferredDtype) or isinstance(second.dtype, DeferredDtype):
        return first.dtype is second.dtype
    return kinds.same(first.dtype, second.dtype)


def _same_values(first: Expression, second: Expression) -> bool:
    return first is second or (isinstance(first, Ref) and isinstance(second, Ref) and first.slot is second.slot)


def _equal(first: Index, second: Index) -> bool:
    """Whether labels are the same, of rows that are as many."""
    if isinstance(first, RangeLabels) and isinstance(second, RangeLabels):
        return (first.start, first.step) == (second.start, second.step)
    if isinstance(first, ColumnLabels) and isinstance(second, ColumnLabels) and first.made is not None and second.made is not None:
        return first.made is second.made or bool(first.made.equals(second.made) and kinds.same(first.made.dtype, second.made.dtype))
    return False

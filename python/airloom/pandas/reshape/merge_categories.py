"""Keys of which each side has categories of its own: joined by their codes, once these count the same categories."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from airloom import ir
from airloom.pandas.categorical import codes
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array
from airloom.pandas.plan.expression import Literal, Ref, Slot, call
from airloom.pandas.plan.frame import Column, Frame, evaluate_windows
from airloom.pandas.plan.rows import LookupJoin, MemoryRows, Rows, Sliced
from airloom.pandas.refusals import Refused


def comparable(
    left: Frame, right: Frame, names: Sequence[Hashable], other_names: Sequence[Hashable], how: str, sort: bool
) -> tuple[Frame, Frame, dict[int, tuple[Column, Column]]]:
    """Both sides as pandas joins them, and the keys, by their number, that are compared by something else than their columns.

    Where categories are the same in another order, those of the left side are the ones that count. Otherwise pandas joins the values themselves; so do we where rows are
    put in their order, and else by codes, which takes less time.
    """
    by_value = sort or how == "outer"
    keys: dict[int, tuple[Column, Column]] = {}
    for number, (name, other) in enumerate(zip(names, other_names, strict=True)):
        mine, theirs = (materialize.decided(frame.column(label)) for frame, label in ((left, name), (right, other)))
        if mine.unsupported or theirs.unsupported or not (types.is_category(mine.dtype) and types.is_category(theirs.dtype)) or kinds.same(mine.dtype, theirs.dtype):
            continue
        if kinds.equal(mine.dtype, theirs.dtype):
            rows, recoded = codes.recoded(right.rows, theirs, mine.dtype)
            right = _with(right, rows, other, recoded if name == other else theirs)
            keys[number] = (mine, recoded)
            continue
        if not kinds.same(mine.dtype.categories.dtype, theirs.dtype.categories.dtype) or not _are_plain(mine.dtype.categories.dtype):
            raise Refused(f"keys of categories of `{mine.dtype.categories.dtype}` and `{theirs.dtype.categories.dtype}`")
        if _is_empty(left.rows) or _is_empty(right.rows):
            raise Refused("keys of different categories on a side without rows, whose dtype pandas leaves")
        if how == "right" and name == other:
            raise Refused("`how='right'` by different categories, whose dtype depends on whether any row has a partner")
        if name != other and name in right.labels:
            raise Refused("keys of different categories, with a column of the right side that has the name of the left key")
        rows, valued = codes.values_of(left.rows, mine)
        left = _with(left, rows, name, valued)
        if by_value or name == other:
            rows, found = codes.values_of(right.rows, theirs)
            # pandas makes values only of a key that has the name of the left one.
            right = _with(right, rows, other, found if name == other else theirs)
            keys[number] = (valued, found)
        if not by_value:
            rows, code = _code(right.rows, theirs, mine)
            right = Frame(rows, right.columns, right.labels, right.index)
            keys[number] = (Column(call("cast", mine.expression, to=ir.i64), types.INT64), code)
    return left, right, keys


def _is_empty(rows: Rows) -> bool:
    return run.count(Sliced(rows, 0, 1)) == 0 if rows.count is None else rows.count == 0


def _are_plain(dtype: object) -> bool:
    return dtype == types.STR or types.is_integer(dtype)


def _with(frame: Frame, rows: Rows, label: Hashable, column: Column) -> Frame:
    """A frame with another column in the place of one, over rows with further columns."""
    columns = list(frame.columns)
    columns[frame.position(label)] = column
    return Frame(rows, columns, frame.labels, frame.index)


def _code(rows: Rows, column: Column, other: Column) -> tuple[Rows, Column]:
    """The number of each value among the categories of another column; after them come those that it has not, and missing values are -1 as they are there."""
    categories, others = column.dtype.categories, other.dtype.categories
    positions = others.get_indexer(categories).astype(np.int64)
    positions = np.where(positions < 0, len(others) + np.arange(len(categories)), positions)
    rows, (column,) = evaluate_windows(rows, [column])
    space = MemoryRows(len(categories))
    slot = Slot("code")
    found = captured_array(space, positions, "position").expression
    looked = LookupJoin(rows, [call("cast", column.expression, to=ir.i64)], space, [Ref(space.position)], {slot: found}, Slot("found"), any_of=False)
    return looked, Column(call("coalesce", Ref(slot), Literal(-1, ir.i64)), types.INT64)

"""Columns that rows only carry along: of them the engine need not know more than which row each comes from.

A filter, a sort or a join of a frame with many columns decides by few. The others are taken from what pandas holds, by position, once it is known which rows are left and in which order:
one copy, where the engine would make two.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow
from pandas.core.arrays.arrow import ArrowExtensionArray

from airloom._options import options
from airloom.pandas.dtypes import kinds
from airloom.pandas.plan.expression import Expression, Ref, Slot
from airloom.pandas.plan.frame import Column, DeferredDtype
from airloom.pandas.plan.rows import DataSlot, Joined, MemoryRows, Projected, Rows

#: At least this many columns of the same rows must be carried along: a position takes as much as a value.
FEWEST = 2


#: Fewer values are copied sooner than a thread begins.
_WORTH_THREADS = 100_000


class Carried:
    """Columns of rows in memory, by their number, and an expression for the position of each row among those."""

    __slots__ = ("columns", "position")

    def __init__(self, position: Expression) -> None:
        self.position = position
        self.columns: dict[int, Any] = {}

    def taken(self, positions: Any) -> dict[int, Any]:
        """The columns at some positions."""
        arrays = [held.array for held in self.columns.values()]
        threads = min(options.resolved()["threads"], len(arrays))
        if threads < 2 or len(positions) < _WORTH_THREADS:
            return dict(zip(self.columns, [_at(array, positions) for array in arrays], strict=True))
        # NumPy lets other threads run while it copies. They end before anybody may fork.
        with ThreadPoolExecutor(threads) as pool:
            return dict(zip(self.columns, pool.map(lambda array: _at(array, positions), arrays), strict=True))


#: An array in several pieces has at least `n` values for each that is taken, to be taken piece by piece: pyarrow puts all pieces together first.
_WORTH_PIECES = 8


def _at(array: Any, positions: Any) -> Any:
    """The values of an array at some positions."""
    pieces = array._pa_array.chunks if isinstance(array, ArrowExtensionArray) else ()
    if len(pieces) < 2 or len(positions) * _WORTH_PIECES > len(array):
        return array.take(positions)
    starts = np.cumsum([0, *map(len, pieces)])
    owner = np.searchsorted(starts, positions, side="right") - 1
    taken = [piece.take(pyarrow.array(positions[owner == at] - starts[at])) for at, piece in enumerate(pieces)]
    values = pyarrow.concat_arrays(taken)
    if np.any(owner[1:] < owner[:-1]):
        # Of each position, where its value stands among those that were taken piece by piece.
        stands = np.empty(len(positions), np.int64)
        stands[np.argsort(owner, kind="stable")] = np.arange(len(positions))
        values = values.take(pyarrow.array(stands))
    return array._from_pyarrow_array(pyarrow.chunked_array([values], type=array._pa_array.type))


def carried(rows: Rows, columns: Sequence[Column], wanted: Sequence[int]) -> list[Carried]:
    """Which of some columns are carried along, together with others of the same rows in memory."""
    found: dict[Any, Carried] = {}
    for at in wanted:
        column = columns[at]
        if isinstance(column.dtype, DeferredDtype) or column.unsupported or type(column.expression) is not Ref:
            continue
        source = _source(rows, column.expression.slot)
        if source is None:
            continue
        slot, position = source
        held = slot.owner
        if held is not None and not held.foreign and kinds.same(held.dtype, column.dtype):
            found.setdefault(position.slot, Carried(position)).columns[at] = held
    return [one for one in found.values() if len(one.columns) >= FEWEST]


def _source(rows: Rows, slot: Slot) -> tuple[DataSlot, Ref] | None:
    """The column in memory that a slot is, and its position there as a column of these rows; none where it is no such, or rows on the way are in memory already."""
    joins: list[tuple[Joined, bool]] = []
    node = rows
    while True:
        while not node.makes(slot):
            below = node.passes
            if below is None or node.kept is not None:
                return None
            node = below
        if node.kept is not None:
            return None
        if isinstance(node, MemoryRows):
            break
        if isinstance(node, Joined):
            left = slot in node.left_columns
            expression = node.left_columns[slot] if left else node.right_columns.get(slot)
            # A row that is not there has no position.
            if node.how not in ("inner", "left" if left else "right"):
                return None
            joins.append((node, left))
            below = node.left if left else node.right
        elif isinstance(node, Projected):
            expression, below = node.columns.get(slot), node.input
        else:
            return None
        if type(expression) is not Ref:
            return None
        slot, node = expression.slot, below
    if not isinstance(slot, DataSlot):
        return None
    position = Ref(node.position)
    for join, left in reversed(joins):
        position = _through(join, left, position)
    return slot, position


def _through(join: Joined, left: bool, position: Ref) -> Ref:
    """The position in a row of one side, as a column of the join."""
    columns = join.left_columns if left else join.right_columns
    for slot, expression in columns.items():
        if type(expression) is Ref and expression.slot is position.slot:
            return Ref(slot)
    slot = Slot("position")
    # Whoever reads the old columns just now is not disturbed.
    columns = {**columns, slot: position}
    if left:
        join.left_columns = columns
    else:
        join.right_columns = columns
    return Ref(slot)


def positions_of(table: Any, name: str) -> Any:
    """Positions as NumPy takes them."""
    return table.numpy(name, "int64").astype(np.intp, copy=False)

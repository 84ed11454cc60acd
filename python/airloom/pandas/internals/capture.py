"""Taking what pandas holds into a plan, without a copy."""

from __future__ import annotations

import operator
from collections.abc import Hashable
from functools import partial
from typing import Any

import pandas
from pandas.core.arrays import ArrowExtensionArray, NumpyExtensionArray
from pandas.core.internals.blocks import Block
from pandas.core.internals.managers import BlockManager, SingleBlockManager

from airloom.pandas.dtypes import types
from airloom.pandas.internals import convert
from airloom.pandas.internals.foreign import FOREIGN
from airloom.pandas.internals.shared_array import IndexArray, SharedArray, vector_block
from airloom.pandas.plan.expression import Ref
from airloom.pandas.plan.frame import Column, ColumnLabels, Frame, Index, RangeLabels, Vector
from airloom.pandas.plan.rows import DataSlot, MemoryRows
from airloom.pandas.refusals import Refused


def captured_frame(manager: BlockManager) -> Frame:
    """The frame of a manager."""
    labels, index = manager.axes
    space = MemoryRows(len(index))
    blocks = [_shared(block) for block in manager.blocks]
    try:
        numbers, positions = manager.blknos, manager.blklocs
    except AssertionError:
        # pandas makes such frames of duplicate column labels at times: what does not ask for one column works on them all the same.
        raise Refused("a frame whose blocks are not all of its columns") from None
    columns = [
        captured_column(space, SharedArray(blocks[number], position), str(label))
        for number, position, label in zip(numbers.tolist(), positions.tolist(), labels, strict=True)
    ]
    return Frame(space, columns, labels, captured_index(space, index))


def captured_vector(manager: SingleBlockManager, name: Hashable) -> Vector:
    """The vector of a manager."""
    index = manager.axes[0]
    space = MemoryRows(len(index))
    column = captured_column(space, SharedArray(_shared(manager.blocks[0]), 0), "values" if name is None else str(name))
    return Vector(space, column, name, captured_index(space, index))


def _shared(block: Block) -> Block:
    """A block that shares the values of another, and tells pandas so. An array of Arrow's is the very same: who writes to it gives it other values, which a view of it would not have."""
    if isinstance(block.values, ArrowExtensionArray):
        return type(block)(block.values, placement=block.mgr_locs, ndim=block.ndim, refs=block.refs)
    return block.copy(deep=False)


def captured_column(space: MemoryRows, held: SharedArray, name: str) -> Column:
    """A column of what pandas holds. Where its dtype is not known to the graph, only the position of each value is."""
    dtype = held.dtype
    type = types.type_of(dtype)
    if type is None:
        held.beside(space)
        return Column(Ref(space.position), dtype, held)
    return Column(Ref(DataSlot(name, space, type, held, lambda: convert.to_column(held.array, dtype))), dtype)


def captured_array(space: MemoryRows, array: Any, name: str) -> Column:
    """A column of an array that nobody else writes to."""
    return captured_column(space, SharedArray(vector_block(array), 0), name)


def captured_index(space: MemoryRows, index: pandas.Index) -> Index:
    """The index labels."""
    if isinstance(index, pandas.RangeIndex):
        return RangeLabels(index.start, index.step, index.name, index._id)
    if isinstance(index, pandas.MultiIndex):
        levels = [index._get_level_values(at) for at in range(index.nlevels)]
    else:
        levels = [index]
    columns = [captured_column(space, IndexArray(vector_block(_values(level)), 0), "index" if level.name is None else str(level.name)) for level in levels]
    # A view, as pandas itself takes one: a name set on either is not set on the other.
    return ColumnLabels(columns, index.names, made=index.view())


def captured_levels(space: MemoryRows, index: pandas.MultiIndex) -> ColumnLabels:
    """The index labels, each level of which becomes a column only when somebody asks for it: repeating short levels for many rows takes longer than using them."""
    columns = []
    for at, level in enumerate(index.levels):
        type = types.type_of(level.dtype)
        name = "index" if index.names[at] is None else str(index.names[at])
        if type is None or types.is_category(level.dtype):
            columns.append(captured_array(space, _values(index._get_level_values(at)), name))
        else:
            make = partial(_level_column, index, at)
            columns.append(Column(Ref(DataSlot(name, space, type, None, make)), level.dtype))
    return ColumnLabels(columns, index.names, made=index.view())


def _level_column(index: pandas.MultiIndex, at: int) -> Any:
    level = index._get_level_values(at)
    return convert.to_column(_values(level), level.dtype)


def _values(index: pandas.Index) -> Any:
    """The array of labels: NumPy's own where pandas has but wrapped it."""
    array = index.array
    # Text of pandas' own is a subclass, and stays what it is.
    return array.to_numpy() if type(array) is NumpyExtensionArray else array


class ManagerStamp:
    """What a manager was when a plan was made of it: while the plan shares its blocks, pandas writes to copies only, which are other blocks."""

    __slots__ = ("_added", "_axes", "_blocks", "_names")

    def __init__(self, manager: Any) -> None:
        self._added = FOREIGN.added
        self._blocks = tuple(manager.blocks)
        self._axes = tuple(manager.axes)
        self._names = [tuple(axis.names) for axis in manager.axes]

    def agrees(self, manager: Any) -> bool:
        """Whether nobody changed the manager since."""
        blocks, axes = manager.blocks, manager.axes
        return (
            len(blocks) == len(self._blocks)
            and all(map(operator.is_, blocks, self._blocks))
            and all(map(operator.is_, axes, self._axes))
            and (self._added == FOREIGN.added or all(FOREIGN.last_added(block.refs) <= self._added for block in blocks))
            and all(tuple(axis.names) == names for axis, names in zip(axes, self._names, strict=True))
        )

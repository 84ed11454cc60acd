"""Taking what pandas holds into a plan, without a copy."""

from __future__ import annotations

import operator
from collections.abc import Hashable
from functools import partial
from typing import Any

import pandas
from pandas.core.arrays import NumpyExtensionArray
from pandas.core.internals.managers import BlockManager, SingleBlockManager

from airloom.pandas.data import engine, types
from airloom.pandas.data.held import Held, IndexArray, vector_block
from airloom.pandas.plan.expression import Ref
from airloom.pandas.plan.frame import Column, Frame, Index, Keys, Positions, Vector
from airloom.pandas.plan.rows import DataSlot, Space


def captured_frame(manager: BlockManager) -> Frame:
    """The frame of a manager."""
    labels, index = manager.axes
    space = Space(len(index))
    # A copy of a block shares its values, and tells pandas so.
    blocks = [block.copy(deep=False) for block in manager.blocks]
    numbers, places = manager.blknos, manager.blklocs
    columns = [
        captured_column(space, Held(blocks[number], place), str(label))
        for number, place, label in zip(numbers.tolist(), places.tolist(), labels, strict=True)
    ]
    return Frame(space, columns, labels, captured_index(space, index))


def captured_vector(manager: SingleBlockManager, name: Hashable) -> Vector:
    """The vector of a manager."""
    index = manager.axes[0]
    space = Space(len(index))
    column = captured_column(space, Held(manager.blocks[0].copy(deep=False), 0), "values" if name is None else str(name))
    return Vector(space, column, name, captured_index(space, index))


def captured_column(space: Space, held: Held, name: str) -> Column:
    """A column of what pandas holds. Where its dtype is not known to the graph, only the place of each value is."""
    dtype = held.dtype
    type = types.type_of(dtype)
    if type is None:
        held.beside(space)
        return Column(Ref(space.position), dtype, held)
    return Column(Ref(DataSlot(name, space, type, held, lambda: engine.to_column(held.array, dtype))), dtype)


def captured_array(space: Space, array: Any, name: str) -> Column:
    """A column of an array that nobody else writes to."""
    return captured_column(space, Held(vector_block(array), 0), name)


def captured_index(space: Space, index: pandas.Index) -> Index:
    """The labels of rows."""
    if isinstance(index, pandas.RangeIndex):
        return Positions(index.start, index.step, index.name)
    if isinstance(index, pandas.MultiIndex):
        levels = [index.get_level_values(at) for at in range(index.nlevels)]
    else:
        levels = [index]
    columns = [captured_column(space, IndexArray(vector_block(_values(level)), 0), str(level.name or "index")) for level in levels]
    # A view, as pandas itself takes one: a name set on either is not set on the other.
    return Keys(columns, index.names, made=index.view())


def captured_levels(space: Space, index: pandas.MultiIndex) -> Keys:
    """The labels of rows, each level of which becomes a column only when somebody asks for it: repeating short levels for many rows takes longer than using them."""
    columns = []
    for at, level in enumerate(index.levels):
        type = types.type_of(level.dtype)
        name = str(index.names[at] or "index")
        if type is None or types.is_category(level.dtype):
            columns.append(captured_array(space, _values(index.get_level_values(at)), name))
        else:
            make = partial(_level_column, index, at)
            columns.append(Column(Ref(DataSlot(name, space, type, None, make)), level.dtype))
    return Keys(columns, index.names, made=index.view())


def _level_column(index: pandas.MultiIndex, at: int) -> Any:
    level = index.get_level_values(at)
    return engine.to_column(_values(level), level.dtype)


def _values(index: pandas.Index) -> Any:
    """The array of labels: NumPy's own where pandas has but wrapped it."""
    array = index.array
    # Text of pandas' own is a subclass, and stays what it is.
    return array.to_numpy() if type(array) is NumpyExtensionArray else array


class Witness:
    """What a manager was when a plan was made of it: while the plan shares its blocks, pandas writes to copies only, which are other blocks."""

    __slots__ = ("_axes", "_blocks", "_names")

    def __init__(self, manager: Any) -> None:
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
            and all(tuple(axis.names) == names for axis, names in zip(axes, self._names, strict=True))
        )

"""Arrays that pandas holds, shared with it by its own copy-on-write."""

from __future__ import annotations

import weakref
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
from pandas._libs.internals import BlockPlacement
from pandas.core.algorithms import take
from pandas.core.arrays import ArrowExtensionArray
from pandas.core.dtypes.cast import maybe_promote
from pandas.core.dtypes.missing import isna
from pandas.core.internals.blocks import Block, ensure_block_shape, new_block

from airloom.pandas.internals import objects
from airloom.pandas.internals.foreign import FOREIGN, is_foreign


class SharedArray:
    """A column of a block. While this lives, pandas copies the block before it writes to it."""

    __slots__ = ("_block", "_missing", "_position", "_read", "_space")

    def __init__(self, block: Block, position: int) -> None:
        self._block = block
        self._position = position

    @property
    def space(self) -> Any:
        """The rows in memory that these values are a column of, while there are such."""
        found = getattr(self, "_space", None)
        return None if found is None else found()

    def beside(self, space: Any) -> None:
        """Tells of which rows this is a column. They are not kept for its sake."""
        self._space = weakref.ref(space)

    @property
    def missing(self) -> Any:
        """Which values pandas takes for missing."""
        found = getattr(self, "_missing", None)
        if found is None or self.foreign:
            found = self._missing = np.asarray(isna(self.array))
        return found

    @property
    def array(self) -> Any:
        """The values, of one axis."""
        return self._block.iget(self._position) if self._block.ndim == 2 else self._block.values

    @property
    def dtype(self) -> Any:
        return self._block.dtype

    @property
    def read(self) -> tuple[Any, Any, Any] | None:
        """Objects that are all of one kind as an array of it, its dtype, and what stands for what is missing; none where they are something else."""
        found = getattr(self, "_read", None)
        if found is None or self.foreign:
            found = self._read = (objects.read(self.array),)
        return found[0]

    def shares(self, other: SharedArray) -> bool:
        """Whether both are the same column of the same values, as pandas tells it: by who else refers to them."""
        if self._block.refs is not other._block.refs:
            return False
        mine, theirs = self.array, other.array
        if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray):
            return bool(mine.__array_interface__["data"][0] == theirs.__array_interface__["data"][0])
        return True

    def stands_beside(self, other: Any) -> bool:
        """Whether both are columns of one block."""
        return type(self) is SharedArray and type(other) is SharedArray and self._block is other._block

    @property
    def refs(self) -> Any:
        """What the block shares with all that share its values."""
        return self._block.refs

    @property
    def foreign(self) -> bool:
        """Whether somebody else may write to the values."""
        return bool(FOREIGN) and is_foreign(self._block)

    def block(self, position: int) -> Block:
        """A block of a frame with this one column, sharing the values. An array of Arrow's is written to by giving it other ones: a frame has one of its own, as in pandas."""
        array = self.array
        return column_block(array.view() if isinstance(array, ArrowExtensionArray) else array, position, self._block.refs)

    def unwrapped(self) -> SharedArray:
        """The array of NumPy's that an array of pandas' own is about, shared."""
        return SharedArray(vector_block(self.array._ndarray, self._block.refs), 0)

    def cut(self, start: int, stop: int | None, step: int = 1) -> SharedArray:
        """Some of the values, one after the other: a view of them, which pandas knows to be one."""
        return SharedArray(vector_block(self.array[start:stop:step], self._block.refs), 0)

    def copied(self) -> SharedArray:
        """The same values for somebody who wants a copy of them."""
        return CopiedArray(self._block, self._position)

    @staticmethod
    def whole(columns: Sequence[Any]) -> Block | None:
        """The block of which these are columns that stand one after the other, or that piece of it; none where there is no such."""
        first = columns[0] if columns else None
        if type(first) is not SharedArray or first._block.ndim != 2 or first._block.values.ndim != 2:
            return None
        start = first._position
        if not all(type(held) is SharedArray and held._block is first._block and held._position == start + at for at, held in enumerate(columns)):
            return None
        values = first._block.values[start : start + len(columns)]
        return new_block(values, BlockPlacement(slice(0, len(columns))), ndim=2, refs=first._block.refs)

    def single(self) -> Block:
        """The block of a series, sharing the values."""
        return vector_block(self.array, self._block.refs)


class SharedLabels(SharedArray):
    """Labels that numbers stand for: among several levels they are one as they are, with all that pandas knows of them."""

    __slots__ = ("labels",)

    def __init__(self, labels: pandas.Index) -> None:
        array = labels.array
        super().__init__(vector_block(array.to_numpy() if type(array) is pandas.arrays.NumpyExtensionArray else array), 0)
        self.labels = labels


class CopiedArray(SharedArray):
    """A column that is a copy of another: it is copied when an object is made of it, as who looks at other rows or values of it alone needs no copy."""

    __slots__ = ()

    def block(self, position: int) -> Block:
        return column_block(self.array.copy(), position)

    def single(self) -> Block:
        return vector_block(self.array.copy())

    def cut(self, start: int, stop: int | None, step: int = 1) -> SharedArray:
        return type(self)(vector_block(self.array[start:stop:step], self._block.refs), 0)


class IndexArray(CopiedArray):
    """The array of an index, which never changes: a column that is made of it is a copy, as it is in pandas."""

    __slots__ = ()


def column_block(array: Any, position: int, refs: Any = None) -> Block:
    """A block of one column of a frame."""
    return new_block(ensure_block_shape(array, 2), BlockPlacement(slice(position, position + 1)), ndim=2, refs=refs)


def vector_block(array: Any, refs: Any = None) -> Block:
    """The block of a series."""
    return new_block(array, BlockPlacement(slice(0, len(array))), ndim=1, refs=refs)


class _Deferred(SharedArray):
    """Values made of those of another column, when somebody asks for them."""

    __slots__ = ("_made", "_source", "_wide")

    def __init__(self, source: SharedArray, dtype: Any) -> None:
        self._source = source
        self._wide = dtype
        self._made: Block | None = None

    @abstractmethod
    def _values(self) -> Any:
        """The values."""

    @property
    def _position(self) -> int:  # type: ignore[override]
        return 0

    @property
    def refs(self) -> Any:
        return self._source.refs if self._made is None else self._made.refs

    @property
    def foreign(self) -> bool:
        return bool(FOREIGN) and self._made is None and self._source.foreign

    @property
    def _block(self) -> Block:
        if self._made is None:
            self._made = vector_block(self._values())
        return self._made

    @property
    def dtype(self) -> Any:
        return self._wide


class DeferredTake(_Deferred):
    """Values of a column at positions, taken when somebody asks for them. A position of -1 is missing, where there is such; with `fill`, that stands there."""

    __slots__ = ("_fill", "_positions")

    def __init__(self, source: SharedArray, positions: Any, missing: bool, fill: Any = None) -> None:
        dtype = source.dtype
        other = np.nan if fill is None else fill
        super().__init__(source, _promoted(dtype, other) if missing else dtype)
        self._positions = positions
        self._fill = fill

    def _values(self) -> Any:
        values = self._source.array
        missing = bool(len(self._positions)) and bool(self._positions.min() < 0)
        options = {} if self._fill is None or not missing else {"fill_value": self._fill}
        of = take if isinstance(values, np.ndarray) else type(values).take
        made = of(values, self._positions, allow_fill=missing, **options)
        # Of no intervals of integers, some that are missing are of integers still.
        return made.astype(self._wide) if isinstance(self._wide, pandas.IntervalDtype) else made


def _promoted(dtype: Any, other: Any) -> Any:
    """The dtype of values among which another is put."""
    if isinstance(dtype, pandas.IntervalDtype) and dtype.subtype is not None and dtype.subtype.kind in "iu":
        # No interval of integers is missing.
        return pandas.IntervalDtype(np.dtype("float64"), closed=dtype.closed)
    return maybe_promote(dtype, other)[0] if isinstance(dtype, np.dtype) and dtype.kind not in "mM" else dtype


class DeferredShift(_Deferred):
    """Numbers of a column some rows further on, or back, as floats of a dtype: NaN where there are none."""

    __slots__ = ("_periods",)

    def __init__(self, source: SharedArray, periods: int, dtype: Any) -> None:
        super().__init__(source, dtype)
        self._periods = periods

    def _values(self) -> Any:
        values = self._source.array
        made = np.empty(len(values), self._wide)
        periods = max(-len(values), min(self._periods, len(values)))
        if periods > 0:
            made[:periods] = np.nan
            made[periods:] = values[: len(values) - periods]
        else:
            made[: len(values) + periods] = values[-periods:]
            made[len(values) + periods :] = np.nan
        return made

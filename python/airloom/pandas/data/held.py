"""Arrays that pandas holds, shared with it by its own copy-on-write."""

from __future__ import annotations

from typing import Any

import numpy as np
from pandas._libs.internals import BlockPlacement
from pandas.core.internals.blocks import Block, ensure_block_shape, new_block


class Held:
    """A column of a block. While this lives, pandas copies the block before it writes to it."""

    __slots__ = ("_block", "_place")

    def __init__(self, block: Block, place: int) -> None:
        self._block = block
        self._place = place

    @property
    def array(self) -> Any:
        """The values, of one axis."""
        return self._block.iget(self._place) if self._block.ndim == 2 else self._block.values

    @property
    def dtype(self) -> Any:
        return self._block.dtype

    def shares(self, other: Held) -> bool:
        """Whether both are the same column of the same values, as pandas tells it: by who else refers to them."""
        if self._block.refs is not other._block.refs:
            return False
        mine, theirs = self.array, other.array
        if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray):
            return bool(mine.__array_interface__["data"][0] == theirs.__array_interface__["data"][0])
        return True

    def block(self, place: int) -> Block:
        """A block of a frame with this one column, sharing the values."""
        return column_block(self.array, place, self._block.refs)

    def single(self) -> Block:
        """The block of a series, sharing the values."""
        return vector_block(self.array, self._block.refs)


def column_block(array: Any, place: int, refs: Any = None) -> Block:
    """A block of one column of a frame."""
    return new_block(ensure_block_shape(array, 2), BlockPlacement(slice(place, place + 1)), ndim=2, refs=refs)


def vector_block(array: Any, refs: Any = None) -> Block:
    """The block of a series."""
    return new_block(array, BlockPlacement(slice(0, len(array))), ndim=1, refs=refs)

"""How a loop goes over arrays of several layouts: in the order in which NumPy lays its result out, over as few axes as the strides allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.lib.stride_tricks import as_strided


@dataclass(frozen=True)
class Read:
    """What a loop reads of one array."""

    #: `flat`: an element for each index of the one axis; `strided`: by an offset and a step for each axis; `scalar`: the same everywhere.
    kind: str
    #: The elements, contiguous; a scalar where there is one.
    data: Any
    offset: int = 0
    steps: tuple[int, ...] = ()


@dataclass(frozen=True)
class Loop:
    """The axes of a loop, and what it reads."""

    extents: tuple[int, ...]
    reads: tuple[Read, ...]
    #: The shape of the result in the order of its memory, and which axis of that each axis of the result is.
    shape: tuple[int, ...]
    axes: tuple[int, ...] | None

    def shaped(self, flat: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
        """The elements of the loop as the result."""
        found = flat.reshape(self.shape)
        return found if self.axes is None else found.transpose(self.axes)


def loop(shape: tuple[int, ...], arrays: Sequence[numpy.ndarray[Any, Any]], laid_out: Callable[[], tuple[int, ...]]) -> Loop:
    """The loop over `shape` that reads these arrays. `laid_out` gives the strides of a small result, where it depends on the arrays' own layout."""
    if all(array.flags.c_contiguous and array.shape == shape for array in arrays if array.size != 1):
        size = int(numpy.prod(shape, dtype=numpy.int64))
        reads = tuple(Read("scalar", array.reshape(())[()]) if array.size == 1 else Read("flat", array.reshape(-1)) for array in arrays)
        return Loop((size,), reads, shape, None)
    order = tuple(range(len(shape)))
    if not all(array.flags.c_contiguous for array in arrays):
        strides = laid_out()
        order = tuple(sorted(order, key=lambda axis: -abs(strides[axis]) if shape[axis] > 1 else 0))
    moved = [numpy.broadcast_to(_aligned(array), shape).transpose(order) for array in arrays]
    extents, steps = _merged(tuple(shape[axis] for axis in order), [array.strides for array in moved])
    reads = tuple(_read(array, own) for array, own in zip(moved, steps, strict=True))
    inverse = tuple(order.index(axis) for axis in range(len(shape)))
    natural = inverse == tuple(range(len(shape)))
    return Loop(extents, tuple(_simple(read, extents) for read in reads), tuple(shape[axis] for axis in order), None if natural else inverse)


def _aligned(array: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    """The array, or a copy where its elements are not at multiples of their size."""
    if array.flags.aligned and all(stride % array.itemsize == 0 for stride in array.strides):
        return array
    return array.copy()


def _merged(shape: tuple[int, ...], strides: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Axes that follow one another in every array are one."""
    extents: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis, extent in enumerate(shape):
        if extent == 1:
            continue
        if extents and all(own[-1] == stride[axis] * extent for own, stride in zip(steps, strides, strict=True)):
            extents[-1] *= extent
            for own, stride in zip(steps, strides, strict=True):
                own[-1] = stride[axis]
        else:
            extents.append(extent)
            for own, stride in zip(steps, strides, strict=True):
                own.append(stride[axis])
    if not extents:
        return (1,), [(0,) for _ in strides]
    return tuple(extents), [tuple(own) for own in steps]


def _read(array: numpy.ndarray[Any, Any], strides: tuple[int, ...]) -> Read:
    if not any(strides):
        return Read("scalar", array[(0,) * array.ndim])
    # The elements from the lowest address to the highest are an array of one axis.
    lowest = array[tuple(slice(None, None, -1) if stride < 0 else slice(None) for stride in array.strides)]
    reach = [(abs(stride) // array.itemsize) * (extent - 1) for stride, extent in zip(array.strides, array.shape, strict=True)]
    offset = sum(own for own, stride in zip(reach, array.strides, strict=True) if stride < 0)
    flat = as_strided(lowest, (sum(reach) + 1,), (array.itemsize,), writeable=False)
    return Read("strided", flat, offset, tuple(stride // array.itemsize for stride in strides))


def _simple(read: Read, extents: tuple[int, ...]) -> Read:
    if read.kind == "strided" and read.steps == (1,) and read.offset == 0 and read.data.size == extents[0]:
        return Read("flat", read.data)
    return read

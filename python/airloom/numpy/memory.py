"""Who may write to an array: each piece of memory, what reads it and is not computed yet, and whether anybody else knows of it."""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any

import numpy

from airloom.numpy import mapped

if TYPE_CHECKING:
    from airloom.numpy.expressions import Apply


class Buffer:
    """The memory of an array and of all its views.

    An expression that reads it and is not computed yet must see it as it was: `settle` computes what there is, and is called before anything is written, and before the
    memory is shown to anybody else.
    """

    __slots__ = ("__weakref__", "frozen", "held", "leaves", "most", "ours", "owner", "readers")

    def __init__(self, owner: numpy.ndarray[Any, Any], ours: bool) -> None:
        self.owner = owner
        #: Whether its bytes belong to the owner, or to nobody but it: not to a file, to bytes, or to another library.
        self.ours = ours
        #: Whether nobody writes to it: it is a file that is open for reading.
        self.frozen = not ours and mapped.is_frozen(owner)
        #: Its bytes, where they are counted.
        self.held: mapped.InMemory | None = None
        #: How many leaves there are.
        self.leaves = 0
        #: The expressions that read it and are not computed yet.
        self.readers: list[weakref.ref[Apply]] = []
        #: From how many readers on those are looked for that are there no more.
        self.most = 32

    def exclusive(self) -> bool:
        """Whether nobody but arrays of ours holds it, so that nobody else can write to it before a later look.

        A view of NumPy's, a buffer, a DLPack capsule and a name all hold a reference to the owner. Ours are counted: one here, one by the array of each leaf.
        """
        return self.frozen or (self.ours and sys.getrefcount(self.owner) <= 2 + self.leaves)

    def forget_computed(self) -> None:
        """Looks for readers that are there no more, or are computed."""
        self.readers = [found for found in self.readers if (own := found()) is not None and own.value is None]
        self.most = max(32, 2 * len(self.readers))

    def streams(self) -> bool:
        """Whether it lies in a file that is read a part at a time."""
        return (self.frozen or self.owner.base is not None or type(self.owner) is not numpy.ndarray) and mapped.file_of(self.owner) is not None

    def settle(self) -> None:
        """Computes what reads this memory and was not computed yet."""
        if self.readers:
            from airloom.numpy.execution import compute

            for found in self.readers:
                reader = found()
                if reader is not None and reader.value is None:
                    compute(reader)
            self.readers = []


class Leaf:
    """An array of NumPy's that nobody else is given: a view of its own, or the owner of the memory."""

    __slots__ = ("__weakref__", "array", "held", "known")

    def __init__(self, array: numpy.ndarray[Any, Any], buffer: Buffer | None = None) -> None:
        self.array = array
        #: Its bytes, where they are counted, as long as its memory has not been looked for.
        self.held: mapped.InMemory | None = None
        #: Its memory, where that has been looked for.
        self.known = buffer
        if buffer is not None:
            buffer.leaves += 1

    @property
    def buffer(self) -> Buffer:
        """Its memory. That of a new array, which nobody else knows, is not looked for before somebody asks."""
        found = self.known
        if found is None:
            found = self.known = _buffer_of(self.array, False, False)
            found.leaves += 1
            if self.held is not None:
                found.held, self.held = self.held, None
        return found

    def __del__(self) -> None:
        if self.known is not None:
            self.known.leaves -= 1

    @property
    def dtype(self) -> numpy.dtype[Any]:
        dtype: numpy.dtype[Any] = self.array.dtype
        return dtype

    @property
    def shape(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self.array.shape
        return shape

    @property
    def size(self) -> int:
        return self.array.size


#: The buffers that are in use, by the identity of their owners, which they keep alive.
_BUFFERS: weakref.WeakValueDictionary[int, Buffer] = weakref.WeakValueDictionary()


def leaf(array: numpy.ndarray[Any, Any], ours: bool = False, frozen: bool = False) -> Leaf:
    """An array of NumPy's as a leaf. `ours` says that nobody else has the bytes of a new array, though they are not NumPy's; `frozen`, that nobody writes to them."""
    buffer = _buffer_of(array, ours, frozen)
    return Leaf(array if array is buffer.owner and type(array) is numpy.ndarray else array.view(numpy.ndarray), buffer)


def _buffer_of(array: numpy.ndarray[Any, Any], ours: bool, frozen: bool) -> Buffer:
    owner = mapped.owner_of(array)
    buffer = _BUFFERS.get(id(owner))
    if buffer is None:
        # An instance of a subclass may do anything when it is written to; so may memory that is not NumPy's.
        plain = type(owner) is numpy.ndarray and (ours or owner.base is None)
        buffer = _BUFFERS[id(owner)] = Buffer(owner, plain)
        buffer.frozen = buffer.frozen or frozen
    return buffer

"""Arrays that lie in files: which pages of them are in memory, and results that lie in files because there is no memory for them."""

from __future__ import annotations

import math
import mmap
import tempfile
import threading
from typing import Any

import numpy
from numpy.lib.array_utils import byte_bounds

from airloom._options import options

#: An array of more than this part of the memory limit lies in a file, and so does one with which all results in memory would take twice as much.
SHARE = 4
#: Results of fewer bytes are not counted.
COUNTED = 1 << 20

#: Linux brings pages into the memory of a process in groups that begin at multiples of their size: a page that is read may bring this much, and all of it is let go of.
_GROUP = 8 << 20


class Scratch(mmap.mmap):
    """The memory of a result that lies in a file without a name: it is gone when nobody holds it."""


class _Count:
    """How many bytes results take that are in memory."""

    def __init__(self) -> None:
        self.bytes = 0
        # A result may be dropped while another is counted.
        self.lock = threading.RLock()

    def add(self, count: int) -> None:
        with self.lock:
            self.bytes += count


_HELD = _Count()


class InMemory:
    """The bytes of a result that is in memory: they are counted as long as this object is there."""

    __slots__ = ("_count", "_size")

    def __init__(self, size: int) -> None:
        self._count, self._size = _HELD, size
        self._count.add(size)

    def __del__(self) -> None:
        self._count.add(-self._size)


def limit() -> int:
    """How many bytes arrays may take."""
    most: int = options.state()["memory_limit"]
    return most


def map_of(owner: Any) -> mmap.mmap | None:
    """The file that the memory of an array is, where pages of it can be read again: a memory map that is no copy on write. `owner` is the array that all views are views of."""
    if isinstance(owner, numpy.memmap):
        found = getattr(owner, "_mmap", None)
        return found if getattr(owner, "mode", "c") in ("r", "r+", "w+") and isinstance(found, mmap.mmap) else None
    base = owner.base
    return base if isinstance(base, Scratch) else None


def is_frozen(owner: Any) -> bool:
    """Whether nobody writes to the memory of an array: it is that of a file that is open for reading."""
    return isinstance(owner, numpy.memmap) and getattr(owner, "mode", "") == "r"


def is_large(size: int) -> bool:
    """Whether an array of this many bytes lies in a file when it is made."""
    most = limit() // SHARE
    return size > most or (size > COUNTED and _HELD.bytes + size > 2 * most)


def empty(shape: tuple[int, ...], dtype: numpy.dtype[Any]) -> numpy.ndarray[Any, Any]:
    """A new array: in memory, or in a file of its own in the folder for spilled rows."""
    size = math.prod(shape) * dtype.itemsize
    if not is_large(size):
        return numpy.empty(shape, dtype)
    with tempfile.TemporaryFile(dir=options.resolved()["spill_directory"], prefix="airloom-") as file:
        file.truncate(size)
        return numpy.ndarray(shape, dtype, buffer=Scratch(file.fileno(), size))


def forget(found: mmap.mmap, part: numpy.ndarray[Any, Any]) -> None:
    """Takes pages of a file out of the memory of this process: what was written is on its way to the file, and what is read again is read from there."""
    if not part.size or not hasattr(found, "madvise"):
        return
    begin = numpy.frombuffer(found, numpy.uint8, 1).__array_interface__["data"][0]
    first, last = byte_bounds(part)
    low = max(first - begin, 0) // _GROUP * _GROUP
    high = min(-(-(last - begin) // _GROUP) * _GROUP, len(found))
    if low < high:
        found.madvise(mmap.MADV_DONTNEED, low, high - low)


def owner_of(array: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    """The array that all views of a memory are views of."""
    owner = array
    while isinstance(owner.base, numpy.ndarray):
        owner = owner.base
    return owner


def file_of(array: numpy.ndarray[Any, Any]) -> mmap.mmap | None:
    """The file that an array lies in and is read from a part at a time: one of ours, or one of more than a part of the memory limit."""
    found = map_of(owner_of(array))
    return found if isinstance(found, Scratch) or (found is not None and len(found) > limit() // SHARE) else None

"""Columns of frames in memory that were read before: what was found out about them, and the form that the engine has them in, is not made again."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import polars as pl

from airloom._native import Column

#: Dtypes whose memory nobody can change.
_FIXED = (pl.String, pl.Binary, pl.Decimal)
#: Numbers, and what is stored as numbers: their memory may be that of an array of NumPy's, which can be changed at any time.
_NUMBERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.Float32, pl.Float64, pl.Date, pl.Time, pl.Datetime, pl.Duration)
#: Modules by which a frame may have been given memory that something else can change.
_LENDERS = ("numpy", "pyarrow")
#: Short columns are looked at in less time than it takes to find out whether they are known.
_SHORT = 4096
#: How many bytes of columns are kept, however long ago their frames went: an eighth of the machine's memory.
LIMIT = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 8 if hasattr(os, "sysconf") else 1 << 30

_Key = tuple[str, tuple[int, ...]]


class ColumnMemory:
    """The columns that were read last. While a series is here its buffers live, so that no other has their addresses; and Polars copies what somebody else holds before it changes it."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self._kept: OrderedDict[_Key, tuple[pl.Series, Column]] = OrderedDict()
        self._lock = threading.Lock()

    def column(self, series: pl.Series, make: Callable[[pl.Series], Column]) -> Column:
        """The column that was made before from the same memory; else a new one, which is kept for the next time."""
        if len(series) < _SHORT or not _is_fixed(series.dtype):
            return make(series)
        key = (str(series.dtype), addresses(series))
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found[1]
        made = make(series)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = (series, made)
                self.size += _size(series)
            while self.size > self.limit:
                _, (oldest, _) = self._kept.popitem(last=False)
                self.size -= _size(oldest)
        return made

    def clear(self) -> None:
        """Lets go of everything."""
        with self._lock:
            self._kept.clear()
            self.size = 0

    def __len__(self) -> int:
        return len(self._kept)


def _size(series: pl.Series) -> int:
    """How many bytes a column has, about: of text Polars counts the letters alone."""
    return int(series.estimated_size()) + 16 * len(series)


def _is_fixed(dtype: pl.DataType) -> bool:
    """Whether memory of a dtype stays as it is. Where a lender was never imported there is no memory of its kind; what was kept before it was imported is not of its kind either."""
    return isinstance(dtype, _FIXED) or (isinstance(dtype, _NUMBERS) and not any(module in sys.modules for module in _LENDERS))


#: Of all engines of the process.
COLUMNS = ColumnMemory(LIMIT)


class _ArrowArray(ctypes.Structure):
    """A chunk, as Arrow's interface for C lays it out."""


_ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_ArrowArray))),
    ("private_data", ctypes.c_void_p),
]


class _ArrowArrayStream(ctypes.Structure):
    """The chunks of a column, as Arrow's interface for C lays them out."""


_ArrowArrayStream._fields_ = [
    ("get_schema", ctypes.c_void_p),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_ArrowArrayStream), ctypes.POINTER(_ArrowArray))),
    ("get_last_error", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

_pointer_of: Any = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


def addresses(series: pl.Series) -> tuple[int, ...]:
    """Where the values of a column without children are: of every chunk its length and offset, and the addresses of its buffers. Nothing is copied."""
    # The stream is let go of together with the capsule.
    capsule = series.__arrow_c_stream__()
    stream = _ArrowArrayStream.from_address(_pointer_of(capsule, b"arrow_array_stream"))
    found: list[int] = []
    while True:
        chunk = _ArrowArray()
        if stream.get_next(ctypes.byref(stream), ctypes.byref(chunk)) != 0:
            raise MemoryError(f"a column of dtype {series.dtype} is not handed out")
        if not chunk.release:
            return tuple(found)
        assert chunk.n_children == 0, "a column whose memory is compared has no children"
        # The last buffer of text says how long the others are: it is made anew each time, and its values follow from the others.
        count = chunk.n_buffers - 1 if isinstance(series.dtype, (pl.String, pl.Binary)) else chunk.n_buffers
        found += [chunk.length, chunk.offset, *(chunk.buffers[at] or 0 for at in range(count))]
        chunk.release(ctypes.byref(chunk))

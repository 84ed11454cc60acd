"""Frames in memory as tables of the engine. What the engine learns of a table, ranges and distinct values, it keeps with it: so the table of a frame that is read again soon is kept.

A kept table holds the memory of its frame: it goes when nobody has read it for some time, and no more than a few are kept. Frames are told apart by where their
buffers are, which no other frame can have as long as the table holds them; buffers of Polars never change while somebody else holds them.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections import OrderedDict
from typing import Any

import polars as pl

from airloom._native import Table
from airloom.polars.physical import frame_to_engine

#: For how many seconds a table is kept that nobody reads.
SECONDS = 20.0
#: How many tables are kept.
_MOST = 32
#: What fewer rows are known of is found again in no time.
_ROWS = 10_000
#: Dtypes whose columns are one array of buffers.
_FLAT = (
    *(pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.Float32, pl.Float64, pl.Boolean),
    *(pl.Date, pl.Time, pl.Datetime, pl.Duration, pl.Decimal, pl.String, pl.Binary),
)


class _Array(ctypes.Structure):
    """An array in Arrow's C data interface."""


_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", ctypes.c_void_p),
]


class _Stream(ctypes.Structure):
    """A stream of arrays in Arrow's C stream interface."""


_Stream._fields_ = [
    ("get_schema", ctypes.c_void_p),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Kept:
    """Tables that were read lately, by what they were made of."""

    def __init__(self) -> None:
        self._tables: OrderedDict[Any, tuple[Table, float]] = OrderedDict()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None

    def table(self, frame: pl.DataFrame) -> Table:
        """The table of a frame: the one that is kept, or a new one."""
        key = _key(frame)
        if key is None:
            return Table(frame_to_engine(frame))
        with self._lock:
            found = self._tables.pop(key, None)
            table = Table(frame) if found is None else found[0]
            self._tables[key] = (table, time.monotonic())
            while len(self._tables) > _MOST:
                self._tables.popitem(last=False)
            if self._timer is None:
                self._wait(SECONDS)
        return table

    def __len__(self) -> int:
        return len(self._tables)

    def clear(self) -> None:
        """Lets all tables go."""
        with self._lock:
            self._tables.clear()

    def _wait(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._expire)
        self._timer.daemon = True
        self._timer.start()

    def _expire(self) -> None:
        """Lets those tables go that nobody has read for long."""
        with self._lock:
            now = time.monotonic()
            # The first is the one that was not read for longest.
            while self._tables and now - next(iter(self._tables.values()))[1] >= SECONDS:
                self._tables.popitem(last=False)
            self._timer = None
            if self._tables:
                self._wait(max(0.1, SECONDS - (now - next(iter(self._tables.values()))[1])))


#: The tables of this process.
KEPT = Kept()


def _key(frame: pl.DataFrame) -> Any:
    """What tells the columns of a frame from all others while they are in memory; none where it is not known, or not worth it."""
    if frame.height < _ROWS or any(dtype.base_type() not in _FLAT for dtype in frame.dtypes):
        return None
    return tuple((column.name, column.dtype, *_buffers(column)) for column in frame.iter_columns())


def _buffers(column: pl.Series) -> list[int | None]:
    """Lengths, offsets and addresses of the buffers of a column, chunk after chunk."""
    # The last buffer of a column of views tells the lengths of the others, and is made anew for every reader.
    last = 1 if column.dtype in (pl.String, pl.Binary) else 0
    capsule = column.__arrow_c_stream__()
    stream = ctypes.cast(_pointer_of(capsule, b"arrow_array_stream"), ctypes.POINTER(_Stream))
    found: list[int | None] = []
    while True:
        array = _Array()
        if stream.contents.get_next(stream, ctypes.byref(array)) != 0:
            raise OSError("Polars does not give out its buffers")
        if not array.release:
            return found
        found += [array.length, array.offset, *array.buffers[: array.n_buffers - last]]
        array.release(ctypes.byref(array))

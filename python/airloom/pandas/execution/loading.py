"""Files of which a program asks more than once: they are read into memory, each column when it is first needed.

A question that is asked while a program is planned reads the file, and so does what is computed later. Where values have to be computed to answer it, such as timestamps parsed of text, they are
kept; what else is used of the same rows then stands beside them in memory, as it does in pandas.
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any

import pyarrow

from airloom import ir
from airloom._native import Column
from airloom._options import options
from airloom.pandas.execution import run
from airloom.pandas.plan.expression import Ref, Slot
from airloom.pandas.plan.rows import DataSlot, FileScan, MemoryRows

#: A file may have up to this share of the bytes that rows may take: its columns are larger in memory, and what is computed of them needs room too.
_SHARE = 16

_LOCK = threading.RLock()


def space_in_memory(rows: FileScan) -> MemoryRows | None:
    """Where the rows of a file stand in memory from now on; none where they may be too many."""
    with _LOCK:
        if not rows.loaded:
            if rows.count is None or not rows.files or sum(file.size for file in rows.files) * _SHARE > options.resolved()["memory_limit"]:
                return None
            space = MemoryRows(rows.count)
            stored = FileScan(rows.stored, rows.columns, rows.count, rows.files)
            rows.kept = space, {slot: _slot(stored, slot, space) for slot in rows.columns}
            rows.loaded = True
        assert rows.kept is not None
        return rows.kept[0]


def added(rows: FileScan, stored: Slot) -> Slot:
    """A column of the rows of a file that stands in memory beside its own, as a slot that can be seen in them."""
    with _LOCK:
        assert rows.loaded and rows.kept is not None and isinstance(stored, DataSlot)
        slot = Slot(stored.name)
        rows.kept = rows.kept[0], {**rows.kept[1], slot: stored}
        return slot


def _slot(rows: FileScan, slot: Slot, space: MemoryRows) -> DataSlot:
    type = rows.columns[slot][1]
    is_text = type.required == ir.str_
    read = _Read(rows, slot)
    made = DataSlot(slot.name, space, ir.optional(ir.str_) if is_text else type, None, lambda: read.column(nullable=is_text or None))
    made.arrow = read.strings
    return made


class _Read:
    """A column of a file, read when it is first asked for."""

    def __init__(self, rows: FileScan, slot: Slot) -> None:
        self._rows = rows
        self._slot = slot

    @cached_property
    def _table(self) -> Any:
        return run.unshared(self._rows, {"value": Ref(self._slot)})

    def column(self, *, nullable: bool | None) -> Column:
        """As the engine reads it."""
        return Column.of_arrow(pyarrow.table(self._table).column("value"), nullable=nullable)

    def strings(self) -> pyarrow.ChunkedArray:
        """As Arrow has text."""
        return pyarrow.chunked_array(self._table.large_strings("value"), pyarrow.large_string())

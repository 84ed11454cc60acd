"""Text that is written: the columns that it is made of, and where it goes."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Any

import pyarrow
from pandas.io.common import get_compression_method, get_handle, infer_compression

from airloom._native import Table
from airloom._native import Column as NativeColumn
from airloom.errors import RefusedError
from airloom.pandas.execution import run
from airloom.pandas.files import atomic_write
from airloom.pandas.plan.expression import Expression, Ref
from airloom.pandas.plan.rows import DataSlot, MemoryRows, Rows, space_of
from airloom.pandas.refusals import Refused, value_text

_UTF8 = frozenset(("utf-8", "utf8", "utf_8"))


class Written:
    """Columns of which text is made, computed together."""

    def __init__(self) -> None:
        self.wanted: dict[str, Expression] = {}
        #: Columns that are there already.
        self.made: dict[str, NativeColumn] = {}

    def want(self, expression: Expression) -> int:
        """The position of a column with these values."""
        position = len(self.wanted) + len(self.made)
        self.wanted[f"f{position}"] = expression
        return position

    def take(self, column: NativeColumn) -> int:
        """The position of a column that is there already."""
        position = len(self.wanted) + len(self.made)
        self.made[f"f{position}"] = column
        return position

    def table(self, rows: Rows) -> Table:
        """The columns of the fields, computed."""
        base = space_of(rows)
        slots = [expression.slot for expression in self.wanted.values() if isinstance(expression, Ref)]
        in_memory = isinstance(base, MemoryRows) and len(slots) == len(self.wanted)
        if in_memory and all(isinstance(slot, DataSlot) and slot.space is base for slot in slots):
            assert isinstance(base, MemoryRows)
            columns = {name: expression.slot.column for name, expression in self.wanted.items()} | self.made  # type: ignore[attr-defined]
            table = Table.of_columns(dict(sorted(columns.items(), key=lambda item: _position(item[0]))), base.count)
        else:
            table = run.table(rows, self.wanted)
            if self.made:
                found = pyarrow.table(table)
                columns = {name: NativeColumn.of_arrow(found.column(name).combine_chunks()) for name in self.wanted} | self.made
                table = Table.of_columns(dict(sorted(columns.items(), key=lambda item: _position(item[0]))), len(found))
        return table


def _position(name: str) -> int:
    return int(name[1:])


def _method(name: str, compression: Any) -> Any:
    """How a file is compressed."""
    return infer_compression(name, get_compression_method(compression)[0])


class Destination:
    """Where text goes."""

    def __init__(self, target: Any, mode: str, encoding: Any, compression: Any) -> None:
        self.target = target
        self.mode = mode
        self.encoding = encoding
        self.compression = compression
        #: The name of a file that takes the bytes as they are.
        self.name: str | None = None
        if encoding is not None and not isinstance(encoding, str):
            raise Refused(f"`encoding={value_text(encoding)}` is not a string")
        if target is None:
            return
        if isinstance(target, (str, os.PathLike)):
            name = atomic_write.local_path(target)
            plain = encoding is None or encoding.lower() in _UTF8
            if plain and (compression is None or compression == "infer") and infer_compression(name, compression) is None:
                self.name = name
            elif mode == "a" and _method(name, compression) in ("zip", "tar"):
                raise Refused("`mode='a'` of an archive, of which pandas warns")
        elif not hasattr(target, "write"):
            raise Refused(f"a target of type `{type(target).__name__}`, which has no `write`")

    def take(self, write: Callable[[int | None], Any]) -> str | None:
        """Takes the text that `write` writes to a descriptor, or returns without one."""
        if self.name is not None:
            with atomic_write.opened(self.name, self.mode) as descriptor:
                write(descriptor)
            return None
        try:
            text: str = write(None)
        except RefusedError as error:
            raise Refused(str(error)) from None
        if self.target is None:
            return text
        if isinstance(self.target, io.StringIO):
            with atomic_write.failing():
                self.target.write(text)
            return None
        codec = getattr(self.target, "encoding", None) or self.encoding or "utf-8"
        try:
            text.encode(codec)
        except (UnicodeError, LookupError):
            # pandas tells it of the line where it stands.
            raise Refused(f"text that the encoding `{codec}` cannot encode") from None
        if isinstance(self.target, (str, os.PathLike)):
            atomic_write.compute_readers(os.path.realpath(atomic_write.local_path(self.target)))
        # What pandas says of an argument that it does not take is said before anything is written.
        handles = get_handle(self.target, self.mode, encoding=self.encoding, errors="strict", compression=self.compression)
        with atomic_write.failing(), handles:
            handle: Any = handles.handle
            handle.write(text)
        return None

"""Sources that are no plain files: open handles, buffers, compressed files and those of other encodings."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterator
from typing import Any

from pandas.io.common import _get_filepath_or_buffer, is_url

from airloom.pandas.refusals import Refused

#: pandas reads this many bytes, or characters, at a time.
_BLOCK = 1 << 18
#: Whose streams are read by no other ways than Python's own.
_MODULES = frozenset(("_io", "io", "gzip", "bz2", "lzma", "tempfile", "tarfile", "zipfile"))
#: Where memory that has a descriptor has a name.
_FOLDER = "/proc/self/fd"


def path_of(descriptor: int) -> str | None:
    """A name by which what is open can be opened again, whatever happened to its own; nothing where there is none."""
    return f"{_FOLDER}/{descriptor}" if os.path.isdir(_FOLDER) else None


def is_stream(source: Any) -> bool:
    """Whether pandas takes something for an open file."""
    return hasattr(source, "read") and not isinstance(source, (str, os.PathLike))


def can_be_read_again(source: Any) -> bool:
    """Whether a stream can be put back to where it stands: pandas asks for nothing but `read`, so that a class of the user's may have something else for the rest."""
    if type(source).__module__ not in _MODULES:
        return False
    try:
        source.tell()
        return bool(source.seekable())
    except Exception:
        # A file of text whose lines are being iterated over does not tell where it is, nor does a closed one.
        return False


def size(source: Any) -> int | None:
    """How long a stream is from its beginning on, where that is known without reading it."""
    if type(source) is io.BytesIO and not source.closed:
        return source.getbuffer().nbytes
    if type(source) is io.StringIO and not source.closed:
        at = source.tell()
        source.seek(0, io.SEEK_END)
        length = source.tell()
        source.seek(at)
        return length
    if type(source) in (io.TextIOWrapper, io.BufferedReader, io.BufferedRandom, io.FileIO):
        with contextlib.suppress(OSError, ValueError):
            return os.fstat(source.fileno()).st_size
    return None


def bookmark(source: Any) -> Callable[[], None]:
    """What puts a stream back to where it stands now. A path needs no such thing."""
    if not is_stream(source) or not can_be_read_again(source):
        return lambda: None
    at = source.tell()

    def put_back() -> None:
        source.seek(at)

    return put_back


def fetched(source: Any, given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """What stands at an address of the web, as pandas fetches it, and what pandas is told with it. It is fetched once, whoever reads it then."""
    if not isinstance(source, str) or not is_url(source) or source.startswith("file:"):
        return source, given
    found = _get_filepath_or_buffer(
        source,
        encoding=given.get("encoding") or "utf-8",
        compression=given.get("compression", "infer"),
        mode="rb",
        storage_options=given.get("storage_options"),
    )
    return found.filepath_or_buffer, {**given, "compression": found.compression, "storage_options": None}


@contextlib.contextmanager
def named_memory() -> Iterator[tuple[str, Any]]:
    """A name for memory, by which it is opened as a file, and what writes to it."""
    if not hasattr(os, "memfd_create") or not os.path.isdir(_FOLDER):
        raise Refused("a source that is not a plain file, where memory has no name by which it is opened")
    descriptor = os.memfd_create("airloom", os.MFD_CLOEXEC)
    try:
        with open(descriptor, "wb", closefd=False) as memory:
            yield f"{_FOLDER}/{descriptor}", memory
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def in_memory(opening: Callable[[], Any], errors: str) -> Iterator[tuple[str, int]]:
    """A name for memory that holds what pandas reads of the handles that it opens, as UTF-8, and how many bytes that is."""
    with named_memory() as (name, memory):
        length = 0
        with opening() as handles:
            while block := handles.handle.read(_BLOCK):
                length += memory.write(block.encode("utf-8", errors) if isinstance(block, str) else block)
        memory.flush()
        yield name, length

"""Files that are read later than they were opened: what is read is what the file held when it was opened."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Sequence

from airloom.errors import ChangedFileError

#: At most this many descriptors are held; files beyond are read at the call.
MOST = 256
#: File systems tell times apart that are so far apart, in nanoseconds. What was written just now could be written again at the same time.
_TICK = 20_000_000
#: Where a descriptor can be opened again by a name.
_FOLDER = "/proc/self/fd"


class OpenFile:
    """A file that is held open: it may be removed, renamed or replaced, and is still the same. Whether it was written to is told by its size and its time."""

    __slots__ = ("__weakref__", "_descriptor", "_known", "name", "path")

    def __init__(self, name: str) -> None:
        self.name = name
        self._descriptor = -1
        descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        with _LOCK:
            global _held
            _held += 1
        self._descriptor = descriptor
        found = os.fstat(descriptor)
        ago = abs(time.time_ns() - found.st_mtime_ns)
        if ago < _TICK:
            time.sleep((_TICK - ago) / 1e9)
            found = os.fstat(descriptor)
        self._known = _identity(found)
        #: By which the engine opens it.
        self.path = f"{_FOLDER}/{descriptor}" if os.path.isdir(_FOLDER) and stat.S_ISREG(found.st_mode) else name

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self._known[2]

    def check(self) -> None:
        """Raises where the file is not what it was."""
        try:
            now = os.fstat(self._descriptor) if self.path != self.name else os.stat(self.name)
        except OSError as error:
            raise ChangedFileError(f"`{self.name}` is gone, and was to be read") from error
        if _identity(now) != self._known:
            raise ChangedFileError(f"`{self.name}` was written to after it was opened, and before it was read")

    def is_same(self, other: os.stat_result) -> bool:
        """Whether this is the same file, whatever its name."""
        return (other.st_dev, other.st_ino) == self._known[:2]

    def __del__(self) -> None:
        if self._descriptor >= 0:
            with _LOCK:
                global _held
                _held -= 1
            os.close(self._descriptor)


#: An object may be let go of while another is being made.
_LOCK = threading.RLock()
_held = 0


def _identity(found: os.stat_result) -> tuple[int, int, int, int]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def opened(names: Sequence[str]) -> list[OpenFile] | None:
    """These files, held open; none where too many are already."""
    if _held + len(names) > MOST:
        return None
    try:
        return [OpenFile(name) for name in names]
    except FileNotFoundError:
        raise
    except OSError:
        return None

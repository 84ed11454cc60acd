"""What ran where, and why: the engine, Python's own functions, or the library that a program was written for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from airloom import _callers
from airloom._options import options
from airloom.errors import RefusedError

#: At most this many different entries are kept; then the oldest go.
_MOST = 10_000
#: Modules whose lines are not the user's.
_NOT_THE_USERS = ("airloom", "pandas", "polars", "numpy", "functools", "contextlib", "concurrent", "threading")


@dataclass
class Entry:
    """One operation at one line: how often, how long, and how much was computed or copied for it."""

    operation: str
    where: str
    reason: str
    line: str
    times: int = 0
    seconds: float = 0.0
    bytes: int = 0


class Log:
    """Operations by name, backend, reason and line."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str, str, str], Entry] = {}
        self._lock = threading.Lock()

    def add(self, operation: str, where: str, reason: str = "", seconds: float = 0.0, bytes: int = 0, line: str | None = None) -> None:
        """Notes an operation: `where` is `native`, `host`, `pandas`, `polars` or `numpy`, `raised` where pandas complained, or `run` for the running of a program. `line` is the line that asked, where it is known."""
        key = (operation, where, reason, user_line() if line is None else line)
        with self._lock:
            entry = self.entries.get(key)
            if entry is None:
                if len(self.entries) >= _MOST:
                    self.entries.pop(next(iter(self.entries)))
                entry = self.entries[key] = Entry(*key)
            entry.times += 1
            entry.seconds += seconds
            entry.bytes += bytes

    def clear(self) -> None:
        with self._lock:
            self.entries.clear()


LOG = Log()


def user_line() -> str:
    """The line of the program that asked: the nearest one that is neither ours nor that of the library it was written for."""
    frame, _depth = _user_frame()
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else ""


def user_location() -> tuple[str, int] | None:
    """That line as a file and a number."""
    frame, _depth = _user_frame()
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def user_depth() -> int:
    """How many frames up from the caller that line stands."""
    _frame, depth = _user_frame()
    return depth


def _user_frame() -> tuple[Any, int]:
    frame: Any = sys._getframe(2)
    depth = 0
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if not _callers.is_library(module, _NOT_THE_USERS):
            return frame, depth
        frame, depth = frame.f_back, depth + 1
    return None, 0


def refused(operation: str, reason: str, library: str = "pandas") -> None:
    """Called before the original library does an operation: an error where that is not allowed."""
    if options.strict:
        hint = f"hint: without `airloom.strict()` {library} does it"
        raise RefusedError(f"`{operation}` is left to {library}: {reason} ({user_line()})\n\n{hint}")


class Report:
    """What operations ran where since the report was last cleared."""

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = entries

    def to_dicts(self) -> list[dict[str, Any]]:
        """The entries, for programs."""
        return [dict(vars(entry)) for entry in self.entries]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __str__(self) -> str:
        if not self.entries:
            return "nothing ran"
        counts = {where: sum(e.times for e in self.entries if e.where == where) for where in ("native", "host", "pandas", "polars", "numpy", "raised")}
        runs = [e for e in self.entries if e.where == "run"]
        title = ", ".join(f"{count} {where}" for where, count in counts.items() if count or where == "native" or (where == "pandas" and not any(e.where in ("polars", "numpy") for e in self.entries)))
        programs = sum(e.times for e in runs)
        lines = [f"operations: {title}; {programs} {'program' if programs == 1 else 'programs'} ran in {_time(sum(e.seconds for e in runs))}", ""]
        rows = [("where", "operation", "times", "time", "bytes", "line", "reason")]
        # What was left to the original library comes first: that is what a reader can do something about.
        order = {"raised": 0, "pandas": 1, "polars": 1, "numpy": 1, "host": 2, "run": 3, "native": 4}
        for e in sorted(self.entries, key=lambda e: (order[e.where], -e.seconds, e.operation, e.line)):
            rows.append((e.where, e.operation, str(e.times), _time(e.seconds) if e.seconds else "", _size(e.bytes) if e.bytes else "", _short(e.line), e.reason))
        widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
        right = (2, 3, 4)
        for row in rows:
            cells = [cell.rjust(width) if at in right else cell.ljust(width) for at, (cell, width) in enumerate(zip(row, widths, strict=True))]
            lines.append("  ".join(cells).rstrip())
        return "\n".join(lines)

    __repr__ = __str__


def report(*, clear: bool = False) -> Report:
    """What ran where: each operation by the engine (`native`), by Python functions (`host`), by pandas (`raised`: pandas complained) or by Polars, with the reason, the line, the time and the bytes.

    Operations of the engine are planned when they are called and run when somebody looks at a result: `run` entries have that time, at the line that looked.
    """
    found = Report(list(LOG.entries.values()))
    if clear:
        LOG.clear()
    return found


@contextmanager
def strict() -> Iterator[None]:
    """Within it, whatever would be left to pandas is an `airloom.RefusedError` instead, which says why."""
    with options(strict=True):
        yield


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return ""


def _short(line: str) -> str:
    """A line by the last two parts of its file's path."""
    return "/".join(line.split("/")[-2:])

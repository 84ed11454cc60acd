"""What ran where, and why."""

from __future__ import annotations

import sys
import threading
from typing import Any


class Log:
    """Operations by name, place and reason."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str, str, str], list[float]] = {}
        self.forced = 0
        self.lock = threading.Lock()

    def add(self, operation: str, where: str, reason: str, seconds: float = 0.0, bytes: int = 0) -> None:
        key = (operation, where, reason, user_line())
        with self.lock:
            entry = self.entries.setdefault(key, [0, 0.0, 0])
            entry[0] += 1
            entry[1] += seconds
            entry[2] += bytes


LOG = Log()


def ran(seconds: float) -> None:
    LOG.add("run", "native", "", seconds)


def user_line() -> str:
    """The line of the program that asked: the nearest one that is neither ours nor pandas'."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if not module.startswith(("airloom", "pandas")):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def refused(operation: str, reason: str, strict: bool) -> None:
    """Notes that pandas does an operation; an error where that is not allowed."""
    if strict:
        from airloom.errors import RefusedError

        raise RefusedError(f"`{operation}` is left to pandas: {reason} ({user_line()})\n\nhint: leave `airloom.strict()` to let pandas do it")
    LOG.add(operation, "pandas", reason)

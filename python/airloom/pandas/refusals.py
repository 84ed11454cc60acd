"""Why operations are not computed by the engine."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """Why an operation is left to pandas. It never reaches the user, but for strict mode and the report."""


class Stays(Refused):
    """Work that is pandas' by choice, as few rows are: nothing is refused, and nothing reported."""


class Failed(Exception):
    """What went wrong in the world when something was done to it: `error` is the user's, and nobody tries again."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def value_text(value: Any) -> str:
    """A value as a reason has it: as it is written where it is short and plain, else its type. Nothing is computed for it, and it is the same in every run."""
    items = value if type(value) in (list, tuple) and len(value) <= 4 else (value,)
    plain = all(item is None or type(item) in (bool, int, float, str) for item in items)
    text = repr(value) if plain else ""
    return text if 0 < len(text) <= 60 else f"<{type(value).__name__}>"

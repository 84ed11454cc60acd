"""Why operations are not computed by the engine."""

from __future__ import annotations


class Refused(Exception):
    """Why an operation is left to pandas. It never reaches the user, but for strict mode and the report."""


class Stays(Refused):
    """Work that is pandas' by choice, as few rows are: nothing is refused, and nothing reported."""


class Failed(Exception):
    """What went wrong in the world when something was done to it: `error` is the user's, and nobody tries again."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error

"""Why a plan, or a part of it, is not computed by the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class Refused(Exception):
    """Why a node or an expression is left to Polars. It reaches the user only as a `Refusal`."""


@dataclass(frozen=True)
class Refusal:
    """What was refused, in Polars' words, and why. The same plan gives the same refusals in every run."""

    node: str
    reason: str

    def __str__(self) -> str:
        return f"{self.node}: {self.reason}"


class PerformanceWarning(UserWarning):
    """A query, or a part of it, ran on Polars; only for engines that were made with ``warn=True``."""


def value_text(value: Any) -> str:
    """A value as a reason has it: as it is written where it is short and plain, else its type, so that it is the same in every run."""
    plain = value is None or type(value) in (bool, int, float, str)
    text = repr(value) if plain else ""
    return text if 0 < len(text) <= 60 else f"<{type(value).__name__}>"

"""An engine that fails: a backend takes nodes at random, and raises when it is to compute them. Programs must not show it."""

from __future__ import annotations

import random
import zlib
from typing import Any

import airloom

#: One in this number of nodes is taken.
EVERY = 4


class _Failing:
    """Takes nodes by chance, the same for the same program."""

    name = "failing"

    def __init__(self) -> None:
        self.draw = random.Random(0)
        self.failed = 0

    def supports(self, node: Any) -> bool:
        return self.draw.randrange(EVERY) == 0

    def run(self, fragment: Any, inputs: Any) -> Any:
        self.failed += 1
        raise RuntimeError("this engine fails")


_FAILING = _Failing()


def put() -> None:
    """Makes the engine of this process one that fails."""
    airloom.backends.register(_FAILING)


def begin(question: str) -> None:
    """Before a program: which nodes are taken depends on what is asked alone."""
    _FAILING.draw.seed(zlib.crc32(question.encode()))


def count() -> int:
    """How many times a node failed."""
    return _FAILING.failed

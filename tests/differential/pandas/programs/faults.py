"""Defects that were there once, to be put back: the programs must find each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A defect, how it is put into the product, and the seed of a program that finds it."""

    what: str
    put: Callable[[], None]
    seed: int


FAULTS: dict[str, Fault] = {}

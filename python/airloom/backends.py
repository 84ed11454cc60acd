"""Backends: what runs parts of programs. One written in Python is asked what it supports, then given the largest parts that it does."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from airloom import _native
from airloom._native import Function, Node


class Backend(Protocol):
    """What a backend has to have."""

    name: str

    def supports(self, node: Node) -> bool | str:
        """Whether it runs a node, its arguments apart; text is a refusal with its reason."""

    def run(self, fragment: Function, inputs: Sequence[Any]) -> Any:
        """The result of a function made of nodes it supports: anything with `__arrow_c_stream__` for a relation, an array, or a value."""


class Refusal(NamedTuple):
    """Why a backend did not take a node."""

    backend: str
    op: str
    reason: str
    location: str | None


def register(
    backend: str | Backend,
    *,
    supports: Callable[[Node], bool | str] | None = None,
    run: Callable[[Function, Sequence[Any]], Any] | None = None,
) -> None:
    """Registers a backend: an object with `name`, `supports` and `run`, or a name and the two functions."""
    if isinstance(backend, str):
        if supports is None or run is None:
            raise TypeError(f"backend `{backend}` needs `supports=` and `run=`")
        _native.register_backend(backend, supports, run)
    else:
        _native.register_backend(backend.name, backend.supports, backend.run)


def remove(name: str) -> None:
    """Takes a backend away."""
    _native.remove_backend(name)


def list() -> builtins.list[str]:
    """The names of the registered backends, in the order they are asked."""
    return _native.list_backends()


def refusals() -> builtins.list[Refusal]:
    """What the backends refused in the last run."""
    return [Refusal(*row) for row in _native.list_refusals()]


__all__ = ["Backend", "Refusal", "list", "refusals", "register", "remove"]

"""Whether the engine is at work: what it asks of Polars meanwhile is Polars' own to do."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_AT_WORK: ContextVar[bool] = ContextVar("airloom.polars.at_work", default=False)


def is_at_work() -> bool:
    """Whether a query is being translated or run."""
    return _AT_WORK.get()


@contextmanager
def at_work() -> Iterator[None]:
    """Within it the engine is at work."""
    token = _AT_WORK.set(True)
    try:
        yield
    finally:
        _AT_WORK.reset(token)


@contextmanager
def uncollected() -> Iterator[None]:
    """Within it Python does not look for cycles of objects. A translation makes thousands of objects in a millisecond or two, and all of them live until its end."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()

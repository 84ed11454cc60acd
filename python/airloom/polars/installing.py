"""One engine for all queries of a process: lazy ones, and those that a `DataFrame` makes of its own operations."""

from __future__ import annotations

from typing import Any

import polars as pl

from airloom.polars.engine import Engine
from airloom.polars.working import is_at_work

#: Operations of frames with fewer rows are done by Polars before a query is translated.
SMALL = 10_000

_EAGER: Any = pl.LazyFrame._collect_eager
_installed: list[Engine] = []


def install(engine: Engine | None = None) -> None:
    """From now on all queries are collected by an engine, unless another is asked for; so are operations of frames that are not small."""
    uninstall()
    _installed.append(Engine() if engine is None else engine)
    pl.Config.set_engine_affinity(_installed[0])
    pl.LazyFrame._collect_eager = _collect_eager  # type: ignore[method-assign]


def uninstall() -> None:
    """Queries are Polars' again."""
    if _installed:
        _installed.clear()
        pl.Config.set_engine_affinity(None)
        pl.LazyFrame._collect_eager = _EAGER  # type: ignore[method-assign]


def _collect_eager(self: pl.LazyFrame, **given: Any) -> Any:
    """As Polars collects an operation of a frame, by the engine where it can."""
    if _installed and not is_at_work():
        made = _installed[0].collect_operation(self, SMALL, **given)
        if made is not None:
            return made
    return _EAGER(self, **given)

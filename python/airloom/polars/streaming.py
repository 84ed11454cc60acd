"""Queries whose rows go to Polars as they are computed: what Polars writes, or hands out in batches, need not fit the memory."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl
from polars.io.plugins import register_io_source

from airloom import _report as report
from airloom._native import Batches
from airloom._session import Session
from airloom.polars import running
from airloom.polars.reading.plan import nodes
from airloom.polars.translation import Translation
from airloom.polars.working import at_work


class Rows:
    """The rows of one run of a query, which Polars reads once, from first to last."""

    def __init__(self, translation: Translation, options: Mapping[str, Any]) -> None:
        assert translation.schema, "a frame without columns has no rows to hand over"
        self.translation = translation
        self.line = report.user_line()
        self.height = 0
        self.started = time.perf_counter()
        #: What failed, whatever Polars makes of the error.
        self.failed: BaseException | None = None
        with at_work():
            assert translation.function is not None
            self.batches: Batches = Session(**options).stream(translation.function, sources=dict(translation.sources))

    def lazy(self) -> pl.LazyFrame:
        """They as what a query of Polars' reads."""
        return register_io_source(self._frames, schema=dict(self.translation.schema))

    def _frames(self, with_columns: Any, predicate: Any, n_rows: Any, batch_size: Any) -> Iterator[pl.DataFrame]:
        assert with_columns is None and predicate is None and n_rows is None, "all rows of a query are asked for, as they are"
        try:
            for table in self.batches:
                with at_work():
                    frame = running.frame_of(table, self.translation.schema)
                self.height += frame.height
                yield frame
        except Exception as error:
            self.failed = error
            raise
        finally:
            self.batches.close()
        running.told(self.translation, self.height, self.started, self.line)


def can_be_written(translation: Translation, path: Any) -> bool:
    """Whether rows of a query may be written while it still runs: not over a file that it reads, and into a file that is open only where nothing in the data may stop it. What is in such a file stays there; a file by its name Polars writes anew from the beginning."""
    if not translation.schema:
        return False
    assert translation.plan is not None
    reads = [node for node in nodes(translation.plan) if node.name in ("Scan", "PythonScan")]
    if not isinstance(path, (str, os.PathLike)):
        return not reads and not may_stop(translation)
    # Programs and functions of Python may read any file.
    return all(node.name == "Scan" and not any(_may_be(path, read) for read in node.parameters["paths"]) for node in reads)


def _may_be(path: str | os.PathLike[str], read: str) -> bool:
    """Whether a file that is written may be one that is read: itself, by another name, or one of a folder or a pattern."""
    target, source = (os.fspath(name).removeprefix("file://") for name in (path, read))
    if any(character in source for character in "*?["):
        return True
    if os.path.exists(target) and os.path.exists(source) and os.path.samefile(target, source):
        return True
    target, source = os.path.realpath(target), os.path.realpath(source)
    return target == source or target.startswith(os.path.join(source, ""))


def can_be_handed_out(translation: Translation) -> bool:
    """Whether rows of a query may be in somebody's hands while it still runs: Polars could not run it anew behind them."""
    return bool(translation.schema) and not may_stop(translation)


def may_stop(translation: Translation) -> bool:
    """Whether a run may end before its last row because of what is in the data: a cast that does not hold, or something that the engine leaves to Polars when it meets it."""
    assert translation.function is not None
    return translation.function.result.may_raise

"""Running programs, and what crosses to Polars and back."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal

import polars as pl

from airloom import _report as report
from airloom._native import Function, Table
from airloom._session import Session
from airloom.errors import BrokenError
from airloom.polars.physical import frame_to_polars, physical
from airloom.polars.translation import Translation
from airloom.polars.verbose import tell
from airloom.polars.working import at_work


def run(translation: Translation, options: Mapping[str, Any]) -> pl.DataFrame:
    """The frame that a program makes. Its buffers are the engine's: nothing is copied."""
    assert translation.function is not None
    with at_work():
        return _run(translation, translation.function, options)


def _run(translation: Translation, function: Function, options: Mapping[str, Any]) -> pl.DataFrame:
    started = time.perf_counter()
    table = Session(**options).run(function, sources=dict(translation.sources))
    frame = frame_of(table, translation.schema) if translation.schema else pl.DataFrame(height=table.num_rows)
    told(translation, frame.height, started)
    return frame


def frame_of(table: Table, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    """Rows that the engine made, with the dtypes that Polars wants."""
    wanted = pl.Schema({name: physical(dtype) for name, dtype in schema.items()})
    frame = frame_to_polars(pl.DataFrame(_AsPolarsReads(table, wanted)), schema)
    if dict(frame.schema) != dict(schema):
        raise BrokenError(f"the result has the schema {dict(frame.schema)}, expected {dict(schema)}")
    return frame


def told(translation: Translation, height: int, started: float, line: str | None = None) -> None:
    """Notes that the engine made a frame, for the line that asked for it."""
    for read in translation.read_by_polars:
        report.LOG.add(read.node, "polars", read.reason, line=line)
    took = time.perf_counter() - started
    report.LOG.add("collect", "native", line=line)
    report.LOG.add("run", "run", "", took, line=line)
    tell(f"{height} rows in {took * 1e3:.1f} ms", [str(read) for read in translation.read_by_polars])


def explain(translation: Translation, options: Mapping[str, Any], analyze: bool, format: Literal["text", "json"]) -> str:
    """How the program of a query is run."""
    assert translation.function is not None
    return Session(**options).explain(translation.function, sources=dict(translation.sources), analyze=analyze, format=format)


class _AsPolarsReads:
    """A table that hands out its columns in the layouts that Polars has for its dtypes: it reads decimals of 64 bits as if they had 128."""

    def __init__(self, table: Table, schema: pl.Schema) -> None:
        self.table = table
        self.schema = schema

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(self.schema.__arrow_c_schema__())

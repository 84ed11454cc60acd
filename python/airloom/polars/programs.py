"""Programs of airloom's as tables of Polars' queries: rows that another front end makes, and a query over them, are one graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
from polars.io.plugins import register_io_source

from airloom._native import Function
from airloom._session import Session, program_of
from airloom.errors import ProgramError
from airloom.polars import dtypes


@dataclass(frozen=True, eq=False)
class Program:
    """A function of no arguments that makes a relation, and the data of its sources. Polars calls it for its rows where one of its own engines reads them."""

    function: Function
    sources: Mapping[str, Any]

    def frame(self) -> pl.DataFrame:
        """Its rows."""
        return pl.DataFrame(Session().run(self.function, sources=dict(self.sources)))

    def __call__(self, with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None) -> Iterator[pl.DataFrame]:
        frame = self.frame() if with_columns is None else self.frame().select(with_columns)
        frame = frame if predicate is None else frame.filter(predicate)
        yield frame if n_rows is None else frame.head(n_rows)


def scan_program(function: Function | Any, *, sources: Mapping[str, Any] | None = None) -> pl.LazyFrame:
    """A lazy frame of the rows that a program makes: a function of the graph with its sources, or a frame of `airloom.pandas`, whose columns it has. Airloom's engine takes the program into the query's own; Polars' engines run it when they come to it."""
    if not isinstance(function, Function):
        function, sources = program_of(function)
    sources = sources or {}
    result = function.result_type
    if function.params or result.kind != "rel":
        raise ProgramError(f"`scan_program` takes a function of no arguments that makes a relation, found one of type `{result}`")
    schema = {name: dtypes.dtype_of(kind) for name, kind in result.fields.items()}
    return register_io_source(Program(function, sources), schema=schema)

"""The 99 queries of TPC-DS as lazy queries of Polars', written from the questions that the specification asks, with parameters of our own."""

from __future__ import annotations

from collections.abc import Callable

from polars import LazyFrame
from tpcds.queries import q01_to_q12, q13_to_q25, q26_to_q40, q41_to_q58, q59_to_q75, q76_to_q99
from tpcds.shapes import Tables

_MODULES = (q01_to_q12, q13_to_q25, q26_to_q40, q41_to_q58, q59_to_q75, q76_to_q99)

#: Each query by its name, `q01` to `q99`.
QUERIES: dict[str, Callable[[Tables], LazyFrame]] = {name: query for module in _MODULES for name, query in sorted(vars(module).items()) if len(name) == 3 and name[0] == "q" and name[1:].isdigit()}

"""A compiler for dataframe and array programs.

Programs are graphs: `airloom.ir` builds them, `airloom.rules` rewrites them, `airloom.run` runs them.
"""

from airloom import backends, errors, ir, rules
from airloom._native import Array, Column, Stored, Table
from airloom._options import options
from airloom._session import Session, explain, optimize, read_sql, run, scan_parquet, table
from airloom.errors import (
    BrokenError,
    Error,
    IllTypedError,
    MemoryLimitError,
    OptionError,
    ProgramError,
    RaisedError,
    RefusedError,
    RuleError,
)
from airloom.rules import rule

__all__ = [
    "Array",
    "BrokenError",
    "Column",
    "Error",
    "IllTypedError",
    "MemoryLimitError",
    "OptionError",
    "ProgramError",
    "RaisedError",
    "RefusedError",
    "RuleError",
    "Session",
    "Stored",
    "Table",
    "backends",
    "errors",
    "explain",
    "ir",
    "optimize",
    "options",
    "read_sql",
    "rule",
    "rules",
    "run",
    "scan_parquet",
    "table",
]

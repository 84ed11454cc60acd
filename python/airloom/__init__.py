"""A compiler for dataframe and array programs.

Programs are graphs: `airloom.ir` builds them, `airloom.rules` rewrites them, `airloom.run` runs them.
"""

import sys
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from airloom import backends, errors, ir, rules
from airloom._native import Array, Batches, Column, Stored, Table
from airloom._options import options
from airloom._report import Report, report, strict
from airloom._session import Session, explain, optimize, read_sql, run, scan_parquet, stream, table
from airloom.errors import (
    BrokenError,
    ChangedFileError,
    DifferenceError,
    Error,
    FileError,
    IllTypedError,
    MemoryLimitError,
    MissingFileError,
    OptionError,
    ProgramError,
    RaisedError,
    RefusedError,
    RuleError,
    WorldError,
)
from airloom.rules import rule

if TYPE_CHECKING:
    from airloom.functions import guvectorize, jit, kernel, objmode, overload, prange, random_bits, random_unit, reducer, register_type, vectorize


def _keep_code() -> None:
    """Compiled code is kept in the user's cache, or where `AIRLOOM_CODE_CACHE` says; nowhere, where that is empty. Where `AIRLOOM_PERF_MAP` names a folder, `perf` finds its names there."""
    import os

    from airloom import _native

    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.environ.get("AIRLOOM_CODE_CACHE", os.path.join(home, "airloom", "code"))
    if hasattr(_native, "keep_code_in"):
        _native.keep_code_in(folder or None)
        if named := os.environ.get("AIRLOOM_PERF_MAP"):
            _native.name_code_for_perf(named)


_keep_code()


def install(*, polars: bool = False) -> None:
    """Makes `pandas` itself lazy and compiled, for all code that imports it from now on, and inside pandas. With `polars`, queries of Polars and operations of its frames run on the engine too."""
    from airloom.pandas.interface.install import install as put

    put()
    if polars:
        from airloom.polars.installing import install as put_engine

        put_engine()


def uninstall() -> None:
    """Puts pandas' own classes back, and Polars' own engines."""
    from airloom.pandas.interface.install import uninstall as take

    take()
    if "airloom.polars.installing" in sys.modules:
        from airloom.polars.installing import uninstall as take_engine

        take_engine()


def check() -> AbstractContextManager[None]:
    """Within it, whatever the engine does pandas does too, and a difference in anything that a user can see is an `airloom.DifferenceError`."""
    from airloom.pandas.interface.checking import check as checking

    return checking()


def __getattr__(name: str) -> Any:
    # pandas and NumPy are imported only where somebody asks for them.
    if name == "udf":
        from airloom.pandas.udf.engine import ENGINE

        return ENGINE
    if name in ("guvectorize", "jit", "kernel", "objmode", "overload", "prange", "random_bits", "random_unit", "reducer", "register_type", "vectorize"):
        from airloom import functions

        found = globals()[name] = getattr(functions, name)
        return found
    raise AttributeError(f"module `airloom` has no attribute `{name}`")


def load_ipython_extension(shell: object) -> None:
    """`%load_ext airloom` does what `install` does."""
    install()


def unload_ipython_extension(shell: object) -> None:
    uninstall()


__all__ = [
    "Array",
    "Batches",
    "BrokenError",
    "ChangedFileError",
    "Column",
    "DifferenceError",
    "Error",
    "FileError",
    "IllTypedError",
    "MemoryLimitError",
    "MissingFileError",
    "OptionError",
    "ProgramError",
    "RaisedError",
    "RefusedError",
    "Report",
    "RuleError",
    "Session",
    "Stored",
    "Table",
    "WorldError",
    "backends",
    "check",
    "errors",
    "explain",
    "guvectorize",
    "install",
    "ir",
    "jit",
    "kernel",
    "objmode",
    "optimize",
    "options",
    "overload",
    "prange",
    "random_bits",
    "random_unit",
    "read_sql",
    "reducer",
    "register_type",
    "report",
    "rule",
    "rules",
    "run",
    "scan_parquet",
    "stream",
    "strict",
    "table",
    "uninstall",
    "vectorize",
]

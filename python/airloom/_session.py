"""Running: data in, answers out."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from airloom import _native, _recording
from airloom._native import Batches, Function, Stored, Table
from airloom._options import _checked, options


class Session:
    """Tables under the names by which programs ask for them, and options of its own.

    A session holds no lock while a program runs, and stays usable after one was interrupted.
    """

    def __init__(self, sources: Mapping[str, Any] | None = None, **own_options: Any) -> None:
        self._sources: dict[str, Any] = {}
        self._hosts: dict[str, Callable[..., Any]] = {}
        self._options = {name: _checked(name, value) for name, value in own_options.items()}
        for name, source in (sources or {}).items():
            self.register(name, source)

    def register(self, name: str, source: Any) -> None:
        """Gives a source its data: anything with ``__arrow_c_stream__`` for a relation, an array, or a value.

        A table is kept as it is now; what programs find out about it is kept too.
        """
        # A chunked array is a stream too, but not of rows.
        rows = hasattr(source, "__arrow_c_stream__") and (hasattr(source, "columns") or not hasattr(source, "__len__"))
        self._sources[name] = Table(source) if rows else source

    def register_host(self, name: str, function: Callable[..., Any]) -> None:
        """Gives a program that was read, not built, the Python function that it calls by this name."""
        self._hosts[name] = function

    @property
    def sources(self) -> list[str]:
        """The names of the sources."""
        return list(self._sources)

    def run(self, function: Function, *args: Any, sources: Mapping[str, Any] | None = None) -> Any:
        """The result of a function: a `Table`, an `Array`, a value of Python, or a tuple or dict of such."""
        with options(**self._options):
            return _run(function, args, {**self._sources, **(sources or {})}, self._hosts)

    def stream(self, function: Function, *args: Any, sources: Mapping[str, Any] | None = None) -> Batches:
        """The rows of a function, as an iterator of tables, in order, while they are computed; see `airloom.stream`."""
        with options(**self._options):
            return _native.stream(function, args, {**self._sources, **(sources or {})}, self._hosts, options.resolved())

    def explain(
        self,
        function: Function,
        *args: Any,
        sources: Mapping[str, Any] | None = None,
        analyze: bool = False,
        format: Literal["text", "json"] = "text",
    ) -> str:
        """What the rules make of a function and how it is run; see `airloom.explain`."""
        with options(**self._options):
            given = {**self._sources, **(sources or {})}
            return _native.explain(function, args, given, self._hosts, options.resolved(), analyze, format)

    def optimize(self, function: Function) -> Function:
        """What the rules make of a function."""
        with options(**self._options):
            return _native.optimize(function, options.resolved())

    def __repr__(self) -> str:
        return f"<session with {', '.join(self._sources) or 'no sources'}>"


def run(
    function: Function, *args: Any, sources: Mapping[str, Any] | None = None, hosts: Mapping[str, Callable[..., Any]] | None = None
) -> Any:
    """Runs a function once: `Session` keeps sources for several runs."""
    return _run(function, args, dict(sources or {}), dict(hosts or {}))


def _run(function: Function, args: tuple[Any, ...], sources: dict[str, Any], hosts: dict[str, Callable[..., Any]]) -> Any:
    result = _native.run(function, args, sources, hosts, options.resolved())
    if _recording.ACTIVE and not args:
        _recording.ran(function, sources, result)
    return result


def stream(
    function: Function, *args: Any, sources: Mapping[str, Any] | None = None, hosts: Mapping[str, Callable[..., Any]] | None = None
) -> Batches:
    """The rows of a function, as an iterator of tables, in order, while they are computed: a result need not fit the memory.

    The run begins at once, and waits while nobody takes its rows; it ends with the last of them, by ``close()``, or when the iterator is let go of. What it raises is raised by the iterator, after the rows that
    came before.
    """
    return _native.stream(function, args, dict(sources or {}), dict(hosts or {}), options.resolved())


def explain(
    function: Any,
    *args: Any,
    sources: Mapping[str, Any] | None = None,
    hosts: Mapping[str, Callable[..., Any]] | None = None,
    analyze: bool = False,
    format: Literal["text", "json"] = "text",
) -> str:
    """What the rules make of a function, on which of your lines they fired, its physical plan, and which backend runs which part.

    With ``analyze`` the function is run, and its physical plan tells what each node made and what that took. ``format="json"`` gives the physical plan alone, as
    JSON. Arguments and sources are needed only with ``analyze``; without them nothing is known of the data.

    In place of a function it takes a frame or a series of `airloom.pandas`, or an array of `airloom.numpy`, and tells how the data that nobody has looked at yet are computed. A function of Python's is called with the arguments: all that it runs, of frames of pandas and Polars, arrays and
    compiled functions, is told as one graph, and how many arrays pass from one part of it to another without a copy.
    """
    if not isinstance(function, Function):
        return _explain_captured(function, args, sources, hosts, analyze, format)
    return _native.explain(function, args, dict(sources or {}), dict(hosts or {}), options.resolved(), analyze, format)


def _explain_captured(given: Any, args: Any, sources: Any, hosts: Any, analyze: bool, format: Literal["text", "json"]) -> str:
    # Who has a frame or an array of ours has imported what makes them.
    if "airloom.numpy" in sys.modules:
        from airloom import numpy as arrays

        if isinstance(given, arrays.ndarray):
            if args or sources or hosts or analyze:
                raise TypeError("an array has its data, and is not computed here: it takes no arguments, sources or hosts, and no `analyze`")
            return arrays.explain(given, format)
    if "airloom.pandas" in sys.modules:
        from airloom.pandas.interface import explaining

        if explaining.is_ours(given):
            if args or sources or hosts:
                raise TypeError("a frame or a series has its data: it takes no arguments, sources or hosts")
            return explaining.explain(given, analyze, format)
    if callable(given):
        if sources or hosts or analyze:
            raise TypeError("a program has its data, and is called once: it takes no sources or hosts, and no `analyze`")
        return _recording.explained(given, args, format)
    raise TypeError(f"expected a function, a program, a frame or a series of airloom.pandas, or an array of airloom.numpy, found `{type(given).__name__}`")


def program_of(given: Any) -> tuple[Function, dict[str, Any]]:
    """The program that makes the columns of a frame of `airloom.pandas`, and its sources."""
    if "airloom.pandas" in sys.modules:
        from airloom.pandas.interface import explaining

        if explaining.is_ours(given) and given.ndim == 2:
            return explaining.program(given)
    raise TypeError(f"expected a function of the graph or a frame of airloom.pandas, found `{type(given).__name__}`")


def optimize(function: Function) -> Function:
    """What the rules make of a function."""
    return _native.optimize(function, options.resolved())


def table(source: Any) -> Table:
    """A table of anything with ``__arrow_c_stream__`` or ``__arrow_c_array__``; its buffers are shared, not copied."""
    return Table(source)


def scan_parquet(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> Stored:
    """The table in one Parquet file or several, or in all those of a folder: read when a program runs, and only as far as it asks."""
    given = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    return _native.scan_parquet([os.fspath(path) for path in given])


def read_sql(connection: str | os.PathLike[str], table_or_query: str) -> Stored:
    """A table, a view or the rows of a query of a database: ``postgres://user@host/database``, ``sqlite:///path``, or the path of a SQLite file.

    What a program does with it is left to the database as far as its SQL means exactly the same; `explain` shows the text that is sent.
    """
    return _native.read_sql(os.fspath(connection), table_or_query)

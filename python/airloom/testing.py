"""What tests of programs ask: that the engine gives what the library gives that a program was written for, and that it says why where it does not run it.

    from airloom.testing import assert_engine_result_equal, assert_translation_refused

A program is a lazy query of Polars, or a function of pandas' frames with the frames to call it with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from airloom.errors import DifferenceError

if TYPE_CHECKING:
    import polars as pl

    from airloom.polars import Engine


def assert_engine_result_equal(
    program: pl.LazyFrame | Callable[..., Any],
    *arguments: Any,
    engine: Engine | None = None,
    check_row_order: bool = True,
    check_exact: bool = False,
    rel_tol: float = 1e-9,
    abs_tol: float = 1e-9,
    optimizations: pl.QueryOptFlags | None = None,
) -> None:
    """Fails where a program gives another result on the engine than on the library it was written for: other columns, dtypes, labels, rows or values, or another kind of error.

    A query of Polars is collected by both. A function is called with the ``arguments`` as they are, and with frames of `airloom.pandas` in place of pandas' own. Nothing may be
    left to the library: what is refused is an `airloom.RefusedError`, unless an ``engine`` is given that lets Polars do it. Floats are compared with tolerances unless they must
    be exact, as sums of floats differ in the last digits between two runs; a function's by ``rel_tol`` alone. ``optimizations`` and ``check_row_order`` are for queries.
    """
    if callable(program):
        _assert_function_equal(program, arguments, 0.0 if check_exact else rel_tol)
        return
    if arguments:
        raise TypeError("a query takes no arguments: they are for functions of frames")
    import polars as pl
    from polars.testing import assert_frame_equal

    from airloom.polars import Engine

    flags = pl.QueryOptFlags() if optimizations is None else optimizations
    try:
        expected = program.collect(engine="streaming", optimizations=flags)
    except Exception as error:
        _assert_raises_alike(lambda: program.collect(engine=Engine(), optimizations=flags), error, "Polars")
        return
    found = program.collect(engine=Engine(raise_on_fail=True) if engine is None else engine, optimizations=flags)
    if dict(found.schema) != dict(expected.schema) or list(found.columns) != list(expected.columns):
        raise DifferenceError(f"the engine gives the schema {dict(found.schema)}, Polars gives {dict(expected.schema)}")
    try:
        assert_frame_equal(found, expected, check_row_order=check_row_order, check_exact=check_exact, rel_tol=rel_tol, abs_tol=abs_tol)
    except AssertionError as error:
        raise DifferenceError(f"the engine gives another frame than Polars: {error}") from error


def assert_translation_refused(program: pl.LazyFrame | Callable[..., Any], reason: str, *arguments: Any) -> None:
    """Fails where a program runs on the engine alone, or where none of the reasons for leaving some of it to the library has this text."""
    told, library = (_reasons_of_function(program, arguments), "pandas") if callable(program) else (_reasons_of_query(program), "Polars")
    if not told:
        raise DifferenceError(f"nothing is left to {library}, and something should be refused because `{reason}`")
    if not any(reason in one for one in told):
        raise DifferenceError(f"some is left to {library}, but not because `{reason}`:\n" + "\n".join(f"  {one}" for one in told))


def _assert_raises_alike(run: Callable[[], Any], expected: Exception, library: str) -> None:
    """Fails where the engine does not lead to the kind of error that the library raises."""
    try:
        run()
    except Exception as error:
        if type(error) is not type(expected):
            raise DifferenceError(f"the engine raises `{type(error).__name__}`, {library} raises `{type(expected).__name__}`: {expected}") from error
        return
    raise DifferenceError(f"the engine gives a result, {library} raises `{type(expected).__name__}`: {expected}")


def _reasons_of_query(query: pl.LazyFrame) -> list[str]:
    from airloom.polars import translate

    return [str(refusal) for refusal in translate(query).refusals]


def _assert_function_equal(function: Callable[..., Any], arguments: tuple[Any, ...], tolerance: float) -> None:
    from airloom import strict
    from airloom.pandas.interface.checking import same

    try:
        expected = function(*map(_plain, arguments))
    except Exception as error:
        _assert_raises_alike(lambda: _on_the_engine(function, arguments), error, "pandas")
        return
    with strict():
        found = _on_the_engine(function, arguments)
    try:
        same(found, expected, tolerance)
    except AssertionError as error:
        raise DifferenceError(f"the engine gives another result than pandas: {error}") from error


def _reasons_of_function(function: Callable[..., Any], arguments: tuple[Any, ...]) -> list[str]:
    """Why operations of a function were left to pandas: what was added to the report while it ran."""
    from airloom._report import LOG

    before = {key: entry.times for key, entry in LOG.entries.items()}
    _on_the_engine(function, arguments)
    added = [entry for key, entry in LOG.entries.items() if entry.where in ("pandas", "raised") and entry.times > before.get(key, 0)]
    return [f"{entry.operation}: {entry.reason}" for entry in added]


def _on_the_engine(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The result of a function of frames, on the engine, however few rows they have."""
    from airloom.pandas.dispatch import choice

    before = choice.settings.threshold
    choice.settings.threshold = 0
    try:
        return _looked_at(function(*map(_ours, arguments)))
    finally:
        choice.settings.threshold = before


def _ours(value: Any) -> Any:
    """A frame or a series of `airloom.pandas` in place of pandas' own."""
    import pandas

    from airloom import pandas as frames

    if isinstance(value, pandas.DataFrame):
        return frames.DataFrame(_plain(value))
    return frames.Series(_plain(value)) if isinstance(value, pandas.Series) else value


def _plain(value: Any) -> Any:
    """A frame or a series of pandas' own class: another one each time, so that a function that writes to it changes nothing of the caller's."""
    import pandas

    from airloom.pandas.dispatch.wrapping import plain

    return plain(value).copy() if isinstance(value, (pandas.DataFrame, pandas.Series)) else value


def _looked_at(value: Any) -> Any:
    """A result that has been computed: frames and series are computed when somebody looks."""
    import pandas

    if isinstance(value, (pandas.DataFrame, pandas.Series)):
        _plain(value)
    elif isinstance(value, (list, tuple)):
        for one in value:
            _looked_at(one)
    return value


__all__ = ["assert_engine_result_equal", "assert_translation_refused"]

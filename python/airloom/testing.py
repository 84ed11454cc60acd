"""What tests of programs ask: that the engine gives what the library gives that a program was written for, and that it says why where it does not run it.

    from airloom.testing import assert_engine_result_equal, assert_translation_refused
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airloom.errors import DifferenceError

if TYPE_CHECKING:
    import polars as pl

    from airloom.polars import Engine


def assert_engine_result_equal(
    lf: pl.LazyFrame,
    *,
    engine: Engine | None = None,
    check_row_order: bool = True,
    check_exact: bool = False,
    rel_tol: float = 1e-9,
    abs_tol: float = 1e-9,
    optimizations: pl.QueryOptFlags | None = None,
) -> None:
    """Fails where a query gives another frame on the engine than on Polars: other columns, dtypes, rows or values, or another kind of error.

    Without an ``engine`` nothing may be left to Polars: what is refused is an `airloom.RefusedError`. Floats are compared with tolerances unless they must be
    exact, as sums of floats differ in the last digits between two runs of Polars.
    """
    import polars as pl
    from polars.testing import assert_frame_equal

    from airloom.polars import Engine

    flags = pl.QueryOptFlags() if optimizations is None else optimizations
    try:
        expected = lf.collect(engine="streaming", optimizations=flags)
    except Exception as error:
        _assert_raises_alike(lf, error, flags)
        return
    found = lf.collect(engine=Engine(raise_on_fail=True) if engine is None else engine, optimizations=flags)
    if dict(found.schema) != dict(expected.schema) or list(found.columns) != list(expected.columns):
        raise DifferenceError(f"the engine gives the schema {dict(found.schema)}, Polars gives {dict(expected.schema)}")
    try:
        assert_frame_equal(found, expected, check_row_order=check_row_order, check_exact=check_exact, rel_tol=rel_tol, abs_tol=abs_tol)
    except AssertionError as error:
        raise DifferenceError(f"the engine gives another frame than Polars: {error}") from error


def _assert_raises_alike(lf: pl.LazyFrame, expected: Exception, flags: pl.QueryOptFlags) -> None:
    """Fails where the engine does not lead to the kind of error that Polars raises."""
    from airloom.polars import Engine

    try:
        lf.collect(engine=Engine(), optimizations=flags)
    except Exception as error:
        if type(error) is not type(expected):
            raise DifferenceError(f"the engine raises `{type(error).__name__}`, Polars raises `{type(expected).__name__}`: {expected}") from error
        return
    raise DifferenceError(f"the engine gives a frame, Polars raises `{type(expected).__name__}`: {expected}")


def assert_translation_refused(lf: pl.LazyFrame, reason: str) -> None:
    """Fails where a query is translated, or where none of the reasons for leaving it to Polars has this text."""
    from airloom.polars import translate

    translation = translate(lf)
    if translation.function is not None:
        raise DifferenceError(f"the query is translated, and should be refused because `{reason}`")
    told = [str(refusal) for refusal in translation.refusals]
    if not any(reason in one for one in told):
        raise DifferenceError(f"the query is refused, but not because `{reason}`:\n" + "\n".join(f"  {one}" for one in told))


__all__ = ["assert_engine_result_equal", "assert_translation_refused"]

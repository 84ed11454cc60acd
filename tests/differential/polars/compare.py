"""The same query on Polars and on airloom's engine: schema, values, nulls, signs of zeros, and order, or the same kind of error."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from airloom.polars import Engine

#: Nothing may be left to Polars.
STRICT = Engine(raise_on_fail=True)
#: What fails on the engine runs on Polars, which raises its own error.
LENIENT = Engine()


def same(query: pl.LazyFrame, *, ordered: bool = True, close: bool = False) -> None:
    """Compares what both make of a query: to the bit or, where sums of floats are in it, as closely as Polars compares them itself."""
    try:
        expected = query.collect()
    except Exception as error:
        complaint: Exception | None = error
    else:
        complaint = None
    if complaint is not None:
        try:
            query.collect(engine=LENIENT)
        except Exception as error:
            assert type(error) is type(complaint), f"{error!r}, expected {complaint!r}"
            return
        raise AssertionError(f"nothing was raised, expected {complaint!r}")
    found = query.collect(engine=STRICT)
    assert_same(found, expected, ordered=ordered, close=close)


def same_or_left(query: pl.LazyFrame) -> None:
    """Compares what both make of a query that the engine may leave to Polars, whose error it then raises."""
    try:
        expected = query.collect()
    except pl.exceptions.PolarsError as error:
        with pytest.raises(type(error)):
            query.collect(engine=LENIENT)
    else:
        assert_same(query.collect(engine=LENIENT), expected)


def assert_same(found: pl.DataFrame, expected: pl.DataFrame, *, ordered: bool = True, close: bool = False) -> None:
    """Fails where two frames differ."""
    assert dict(found.schema) == dict(expected.schema), f"{found.schema}, expected {expected.schema}"
    if not ordered:
        found, expected = sorted_rows(found), sorted_rows(expected)
    assert_frame_equal(found, expected, check_exact=not close, rel_tol=1e-9, abs_tol=1e-9)
    if not close:
        for name, dtype in expected.schema.items():
            if dtype in (pl.Float32, pl.Float64):
                assert signs(found[name]) == signs(expected[name]), f"signs of zeros of {name!r}: {found[name].to_list()}, expected {expected[name].to_list()}"


def sorted_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows in an order of their own; floats last, so that what differs in the last digit stays in its row."""
    names = [name for name, dtype in frame.schema.items() if not dtype.is_float() and not dtype.is_nested()]
    names += [name for name, dtype in frame.schema.items() if dtype.is_float()]
    return frame.sort(names, nulls_last=True) if names else frame


def signs(series: pl.Series) -> list[Any]:
    """Of each value whether it is a negative zero."""
    return [value == 0 and str(value).startswith("-") for value in series.to_list() if value is not None]

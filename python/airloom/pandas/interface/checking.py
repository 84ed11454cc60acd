"""Doing everything twice, and telling where two results differ in anything that a user can see."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas
import pandas.testing

from airloom.errors import DifferenceError
from airloom.pandas.dispatch import choice
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dispatch.wrapping import plain
from airloom.pandas.dtypes import kinds

#: How far sums and the like of floats may be apart, which add up in another order.
TOLERANCE = 1e-9

#: Methods that write to files.
WRITERS = frozenset(("to_csv", "to_parquet", "to_feather", "to_json"))


@contextmanager
def check() -> Iterator[None]:
    """Within it, every operation of the engine is done by pandas too, at once, and compared."""
    before = choice.settings.check
    choice.settings.check = compare
    try:
        yield
    finally:
        choice.settings.check = before


def compare(label: str, found: Any, base: Callable[..., Any], value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Does an operation by pandas too, on copies of pandas' own class, and compares. What was written somewhere is not written again."""
    if label.partition(".")[2] in WRITERS and found is None:
        return
    try:
        expected = base(plain(value), *map(plain, args), **{name: plain(item) for name, item in kwargs.items()})
    except Exception as error:
        raise DifferenceError(f"`{label}`: pandas raises {type(error).__name__}: {error}, and airloom does not") from error
    try:
        same(found, expected, TOLERANCE)
    except AssertionError as error:
        raise DifferenceError(f"`{label}` differs from pandas: {error}") from None


def same(found: Any, expected: Any, rtol: float) -> None:
    """Fails where two results differ in anything that a user can see: values, dtypes, order, labels and their class, names, zeros' signs."""
    expected = plain(expected)
    close: dict[str, Any] = {"check_exact": False, "rtol": rtol, "atol": rtol} if rtol else {"check_exact": True}
    if isinstance(expected, BaseDataFrame):
        assert isinstance(found, BaseDataFrame), f"{type(found)} in place of a frame"
        pandas.testing.assert_frame_equal(plain(found), expected, check_index_type="exact", check_column_type="exact", check_flags=True, **close)
        _kinds(list(plain(found).dtypes), list(expected.dtypes))
        _signs(plain(found), expected)
    elif isinstance(expected, BaseSeries):
        assert isinstance(found, BaseSeries), f"{type(found)} in place of a series"
        pandas.testing.assert_series_equal(plain(found), expected, check_index_type="exact", check_flags=True, **close)
        _kinds([plain(found).dtype], [expected.dtype])
        _signs(plain(found), expected)
    elif isinstance(expected, pandas.Index):
        assert type(found) is type(expected), f"{type(found)} in place of {type(expected)}"
        pandas.testing.assert_index_equal(found, expected, exact=True)
    elif isinstance(expected, (np.ndarray, pandas.api.extensions.ExtensionArray)):
        assert type(found) is type(expected), f"{type(found)} in place of {type(expected)}"
        assert kinds.same(found.dtype, expected.dtype), f"{found.dtype} in place of {expected.dtype}"
        pandas.testing.assert_series_equal(BaseSeries(found), BaseSeries(expected), **close)
    elif isinstance(expected, (list, tuple)):
        assert type(found) is type(expected) and len(found) == len(expected), f"{found!r} in place of {expected!r}"
        for one, other in zip(found, expected, strict=True):
            same(one, other, rtol)
    elif isinstance(expected, Mapping):
        assert list(found) == list(expected), f"{list(found)} in place of {list(expected)}"
        for key in expected:
            same(found[key], expected[key], rtol)
    else:
        assert type(found) is type(expected), f"{found!r} ({type(found)}) in place of {expected!r} ({type(expected)})"
        _same_value(found, expected, rtol)


def _same_value(found: Any, expected: Any, rtol: float) -> None:
    if isinstance(expected, (float, np.floating)):
        equal = (math.isnan(expected) and math.isnan(found)) or found == expected or math.isclose(found, expected, rel_tol=rtol, abs_tol=rtol)
    elif expected is pandas.NaT or expected is pandas.NA:
        equal = found is expected
    elif isinstance(expected, (str, int, bytes, bool, np.generic, pandas.Timestamp, pandas.Timedelta)) or expected is None:
        equal = bool(found == expected)
    else:
        # Objects of other classes, such as groups, are compared by what is asked of them.
        equal = True
    assert equal, f"{found!r} in place of {expected!r}"


def _kinds(found: list[Any], expected: list[Any]) -> None:
    """Dtypes that pandas takes for equal are not always the same."""
    assert all(map(kinds.same, found, expected)), f"{found} in place of {expected}"


def _signs(found: Any, expected: Any) -> None:
    """Zeros of different signs compare equal, but are not the same."""
    for one, other in zip(_floats(found), _floats(expected), strict=True):
        zero = other == 0
        assert (np.signbit(one)[zero] == np.signbit(other)[zero]).all(), "the sign of a zero"


def _floats(value: Any) -> list[np.ndarray[Any, Any]]:
    columns = [value.iloc[:, at] for at in range(value.shape[1])] if value.ndim == 2 else [value]
    return [column.to_numpy() for column in columns if isinstance(column.dtype, np.dtype) and column.dtype.kind == "f"]

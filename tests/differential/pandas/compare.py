"""Running a program on pandas and on airloom, and telling where they differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas
import pandas.testing

import airloom.pandas
from airloom.pandas import report
from airloom.pandas.face.dispatch import BaseDataFrame, BaseSeries, plain

Program = Callable[..., Any]


def check(program: Program, *frames: Any, native: bool = True, rtol: float = 0.0) -> None:
    """Runs `program(pd, *frames)` on both and compares exactly: values, dtypes, order, labels and their class, names, exceptions and what they say.

    With `native`, nothing may have been left to pandas, but for what raises. Only sums and the like of floats, which add up in another order, need `rtol`.
    """
    expected = _outcome(program, pandas, [_copy(frame) for frame in frames])
    ours = [_ours(_copy(frame)) for frame in frames]
    report.LOG.entries.clear()
    found = _outcome(program, airloom.pandas, ours)
    left = {(operation, reason) for operation, where, reason, _ in report.LOG.entries if where == "pandas"}
    same(found, expected, rtol)
    for frame, before in zip(ours, frames, strict=True):
        if not getattr(program, "writes", False):
            same(frame, before, 0.0)
    if native and not isinstance(expected, Exception):
        assert not left, f"left to pandas: {left}"


def writes(program: Program) -> Program:
    """Marks a program that changes its frames in place."""
    program.writes = True  # type: ignore[attr-defined]
    return program


def _outcome(program: Program, module: Any, frames: list[Any]) -> Any:
    try:
        result = program(module, *frames)
        return _forced(result)
    except Exception as error:
        return error


def _forced(result: Any) -> Any:
    if isinstance(result, (BaseDataFrame, BaseSeries)):
        result._mgr  # noqa: B018
        return result
    if isinstance(result, (list, tuple)):
        return type(result)(_forced(item) for item in result) if type(result) in (list, tuple) else result
    if isinstance(result, dict):
        return {key: _forced(item) for key, item in result.items()}
    return result


def _copy(frame: Any) -> Any:
    return frame.copy(deep=True) if isinstance(frame, (BaseDataFrame, BaseSeries)) else frame


def _ours(value: Any) -> Any:
    if isinstance(value, BaseDataFrame):
        return airloom.pandas.DataFrame(value)
    if isinstance(value, BaseSeries):
        return airloom.pandas.Series(value)
    return value


def same(found: Any, expected: Any, rtol: float) -> None:
    """Fails where two results differ in anything that a user can see."""
    if isinstance(expected, Exception) or isinstance(found, Exception):
        if isinstance(found, Exception) and not isinstance(expected, Exception):
            raise found
        assert type(found) is type(expected), f"{found!r} in place of {expected!r}"
        assert str(found) == str(expected)
        return
    close = {"check_exact": False, "rtol": rtol, "atol": rtol} if rtol else {"check_exact": True}
    if isinstance(expected, BaseDataFrame):
        assert isinstance(found, BaseDataFrame), f"{type(found)} in place of a frame"
        pandas.testing.assert_frame_equal(plain(found), expected, check_index_type="exact", check_column_type="exact", check_flags=True, **close)
        signs(found, expected)
    elif isinstance(expected, BaseSeries):
        assert isinstance(found, BaseSeries), f"{type(found)} in place of a series"
        pandas.testing.assert_series_equal(plain(found), expected, check_index_type="exact", check_flags=True, **close)
        signs(found, expected)
    elif isinstance(expected, pandas.Index):
        assert type(found) is type(expected)
        pandas.testing.assert_index_equal(found, expected, exact=True)
    elif isinstance(expected, (np.ndarray, pandas.api.extensions.ExtensionArray)):
        assert type(found) is type(expected)
        assert found.dtype == expected.dtype
        pandas.testing.assert_series_equal(BaseSeries(found), BaseSeries(expected), **close)
    elif isinstance(expected, (list, tuple)):
        assert type(found) is type(expected) and len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other, rtol)
    elif isinstance(expected, Mapping):
        assert list(found) == list(expected)
        for key in expected:
            same(found[key], expected[key], rtol)
    else:
        assert type(found) is type(expected), f"{found!r} ({type(found)}) in place of {expected!r} ({type(expected)})"
        if isinstance(expected, (float, np.floating)):
            assert (math.isnan(expected) and math.isnan(found)) or found == expected or math.isclose(found, expected, rel_tol=rtol, abs_tol=rtol)
        else:
            assert found == expected or (expected is pandas.NaT and found is pandas.NaT) or (expected is pandas.NA and found is pandas.NA)


def signs(found: Any, expected: Any) -> None:
    """Zeros of different signs compare equal, but are not the same."""
    for one, other in zip(_floats(found), _floats(expected), strict=True):
        zero = other == 0
        assert (np.signbit(one)[zero] == np.signbit(other)[zero]).all(), "the sign of a zero"


def _floats(value: Any) -> list[np.ndarray[Any, Any]]:
    columns = [value.iloc[:, at] for at in range(value.shape[1])] if value.ndim == 2 else [value]
    return [column.to_numpy() for column in columns if isinstance(column.dtype, np.dtype) and column.dtype.kind == "f"]

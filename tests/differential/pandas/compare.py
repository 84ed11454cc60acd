"""Running a program on pandas and on airloom, and telling where they differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas

import airloom.pandas
from airloom import _report as report
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.interface.checking import same

Program = Callable[..., Any]

#: What the programs of these tests showed: operations that the engine did, and reasons for which others were left to pandas.
NATIVE: set[str] = set()
LEFT: dict[str, set[str]] = {}


def check(program: Program, *frames: Any, native: bool = True, rtol: float = 0.0) -> None:
    """Runs `program(pd, *frames)` on both and compares exactly: values, dtypes, order, labels and their class, names, exceptions and what they say.

    With `native`, nothing may have been left to pandas, but for what raises. Only sums and the like of floats, which add up in another order, need `rtol`.
    """
    expected = _outcome(program, pandas, [_copy(frame) for frame in frames])
    ours = [_ours(_copy(frame)) for frame in frames]
    report.LOG.clear()
    found = _outcome(program, airloom.pandas, ours)
    left = {(operation, reason) for operation, where, reason, _ in report.LOG.entries if where == "pandas"}
    NATIVE.update(operation for operation, where, _, _ in report.LOG.entries if where == "native")
    for operation, reason in left:
        LEFT.setdefault(operation, set()).add(reason)
    same_outcome(found, expected, rtol)
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


def same_outcome(found: Any, expected: Any, rtol: float) -> None:
    """Fails where two results differ, or two exceptions do."""
    if isinstance(expected, Exception) or isinstance(found, Exception):
        if isinstance(found, Exception) and not isinstance(expected, Exception):
            raise found
        assert type(found) is type(expected), f"{found!r} in place of {expected!r}"
        assert str(found) == str(expected)
        return
    same(found, expected, rtol)

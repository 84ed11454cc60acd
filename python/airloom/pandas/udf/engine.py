"""Python functions compiled for plain pandas: what `series.map(function, engine=airloom.udf)` and `frame.apply(function, axis=1, engine=airloom.udf)` ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas.api.executors import BaseExecutionEngine

from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.wrapping import is_ours, plain


class _Executor(BaseExecutionEngine):
    """Does by a frame of ours what pandas hands over; what cannot be compiled is called row by row, as without an engine."""

    @staticmethod
    def map(data: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], decorator: Any, skip_na: bool) -> Any:
        if isinstance(data, np.ndarray):
            return pandas.Series(data.ravel()).map(lambda value: func(value, *args, **kwargs)).to_numpy().reshape(data.shape)
        return _as_given(data, adopted(data).map(_bound(func, args, kwargs), na_action="ignore" if skip_na else None))

    @staticmethod
    def apply(data: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], decorator: Any, axis: Any) -> Any:
        if isinstance(data, np.ndarray):
            along = 1 if axis in (1, "columns") else 0
            return np.apply_along_axis(func, along, data, *args, **kwargs)
        return _as_given(data, adopted(data).apply(func, axis=axis, args=args, **kwargs))


def _bound(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return (lambda value: func(value, *args, **kwargs)) if args or kwargs else func


def _as_given(data: Any, result: Any) -> Any:
    """Plain pandas in, plain pandas out."""
    return result if is_ours(data) else plain(result)


class Engine:
    """The engine itself: pandas looks for what executes on it."""

    __pandas_udf__ = _Executor

    def __repr__(self) -> str:
        return "airloom.udf"


ENGINE = Engine()

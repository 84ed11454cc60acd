"""Rows and columns by keys of any kind: pandas is asked what they mean, with a frame of positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.algorithms.relocate import relocated
from airloom.pandas.algorithms.take import at_positions
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.calls import invoke
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dispatch.wrapping import wrap
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.internals import materialize
from airloom.pandas.plan.frame import Frame, Vector
from airloom.pandas.refusals import Refused


def columns_asked(frame: Frame, change: Any) -> Any:
    """The columns that pandas chooses, or the order it puts them in: `change` is its own, of a frame of one row whose values are the positions of columns."""
    model = adopted(BaseDataFrame(np.arange(len(frame.columns))[np.newaxis, :], columns=frame.labels))
    result = ask_pandas(lambda: change(model))
    if isinstance(result, BaseSeries) and len(result) == 1 and len(frame.columns):
        return Vector(frame.rows, frame.columns[int(result.iloc[0])], result.name, frame.index)
    if not isinstance(result, BaseDataFrame) or len(result) != 1:
        raise Refused("a key that selects no columns")
    positions = result.iloc[0].to_numpy() if len(result.columns) else np.empty(0, np.int64)
    if positions.dtype.kind not in "iu":
        raise Refused("a key with labels that are not columns")
    return frame.with_columns([frame.columns[position] for position in positions.tolist()], result.columns)


def by_key(plan: Any, key: Any, indexer: str) -> Any:
    """What `loc`, `iloc` or brackets choose."""
    key = tuple(_called(plan, part) for part in key) if type(key) is tuple else _called(plan, key)
    if isinstance(plan, Frame) and plan.columns and (isinstance(key, slice) or (indexer and type(key) is not tuple) or _is_mask(key)):
        found = _rows_asked(plan, key, indexer)
        if found is not None:
            return found
    if indexer == "":
        return relocated(plan, lambda model: model[key])
    made = relocated(plan, lambda model: getattr(model, indexer)[key])
    if isinstance(plan, Frame) and isinstance(made, Vector) and made.column.dtype == types.OBJECT and len(kinds.distinct(column.dtype for column in plan.columns)) > 1:
        raise Refused("a row of several dtypes, whose values pandas takes one by one")
    return made


def _is_mask(key: Any) -> bool:
    """Whether this is a mask of rows, which a frame takes in brackets too."""
    return isinstance(key, BaseSeries) and types.is_bool(key.dtype)


def _rows_asked(frame: Frame, key: Any, indexer: str) -> Any:
    """Rows that pandas chooses of a frame of one column, whose values are the positions of rows; none where it is no frame that it makes."""
    labels = materialize.restored_index(frame.rows, frame.index)
    model = adopted(BaseDataFrame({0: np.arange(len(labels))}, index=labels))
    result = ask_pandas(lambda: getattr(model, indexer)[key] if indexer else model[key])
    return at_positions(frame, result.iloc[:, 0].to_numpy(), result.index) if isinstance(result, BaseDataFrame) else None


def _called(plan: Any, key: Any) -> Any:
    """What a function makes of the plan, in place of the function."""
    if callable(key) and not isinstance(key, type):
        key = invoke(key, wrap(plan))
    if isinstance(key, BaseDataFrame):
        raise Refused("a DataFrame as key")
    return key

"""What a frame is after something is put into it, or taken out of it, in place."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas
from pandas.api.types import is_list_like

from airloom.pandas.algorithms import elementwise
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dispatch.wrapping import plan_of
from airloom.pandas.dtypes import types
from airloom.pandas.indexing import loc as loc_indexer
from airloom.pandas.indexing.getitem import column_for, inserted, mask_over, with_column
from airloom.pandas.plan.frame import Frame, Vector
from airloom.pandas.refusals import Refused, value_text


def is_label(key: Any) -> bool:
    return isinstance(key, (str, int, np.integer)) and not isinstance(key, bool)


def put(frame: Frame, key: Any, value: Any) -> Frame:
    """`frame[key] = value`."""
    if is_label(key):
        return with_column(frame, key, value)
    if isinstance(key, BaseSeries) and types.is_bool(key.dtype):
        return loc_indexer.put_by_mask(frame, key, value)
    if isinstance(key, BaseDataFrame):
        return loc_indexer.put_by_masks(frame, plan_of(key), value)
    if isinstance(key, list) and key and all(is_label(item) for item in key):
        return _put_columns(frame, key, value)
    raise Refused(f"a key of type `{type(key).__name__}`")


def _put_columns(frame: Frame, labels: list[Hashable], value: Any) -> Frame:
    if isinstance(value, BaseDataFrame):
        far = plan_of(value)
        if len(far.columns) != len(labels) or not frame.labels.is_unique or not far.labels.is_unique:
            raise Refused(f"{len(far.columns)} columns for {len(labels)} labels, or duplicate column labels")
        from airloom.pandas.dispatch.wrapping import wrap

        for position, label in enumerate(labels):
            frame = with_column(frame, label, wrap(far.vector(position)))
        return frame
    if is_list_like(value):
        raise Refused("a list of values for several columns")
    for label in labels:
        frame = with_column(frame, label, value)
    return frame


def put_vector(vector: Vector, key: Any, value: Any) -> Vector:
    """`series[key] = value`."""
    if isinstance(key, BaseSeries) and types.is_bool(key.dtype):
        try:
            made = loc_indexer.put_by_label(vector, key, value)
        except Refused:
            if is_list_like(value) or elementwise.any_row(*mask_over(vector, key)):
                raise
            # A scalar that is put nowhere changes no dtype.
            return vector
        assert isinstance(made, Vector)
        return made
    raise Refused(f"a key of type `{type(key).__name__}`")


def insert(frame: Frame, loc: Any, column: Any, value: Any, allow_duplicates: Any = False) -> Frame:
    if allow_duplicates not in (False, pandas.api.extensions.no_default) or not is_label(column) or column in frame.labels:
        raise Refused("`allow_duplicates=True`, or a column that exists")
    if not isinstance(loc, (int, np.integer)) or isinstance(loc, bool) or not 0 <= loc <= len(frame.columns) or not len(frame.columns):
        raise Refused(f"position {value_text(loc)} is out of bounds")
    if isinstance(frame.labels, pandas.MultiIndex):
        raise Refused("MultiIndex columns")
    rows, made = column_for(frame, value)
    return frame.with_columns([*frame.columns[:loc], made, *frame.columns[loc:]], inserted(frame.labels, int(loc), column), rows)


def delitem(frame: Frame, key: Any) -> Frame:
    if not is_label(key) or key not in frame.labels or isinstance(frame.labels, pandas.MultiIndex):
        raise Refused(f"{value_text(key)} is not a column")
    position = frame.position(key)
    return frame.with_columns([*frame.columns[:position], *frame.columns[position + 1 :]], frame.labels.delete(position))


def pop(frame: Frame, item: Any) -> tuple[Frame, Vector]:
    made = delitem(frame, item)
    return made, frame.vector(frame.position(item))


def isetitem(frame: Frame, loc: Any, value: Any) -> Frame:
    if not isinstance(loc, (int, np.integer)) or isinstance(loc, bool) or not 0 <= loc < len(frame.columns) or isinstance(value, BaseDataFrame):
        raise Refused(f"position {value_text(loc)} is out of bounds, or a DataFrame as value")
    rows, made = column_for(frame, value)
    return frame.with_columns([*frame.columns[:loc], made, *frame.columns[loc + 1 :]], rows=rows)

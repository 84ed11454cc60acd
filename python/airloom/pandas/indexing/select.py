"""Columns by label and by expression: `select`."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from pandas.api.types import is_list_like
from pandas.core.col import Expression as Formula

from airloom.pandas.algorithms.by_key import columns_asked
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import wrap
from airloom.pandas.indexing.getitem import with_column
from airloom.pandas.plan.frame import Column, Frame
from airloom.pandas.refusals import Refused, value_text


@operation("DataFrame.select")
def select(frame: Frame, *args: Any, **kwargs: Any) -> Frame:
    items = list(args[0]) if len(args) == 1 and not isinstance(args[0], (tuple, Formula, set, frozenset)) and is_list_like(args[0]) else list(args)
    if any(not isinstance(item, (tuple, Formula)) and is_list_like(item) for item in items) or not frame.labels.is_unique or (not items and not kwargs):
        raise Refused("duplicate column labels, or labels in lists")
    if frame.labels.nlevels > 1:
        if kwargs or any(isinstance(item, Formula) for item in items) or len({isinstance(item, tuple) for item in items}) > 1:
            raise Refused("MultiIndex columns beside expressions")
        return columns_asked(frame, lambda model: model[items])
    chosen: list[Column] = []
    labels: list[Hashable] = []
    for item in items:
        if not isinstance(item, Formula):
            if item not in frame.labels:
                raise Refused(f"{value_text(item)} is not a column")
            chosen.append(frame.column(item))
            labels.append(item)
            continue
        found = item._eval_expression(wrap(frame))
        if not isinstance(found, BaseSeries) or found.name is None:
            raise Refused("an expression that is not a named column")
        frame = _put(frame, found.name, found, chosen, labels)
    for label, value in kwargs.items():
        found = value._eval_expression(wrap(frame)) if isinstance(value, Formula) else value(wrap(frame)) if callable(value) else value
        if isinstance(found, BaseDataFrame):
            raise Refused("a DataFrame as column")
        frame = _put(frame, label, found, chosen, labels)
    positions = frame.labels.get_indexer(labels)
    # What was chosen before others were put in can be seen over the rows that these brought.
    return frame.with_columns(chosen, frame.labels.take(positions))


def _put(frame: Frame, label: Hashable, value: Any, chosen: list[Column], labels: list[Hashable]) -> Frame:
    made = with_column(frame, label, value)
    chosen.append(made.column(label))
    labels.append(label)
    return made

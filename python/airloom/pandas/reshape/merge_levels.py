"""Joins by keys of which some are levels of labels, by their names."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from airloom.pandas.algorithms.by_key import columns_asked
from airloom.pandas.dispatch.registry import OPERATIONS
from airloom.pandas.dispatch.wrapping import wrap
from airloom.pandas.plan.frame import Frame, RangeLabels, label_columns
from airloom.pandas.refusals import Refused


def levels_among(left: Frame, far: Frame, mine: Sequence[Hashable], theirs: Sequence[Hashable]) -> bool:
    """Whether any key is a level of labels, and no column."""
    return any(key not in frame.labels and key in frame.index.names for frame, keys in ((left, mine), (far, theirs)) for key in keys)


def joined(left: Frame, far: Frame, keys: list[Hashable], model: Any, options: dict[str, Any]) -> Frame:
    """A join by keys that have the same names on both sides. What is a level on both is one of the result's."""
    levels = [key for key in keys if _is_level(left, key) and _is_level(far, key)]
    made = OPERATIONS["DataFrame"]["merge"](_opened(left, keys), wrap(_opened(far, keys)), on=keys, **options)
    wanted = [*levels, *model.columns]
    if sorted(map(str, wanted)) != sorted(map(str, made.labels)) or not made.labels.is_unique:
        raise Refused("index levels that become other columns")
    made = columns_asked(made, lambda frame: frame[wanted])
    if not levels:
        return Frame(made.rows, made.columns, model.columns, made.index)
    made = OPERATIONS["DataFrame"]["set_index"](made, levels if len(levels) > 1 else levels[0])
    return Frame(made.rows, made.columns, model.columns, made.index)


def _is_level(frame: Frame, key: Hashable) -> bool:
    return key not in frame.labels and key in frame.index.names


def _opened(frame: Frame, keys: Sequence[Hashable]) -> Frame:
    """The frame with the levels that are keys as columns, and labels that count."""
    labels = frame.labels
    columns = list(frame.columns)
    levels = label_columns(frame.rows, frame.index)
    for key in keys:
        if _is_level(frame, key):
            if list(frame.index.names).count(key) != 1:
                raise Refused("duplicate names of index levels")
            labels = labels.insert(len(labels), key)
            columns.append(levels[list(frame.index.names).index(key)])
    return Frame(frame.rows, columns, labels, RangeLabels())

"""Joins in which index labels are the keys of both sides: pandas' own rule brings the labels together, and values follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas

from airloom.pandas.algorithms.take import gathered
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array, captured_index
from airloom.pandas.plan.frame import Column, Frame
from airloom.pandas.plan.rows import MemoryRows, Rows, space_of
from airloom.pandas.refusals import Refused

_ONCE = {"one_to_one": "both", "1:1": "both", "one_to_many": "left", "1:m": "left", "many_to_one": "right", "m:1": "right"}


def joined(left: Frame, right: Frame, model: Any, options: Mapping[str, Any], validate: Any) -> Frame:
    """The join of two frames by the labels of their rows."""
    how = options["how"]
    mine, theirs = materialize.restored_index(left.rows, left.index), materialize.restored_index(right.rows, right.index)
    once = _ONCE.get(validate, "")
    if (once in ("left", "both") and not mine.is_unique) or (once in ("right", "both") and not theirs.is_unique):
        raise Refused("duplicate index labels, with `validate`")
    base = how.removesuffix("_anti")
    try:
        index, left_positions, right_positions = mine.join(theirs, how=base, return_indexers=True, sort=options["sort"] or base == "outer")
    except (TypeError, ValueError) as error:
        raise Refused("indexes that pandas cannot join") from error
    if base != how:
        left_positions = np.arange(len(mine)) if left_positions is None else left_positions
        right_positions = np.arange(len(theirs)) if right_positions is None else right_positions
        kept = (right_positions if base == "left" else left_positions) == -1
        index, left_positions, right_positions = index[kept], left_positions[kept], right_positions[kept]
    space, over = _space(left, left_positions, len(index))
    columns: list[Column] = []
    if left_positions is None and over is left.rows:
        columns.extend(left.columns)
    else:
        over, found = gathered(over, space, left.rows, left.columns, left_positions)
        columns.extend(found)
    over, found = gathered(over, space, right.rows, right.columns, right_positions)
    columns.extend(found)
    if options["indicator"]:
        in_left, in_right = _positions(left_positions, len(index)) >= 0, _positions(right_positions, len(index)) >= 0
        codes = np.where(in_left & in_right, 2, np.where(in_left, 0, 1)).astype("int8")
        columns.append(captured_array(space, pandas.Categorical.from_codes(codes, dtype=model.dtypes.iloc[-1]), "merge"))
    return Frame(over, columns, model.columns, captured_index(space, index))


def _space(left: Frame, positions: Any, count: int) -> tuple[MemoryRows, Rows]:
    """Where the result stands: beside the left rows, where these are all of it and in memory."""
    base = space_of(left.rows)
    if positions is None and isinstance(base, MemoryRows):
        return base, left.rows
    space = MemoryRows(count)
    return space, space


def _positions(positions: Any, count: int) -> Any:
    return np.arange(count) if positions is None else positions

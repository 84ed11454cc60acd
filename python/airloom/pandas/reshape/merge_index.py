"""Joins in which labels of rows are the keys of both sides: pandas' own rule brings the labels together, and values follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas

from airloom.pandas.algorithms.take import gathered
from airloom.pandas.internals import materialize
from airloom.pandas.internals.capture import captured_array, captured_index
from airloom.pandas.plan.frame import Column, Frame
from airloom.pandas.plan.rows import Rows, Space, space_of
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
        index, left_places, right_places = mine.join(theirs, how=base, return_indexers=True, sort=options["sort"] or base == "outer")
    except (TypeError, ValueError) as error:
        raise Refused("indexes that pandas cannot join") from error
    if base != how:
        left_places = np.arange(len(mine)) if left_places is None else left_places
        right_places = np.arange(len(theirs)) if right_places is None else right_places
        kept = (right_places if base == "left" else left_places) == -1
        index, left_places, right_places = index[kept], left_places[kept], right_places[kept]
    space, over = _space(left, left_places, len(index))
    columns: list[Column] = []
    if left_places is None and over is left.rows:
        columns.extend(left.columns)
    else:
        over, found = gathered(over, space, left.rows, left.columns, left_places)
        columns.extend(found)
    over, found = gathered(over, space, right.rows, right.columns, right_places)
    columns.extend(found)
    if options["indicator"]:
        in_left, in_right = _places(left_places, len(index)) >= 0, _places(right_places, len(index)) >= 0
        codes = np.where(in_left & in_right, 2, np.where(in_left, 0, 1)).astype("int8")
        columns.append(captured_array(space, pandas.Categorical.from_codes(codes, dtype=model.dtypes.iloc[-1]), "merge"))
    return Frame(over, columns, model.columns, captured_index(space, index))


def _space(left: Frame, places: Any, count: int) -> tuple[Space, Rows]:
    """Where the result stands: beside the left rows, where these are all of it and in memory."""
    base = space_of(left.rows)
    if places is None and isinstance(base, Space):
        return base, left.rows
    space = Space(count)
    return space, space


def _places(places: Any, count: int) -> Any:
    return np.arange(count) if places is None else places

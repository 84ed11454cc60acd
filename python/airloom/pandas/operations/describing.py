"""Descriptions: of numbers their means and quantiles, of other values the most frequent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas

from airloom.pandas.data import restore, types
from airloom.pandas.face.dispatch import BaseDataFrame, BaseSeries, operation, plain, wrap
from airloom.pandas.operations import elements
from airloom.pandas.operations.group_summaries import DESCRIPTION, QUARTILES, described
from airloom.pandas.operations.quantiles import check_distances, is_plain
from airloom.pandas.operations.reductions import reduced
from airloom.pandas.plan import run
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.plan.rows import Rows


@operation("Series.describe")
def describe(vector: Vector, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
    column = elements.known(vector.column)
    if percentiles is None and include is None and exclude is None and is_plain(column) and run.count(vector.rows):
        (values,) = _descriptions(vector.rows, [column])
        return BaseSeries(values, index=pandas.Index(DESCRIPTION), name=vector.name)
    return plain(BaseSeries.describe(wrap(vector), percentiles, include, exclude))


@operation("DataFrame.describe")
def frame_describe(frame: Frame, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
    columns = [restore.decided(column) for column in frame.columns]
    if percentiles is None and include is None and exclude is None and not any(types.is_time(column.dtype) or types.is_duration(column.dtype) for column in columns):
        places = [at for at, column in enumerate(columns) if types.is_numeric(column.dtype) and not types.is_bool(column.dtype)]
        columns = [columns[at] for at in places]
        if columns and all(map(is_plain, columns)) and run.count(frame.rows):
            made = BaseDataFrame(dict(enumerate(_descriptions(frame.rows, columns))), index=pandas.Index(DESCRIPTION))
            made.columns = frame.labels.take(places)
            return made
    # By pandas' own recipe, each step of which is an operation.
    return plain(BaseDataFrame.describe(wrap(frame), percentiles, include, exclude))


def _descriptions(rows: Rows, columns: Sequence[Column]) -> list[list[Any]]:
    """How each of some columns of numbers is described."""
    values = reduced(rows, [value for column in columns for value in described(column, grouped=False)])
    size = len(DESCRIPTION)
    made = [values[at : at + size] for at in range(0, len(values), size)]
    places = DESCRIPTION.index("min"), DESCRIPTION.index("max")
    whole = [(column, *(values[place] for place in places)) for column, values in zip(columns, made, strict=True) if types.is_whole(column.dtype)]
    check_distances(rows, whole, QUARTILES)
    for column, values in zip(columns, made, strict=True):
        if column.dtype == np.float32 and values[0] < run.count(rows):
            # As `quantile` has them where any is missing.
            values[4:7] = [np.float64(np.float32(value)) for value in values[4:7]]
    return made

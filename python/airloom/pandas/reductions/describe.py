"""Descriptions: of numbers their means and quantiles, of other values the most frequent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plain, wrap
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.ops.aggregates import aggregate
from airloom.pandas.plan.expression import call
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.plan.rows import Rows
from airloom.pandas.reductions.quantiles import check_distances, is_plain
from airloom.pandas.reductions.reductions import reduced


#: What numbers are described by.
DESCRIPTION = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]
QUARTILES = (0.25, 0.5, 0.75)


@operation("Series.describe")
def describe(vector: Vector, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
    column = elementwise.known(vector.column)
    if percentiles is None and include is None and exclude is None and is_plain(column) and run.count(vector.rows):
        (values,) = _descriptions(vector.rows, [column])
        return BaseSeries(values, index=pandas.Index(DESCRIPTION), name=vector.name)
    return plain(BaseSeries.describe(wrap(vector), percentiles, include, exclude))


@operation("DataFrame.describe")
def frame_describe(frame: Frame, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
    columns = [materialize.decided(column) for column in frame.columns]
    if percentiles is None and include is None and exclude is None and not any(getattr(column.dtype, "kind", "") in "mM" for column in columns):
        positions = [at for at, column in enumerate(columns) if types.is_numeric(column.dtype) and not types.is_bool(column.dtype)]
        columns = [columns[at] for at in positions]
        if columns and all(map(is_plain, columns)) and run.count(frame.rows):
            made = BaseDataFrame(dict(enumerate(_descriptions(frame.rows, columns))), index=pandas.Index(DESCRIPTION))
            made.columns = frame.labels.take(positions)
            return made
    # By pandas' own recipe, each step of which is an operation.
    return plain(BaseDataFrame.describe(wrap(frame), percentiles, include, exclude))


def described(column: Column, *, grouped: bool) -> list[Column]:
    """The description of a column of numbers, all of it floats."""
    values = [aggregate(name, column, grouped=grouped) for name in ("count", "mean", "std", "min")]
    # pandas describes each group as a column by itself: its quantiles are NumPy's, and not those of groups.
    values += [aggregate("quantile", column, grouped=False, q=q) for q in QUARTILES]
    values.append(aggregate("max", column, grouped=grouped))
    return [value if value.dtype == types.FLOAT64 else Column(call("cast", value.expression, to=ir.f64), types.FLOAT64) for value in values]


def _descriptions(rows: Rows, columns: Sequence[Column]) -> list[list[Any]]:
    """How each of some columns of numbers is described."""
    values = reduced(rows, [value for column in columns for value in described(column, grouped=False)])
    size = len(DESCRIPTION)
    made = [values[at : at + size] for at in range(0, len(values), size)]
    positions = DESCRIPTION.index("min"), DESCRIPTION.index("max")
    edges = [(column, *(values[position] for position in positions)) for column, values in zip(columns, made, strict=True)]
    check_distances(rows, edges, QUARTILES)
    for column, values in zip(columns, made, strict=True):
        if column.dtype == np.float32 and values[0] < run.count(rows):
            # As `quantile` has them where any is missing.
            values[4:7] = [np.float64(np.float32(value)) for value in values[4:7]]
    return made

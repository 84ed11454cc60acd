"""Kurtosis of whole columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from airloom import ir
from airloom.pandas.dispatch.registry import classes, operation
from airloom.pandas.dtypes import types
from airloom.pandas.internals import materialize
from airloom.pandas.ops.aggregates import aggregate
from airloom.pandas.plan.expression import Literal, call, fold
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.plan.rows import Rows
from airloom.pandas.reductions.axis1 import across
from airloom.pandas.reductions.reductions import reduced
from airloom.pandas.refusals import Refused, value_text


@operation("Series.kurt", "Series.kurtosis")
def of_vector(vector: Vector, *, axis: Any = 0, skipna: Any = True, numeric_only: Any = False, **kwargs: Any) -> Any:
    if kwargs or axis not in (0, "index", None) or not isinstance(skipna, bool) or numeric_only is not False:
        raise Refused(f"`axis={value_text(axis)}`, `skipna` is not boolean, or `numeric_only=True`")
    return np.float64(_kurtosis(vector.rows, [materialize.decided(vector.column)], skipna)[0])


@operation("DataFrame.kurt", "DataFrame.kurtosis")
def of_frame(frame: Frame, *, axis: Any = 0, skipna: Any = True, numeric_only: Any = False, **kwargs: Any) -> Any:
    if kwargs or axis not in (0, "index", 1, "columns") or not isinstance(skipna, bool) or not isinstance(numeric_only, bool):
        raise Refused(f"`axis={value_text(axis)}`, or `skipna` or `numeric_only` is not boolean")
    if axis in (1, "columns"):
        return across(frame, "kurt", numeric_only, skipna, 0, 1)
    columns = [materialize.decided(column) for column in frame.columns]
    kept = [at for at, column in enumerate(columns) if not numeric_only or types.is_number(column.dtype)]
    if not kept or (numeric_only and any(types.is_masked(column.dtype) or types.is_arrow(column.dtype) for column in columns)):
        raise Refused("no columns of numbers")
    return classes.Series(np.array(_kurtosis(frame.rows, [columns[at] for at in kept], skipna)), index=frame.labels.take(kept))


def _kurtosis(rows: Rows, columns: Sequence[Column], skipna: bool) -> list[float]:
    """The excess kurtosis of columns, corrected for bias: of the second and the fourth power of the distances from the mean."""
    for column in columns:
        if column.unsupported or not types.is_number(column.dtype) or types.is_bool(column.dtype) or column.dtype == np.float32:
            raise Refused(f"`kurt` of dtype `{column.dtype}`")
    means = reduced(rows, [aggregate("mean", column, grouped=False, skipna=skipna) for column in columns])
    wanted = []
    for column, mean in zip(columns, means, strict=True):
        value = column.expression if types.is_float(column.dtype) else call("cast", column.expression, to=ir.f64)
        apart = call("sub", value, Literal(float(mean), ir.f64))
        square = call("mul", apart, apart)
        wanted.append(Column(call("cast", fold("count", value, skip="all"), to=ir.f64), types.FLOAT64))
        for power in (square, call("mul", square, square)):
            wanted.append(Column(call("null_to_nan", fold("sum", power, skip="nan", reassoc=True)), types.FLOAT64))
    sums = [float(value) for value in reduced(rows, wanted)]
    return [_of_sums(sums[3 * at], sums[3 * at + 1], sums[3 * at + 2], float(mean)) for at, mean in enumerate(means)]


def _of_sums(count: float, second: float, fourth: float, mean: float) -> float:
    if not np.isfinite(mean) or count < 4 or second == 0:
        return float("nan")
    if not 1e-100 < second < 1e100 or second < 1e-10 * count * mean * mean:
        raise Refused("values that lie too close together, or far apart, for the same digits")
    main = count * (count + 1) * (count - 1) * fourth / ((count - 2) * (count - 3) * second * second)
    return main - 3 * (count - 1) * (count - 1) / ((count - 2) * (count - 3))

"""Two series, or the columns of two frames, put together: `corr`, `cov`, `autocorr`, `corrwith` and `dot`."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas
from pandas.core.dtypes.cast import find_common_type

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.align import aligned, array_column
from airloom.pandas.algorithms.elementwise import as_floats
from airloom.pandas.algorithms.reindex import conformed
from airloom.pandas.dispatch.registry import OPERATIONS, BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plan_of
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Expression, Literal, call, fold
from airloom.pandas.plan.frame import Column, Frame, Vector, is_data
from airloom.pandas.plan.rows import Rows
from airloom.pandas.reductions.comoments import Pair, least_of, together
from airloom.pandas.reductions.reductions import reduced
from airloom.pandas.refusals import Refused, value_text

_NAN = float("nan")


def _beside(vector: Vector, other: Any) -> tuple[Rows, Column, Column]:
    """Two series brought to the labels that both have."""
    if not isinstance(other, BaseSeries):
        raise Refused("`other` is not a Series")
    far = plan_of(other)
    try:
        rows, column = aligned(vector.rows, vector.index, far)
        return rows, vector.column, column
    except Refused:
        first, second = conformed(vector, far, {"join": "inner"})
        return second.rows, first.column, second.column


def _has_ranks(method: Any) -> bool:
    """Whether ranks are put together; of which pandas asks a library that must be there."""
    if method == "spearman":
        if importlib.util.find_spec("scipy") is None:
            raise Refused(f"`method={value_text(method)}` without SciPy")
    elif method != "pearson":
        raise Refused(f"`method={value_text(method)}` of `corr`")
    return bool(method == "spearman")


@operation("Series.corr")
def corr(vector: Vector, other: Any, method: Any = "pearson", min_periods: Any = None) -> Any:
    ranks, least = _has_ranks(method), least_of(min_periods)
    rows, first, second = _beside(vector, other)
    (pair,), _ = together(rows, [as_floats(first), as_floats(second)], [(0, 1)], ranks=ranks)
    return _correlation(pair, least, ranks)


def _correlation(pair: Pair, least: int, ranks: bool) -> Any:
    if ranks and (pair.many < 3 or not pair.first or not pair.second):
        raise Refused("`method='spearman'` of fewer than three rows, or of constant values")
    if pair.many < least or pair.many < 2:
        return _NAN
    if not pair.first or not pair.second:
        raise Refused("constant values, of which rounding may leave something")
    found = pair.correlation()
    return found if found != found else np.float64(found)


@operation("Series.autocorr")
def autocorr(vector: Vector, lag: Any = 1) -> Any:
    before = OPERATIONS["Series"]["shift"](vector, lag)
    rows, column = aligned(vector.rows, vector.index, before)
    (pair,), _ = together(rows, [as_floats(vector.column), as_floats(column)], [(0, 1)])
    return _correlation(pair, 1, False)


@operation("Series.cov")
def cov(vector: Vector, other: Any, min_periods: Any = None, ddof: Any = 1) -> Any:
    least = least_of(min_periods)
    if not isinstance(ddof, int) or isinstance(ddof, bool):
        raise Refused(f"`ddof={value_text(ddof)}` is not an integer")
    rows, first, second = _beside(vector, other)
    (pair,), _ = together(rows, [as_floats(first), as_floats(second)], [(0, 1)])
    if pair.many < least or not pair.many:
        return _NAN
    if pair.many <= ddof:
        raise Refused("not more rows than `ddof`")
    return np.float64(pair.both / (pair.many - ddof))


@operation("DataFrame.corrwith")
def corrwith(
    frame: Frame, other: Any, axis: Any = 0, drop: Any = False, method: Any = "pearson", numeric_only: Any = False, min_periods: Any = None
) -> Any:
    if axis not in (0, "index") or not isinstance(numeric_only, bool) or not frame.labels.is_unique or not frame.columns:
        raise Refused(f"`axis={value_text(axis)}`, `numeric_only={value_text(numeric_only)}`, duplicate column labels, or no columns")
    if numeric_only:
        frame = _numbers(frame)
    if isinstance(other, BaseSeries):
        return _with_series(frame, other, method, min_periods)
    if not isinstance(other, BaseDataFrame) or method != "pearson":
        raise Refused(f"`method={value_text(method)}` of `corrwith`, or an `other` that is not a DataFrame")
    far = plan_of(other)
    if numeric_only:
        far = _numbers(far)
    if not far.labels.is_unique or not far.columns:
        raise Refused("duplicate column labels, or no columns")
    labels = frame.labels if frame.labels.equals(far.labels) else frame.labels.join(far.labels, how="inner")
    mine, theirs = (Frame(side.rows, [side.column(label) for label in labels], labels, side.index) for side in (frame, far))
    if not len(labels):
        raise Refused("frames without common columns")
    if any(types.is_masked(materialize.decided(column).dtype) for column in (*mine.columns, *theirs.columns)):
        raise Refused("`corrwith` of nullable numbers")
    rows, columns = _columns_beside(mine, theirs)
    values = [as_floats(column) for column in columns]
    pairs, _ = together(rows, values, [(at, len(labels) + at) for at in range(len(labels))])
    if any(pair.many and not (pair.first and pair.second) for pair in pairs):
        raise Refused("constant columns")
    found = BaseSeries([pair.correlation() for pair in pairs], index=labels, dtype=np.float64)
    if not drop:
        rest = frame.labels.union(far.labels).difference(found.index)
        if len(rest):
            found = pandas.concat([found, BaseSeries([_NAN] * len(rest), index=rest)])
    return found


def _with_series(frame: Frame, other: Any, method: Any, min_periods: Any) -> Any:
    ranks, least = _has_ranks(method), least_of(min_periods)
    far = plan_of(other)
    rows, columns = _columns_beside(frame, far)
    values = [as_floats(column) for column in columns]
    last = len(values) - 1
    pairs, _ = together(rows, values, [(last, at) for at in range(last)], ranks=ranks)
    return BaseSeries([_correlation(pair, least, ranks) for pair in pairs], index=frame.labels, dtype=np.float64)


def _numbers(frame: Frame) -> Frame:
    kept = [at for at, column in enumerate(frame.columns) if types.is_numeric(materialize.decided(column).dtype)]
    return frame.with_columns([frame.columns[at] for at in kept], frame.labels.take(kept))


def _columns_beside(frame: Frame, far: Any) -> tuple[Rows, list[Column]]:
    """The columns of a frame, and those of another or of a series, over the labels that both have."""
    others = [far.vector(at) for at in range(len(far.columns))] if isinstance(far, Frame) else [far]
    try:
        rows, columns = frame.rows, []
        for other in others:
            rows, column = aligned(rows, frame.index, other)
            columns.append(column)
        return rows, [*frame.columns, *columns]
    except Refused:
        first, second = conformed(frame, far, {"join": "inner", "axis": 0})
        return second.rows, [*first.columns, *(second.columns if isinstance(second, Frame) else (second.column,))]


@operation("Series.dot", "Series.__matmul__")
def dot(vector: Vector, other: Any) -> Any:
    if isinstance(other, BaseSeries):
        rows, column = aligned(vector.rows, vector.index, plan_of(other))
    elif isinstance(other, np.ndarray):
        rows, column = vector.rows, array_column(vector.rows, other)
    else:
        raise Refused("`other` is neither a Series nor an array")
    first, second = elementwise.known(vector.column), elementwise.known(column)
    dtype = _product_dtype([first.dtype, second.dtype])
    if types.is_float(dtype) and is_data(first) and is_data(second):
        raise Refused("`dot` of floats in memory, which NumPy computes")
    product = call("mul", *(literals.cast(one.expression, one.dtype, dtype) for one in (first, second)))
    options = {"reassoc": True} if types.is_float(dtype) else {}
    (value,) = reduced(rows, [Column(fold("sum", product, **options), dtype)])
    return value


def _product_dtype(dtypes: Sequence[Any]) -> Any:
    """The dtype of sums of products: wide numbers."""
    if not all(dtype in (types.INT64, types.FLOAT64) for dtype in dtypes):
        raise Refused("`dot` of dtypes other than `int64` and `float64`")
    return types.FLOAT64 if types.FLOAT64 in dtypes else types.INT64


#: A row of at most this many numbers is put together with others by the engine.
MOST_COLUMNS = 64


@operation("DataFrame.dot", "DataFrame.__matmul__")
def dot_frame(frame: Frame, other: Any) -> Any:
    labels = frame.labels
    if not frame.columns or len(labels) > MOST_COLUMNS or not labels.is_unique:
        raise Refused(f"no columns, more than {MOST_COLUMNS} of them, or duplicate column labels")
    if isinstance(other, (BaseSeries, BaseDataFrame)):
        common = labels.union(other.index)
        if len(common) > len(labels) or len(common) > len(other.index):
            raise Refused("columns and index that are not the same labels")
        frame = frame.with_columns([frame.column(label) for label in common], common)
        other = other.reindex(index=common)
        weights, names = other.to_numpy(), other.columns if isinstance(other, BaseDataFrame) else None
        others = list(other.dtypes) if isinstance(other, BaseDataFrame) else [other.dtype]
    else:
        weights, names = np.asarray(other), None
        others = [weights.dtype]
        if weights.ndim not in (1, 2) or weights.shape[0] != len(labels):
            raise Refused("an array of another shape")
        if weights.ndim == 2:
            names = pandas.RangeIndex(weights.shape[1])
    if weights.ndim == 2 and not 0 < weights.shape[1] <= MOST_COLUMNS:
        raise Refused(f"no columns, or more than {MOST_COLUMNS}")
    columns = [elementwise.known(column) for column in frame.columns]
    dtype = _product_dtype([*(column.dtype for column in columns), *others])
    if not kinds.same(dtype, find_common_type([*(column.dtype for column in columns), *others])):
        raise Refused("`dot` whose result is of another dtype")
    if weights.ndim == 2 and types.is_float(dtype):
        raise Refused("`dot` of two matrices of floats, which NumPy computes")
    values = [literals.cast(column.expression, column.dtype, dtype) for column in columns]
    if weights.ndim == 1:
        return Vector(frame.rows, Column(_products(values, weights, dtype), dtype), None, frame.index)
    made = [Column(_products(values, weights[:, at], dtype), dtype) for at in range(weights.shape[1])]
    return Frame(frame.rows, made, names, frame.index)


def _products(values: Sequence[Expression], weights: Any, dtype: Any) -> Expression:
    """The sum of columns, each times a weight."""
    whole = not types.is_float(dtype)
    type = ir.i64 if whole else ir.f64
    terms = [call("mul", value, Literal(int(weight) if whole else float(weight), type)) for value, weight in zip(values, weights, strict=True)]
    made: Expression = terms[0]
    for term in terms[1:]:
        made = call("add", made, term)
    return made

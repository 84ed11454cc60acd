"""Frames brought to other labels: `reindex`, `reindex_like` and `align`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas.api.extensions import no_default
from pandas.core.dtypes.cast import infer_dtype_from_scalar, maybe_promote

from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.prototypes import ask_pandas, heard, settled
from airloom.pandas.algorithms.relocate import FILLED, at_filled_positions, bare, coded, in_memory, promoted, rebuilt, sources, viewed
from airloom.pandas.algorithms.take import rearranged
from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plan_of, wrap
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.plan.expression import Literal
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.refusals import Refused, value_text


def _fills(value: Any) -> bool:
    return value is not None and not literals.is_missing(value)


@operation("DataFrame.reindex")
def reindex(
    frame: Frame,
    labels: Any = None,
    *,
    index: Any = None,
    columns: Any = None,
    axis: Any = None,
    method: Any = None,
    copy: Any = no_default,
    level: Any = None,
    fill_value: Any = np.nan,
    limit: Any = None,
    tolerance: Any = None,
) -> Any:
    if copy is not no_default or (literals.is_missing(fill_value) and fill_value not in (None, np.nan)):
        raise Refused("the `copy` argument, or a `fill_value` that is `NA` or `NaT`")
    if axis is not None and (index is not None or columns is not None):
        raise Refused("`axis` together with `index` or `columns`")
    given = _given(labels=labels, index=index, columns=columns, axis=axis, method=method, level=level, limit=limit, tolerance=tolerance)
    rows_only = columns is None and (labels is None or axis not in (1, "columns"))
    if rows_only and len(frame.columns):
        given.pop("labels", None)
        given.pop("axis", None)
        given["index"] = labels if index is None else index
        if given["index"] is None or (labels is not None and index is not None):
            raise Refused("no labels, or both `labels` and `index`")
        if not _fills(fill_value):
            return rearranged(frame, lambda series: series.reindex(**given))
    if index is None and frame.columns and frame.labels.is_unique and (labels is None or axis in (1, "columns")):
        return _other_columns(frame, given, fill_value)
    return _reindexed(frame, given, fill_value)


def _other_columns(frame: Frame, given: dict[str, Any], fill_value: Any) -> Frame:
    """The columns of other labels over the same rows: what is new is the same value everywhere."""
    frame = settled(frame)
    model = adopted(BaseDataFrame(np.arange(len(frame.columns))[np.newaxis, :], columns=frame.labels))
    result = ask_pandas(lambda: model.reindex(**given))
    put = fill_value if _fills(fill_value) else np.nan
    dtype = infer_dtype_from_scalar(put)[0]
    type = types.type_of(dtype)
    own = kinds.unequal(column.dtype for column in frame.columns)
    if len(own) == 1 and not kinds.same(own[0], dtype) and result.iloc[0].isna().any():
        raise Refused(f"a new column of missing values beside columns of dtype `{own[0]}`, which pandas may widen")
    columns = []
    for position in result.iloc[0].to_numpy():
        if position == position:
            columns.append(frame.columns[int(position)])
            continue
        if type is None:
            raise Refused(f"a new column of dtype `{dtype}`")
        columns.append(Column(Literal(literals.literal(put, dtype).value, type), dtype))
    return frame.with_columns(columns, result.columns)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _reindexed(plan: Any, given: dict[str, Any], fill_value: Any) -> Any:
    plan = in_memory(plan)
    empty = bare(plan)
    if empty is not None and not _fills(fill_value):
        return ask_pandas(lambda: empty.reindex(**given))
    fills = _fills(fill_value)
    if fills and "columns" not in given:
        _check_fits(plan, fill_value)
    if fills and set(given) <= {"index", "method", "limit", "tolerance", "level"} and (isinstance(plan, Vector) or plan.columns):
        first = plan if isinstance(plan, Vector) else Vector(plan.rows, plan.columns[0], None, plan.index)
        positions = ask_pandas(lambda: coded(first).reindex(**given, fill_value=FILLED))
        if (positions.to_numpy() >= 0).any():
            return at_filled_positions(plan, positions, fill_value)
    result = ask_pandas(lambda: coded(plan).reindex(**given, **({"fill_value": FILLED} if fills else {})))
    dtypes = _dtypes(plan, result, fill_value)
    if isinstance(plan, Frame) and {"index", "columns"} <= given.keys() and not {"method", "level"} & given.keys():
        together = kinds.unequal(column.dtype for column in plan.columns)
        (own,) = together if len(together) == 1 else (None,)
        if isinstance(own, np.dtype):
            # Rows and columns of one dtype are taken at once, and so widened at once.
            holes = result.size and (not (result.to_numpy() >= 0).all())
            wide = (promoted(own, fill_value)[0] if fills else maybe_promote(own, np.nan)[0]) if holes else own
            return rebuilt(sources([plan]), result, lambda at: wide, fill_value if fills else None)
    return rebuilt(sources([plan]), result, dtypes, fill_value if fills else None)


def _check_fits(plan: Any, fill_value: Any) -> None:
    """Refuses a value that some column cannot hold: pandas warns of it, whether it is put in anywhere or not."""
    for column in plan.columns if isinstance(plan, Frame) else (plan.column,):
        if isinstance(column.dtype, np.dtype):
            promoted(column.dtype, fill_value)


def _dtypes(plan: Any, result: Any, fill_value: Any) -> Any:
    """The dtypes of columns that have no value of anybody's: new ones, and those of which no row is left."""
    if isinstance(result, BaseDataFrame) and isinstance(plan, Frame):
        homes = plan.labels.get_indexer_for(result.columns) if plan.labels.is_unique else None
        if homes is not None and len(homes) != len(result.columns):
            homes = None
    else:
        homes = np.zeros(1, np.int64)

    def dtype(at: int) -> Any:
        codes = (result if isinstance(result, BaseSeries) else result.iloc[:, at]).to_numpy()
        if (codes >= 0).any():
            return None
        if homes is None:
            raise Refused("a column of no values, whose dtype several columns decide")
        if homes[at] < 0:
            return infer_dtype_from_scalar(fill_value if _fills(fill_value) else np.nan)[0]
        own = (plan.columns[homes[at]] if isinstance(plan, Frame) else plan.column).dtype
        if not len(codes):
            return own
        if _fills(fill_value):
            return promoted(own, fill_value)[0] if isinstance(own, np.dtype) else own
        return types.FLOAT64 if types.is_integer(own) else types.OBJECT if types.is_bool(own) else own

    return dtype


@operation("Series.reindex")
def vector_reindex(
    vector: Vector,
    index: Any = None,
    *,
    axis: Any = None,
    method: Any = None,
    copy: Any = no_default,
    level: Any = None,
    fill_value: Any = None,
    limit: Any = None,
    tolerance: Any = None,
) -> Any:
    if index is None or axis not in (None, 0, "index") or copy is not no_default or fill_value is pandas.NA or fill_value is pandas.NaT:
        raise Refused(f"no labels, `axis={value_text(axis)}`, the `copy` argument, or a `fill_value` that is `NA` or `NaT`")
    given = _given(index=index, method=method, level=level, limit=limit, tolerance=tolerance)
    if _fills(fill_value):
        return _reindexed(vector, given, fill_value)
    return rearranged(vector, lambda series: series.reindex(**given))


@operation("DataFrame.reindex_like", "Series.reindex_like")
def reindex_like(plan: Any, other: Any, method: Any = no_default, copy: Any = no_default, limit: Any = None, tolerance: Any = None) -> Any:
    if copy is not no_default:
        raise Refused("the `copy` argument")
    if method is not no_default or limit is not None or tolerance is not None:
        given = {name: value for name, value in (("method", method), ("limit", limit), ("tolerance", tolerance)) if value is not no_default and value is not None}
        plan = in_memory(plan)
        result = heard(lambda: coded(plan).reindex_like(other, **given))
        return rebuilt(sources([plan]), result, _dtypes(plan, result, None))
    if isinstance(plan, Vector):
        if not isinstance(other, BaseSeries):
            raise Refused("`other` is not a Series")
        return rearranged(plan, lambda series: series.reindex(other.index))
    if not isinstance(other, BaseDataFrame):
        raise Refused("`other` is not a DataFrame")
    return reindex(plan, index=other.index, columns=other.columns)


@operation("DataFrame.align", "Series.align")
def align(
    plan: Any, other: Any, join: Any = "outer", axis: Any = None, level: Any = None, copy: Any = no_default, fill_value: Any = None
) -> Any:
    if copy is not no_default or not isinstance(other, (BaseDataFrame, BaseSeries)) or fill_value is pandas.NA or fill_value is pandas.NaT:
        raise Refused("the `copy` argument, a `fill_value` that is `NA` or `NaT`, or an `other` that is neither a DataFrame nor a Series")
    far = plan_of(other)
    if _fills(fill_value) and (isinstance(plan, Vector) or isinstance(far, Vector)):
        for one in (plan, far):
            if any(elementwise.has_missing(one.rows, column) for column in (one.columns if isinstance(one, Frame) else (one.column,))):
                # Where a series takes part pandas fills what was missing before, too.
                raise Refused("`fill_value` for a Series, with missing values")
    left, right = conformed(plan, far, {"join": join, "axis": axis, "level": level}, fill_value, beside=False)
    return wrap(left), wrap(right)


def refuse_narrow(left: Any, right: Any) -> None:
    """Refuses frames with different columns of which one has narrow floats alone: pandas makes a column that it does not have as narrow."""
    if not isinstance(left, Frame) or not isinstance(right, Frame) or left.labels.equals(right.labels):
        return
    for plan in (left, right):
        dtypes = {str(column.dtype) for column in plan.columns}
        if len(dtypes) == 1 and dtypes <= {"float32", "Float32"}:
            raise Refused("columns that a frame of `float32` alone does not have")


def conformed(left: Any, right: Any, options: dict[str, Any], fill_value: Any = None, *, beside: bool = True) -> tuple[Any, Any]:
    """Two frames or series brought to labels that both have afterwards. With `beside`, both stand over the same rows, where their labels are the same."""
    refuse_narrow(left, right)
    left, right = in_memory(left), in_memory(right)
    fills = _fills(fill_value)
    for plan in (left, right) if fills else ():
        _check_fits(plan, fill_value)
    given = {**options, "fill_value": FILLED} if fills else options
    codes, others = coded(left), coded(right)
    mine, theirs = ask_pandas(lambda: codes.align(others, **given))
    made = rebuilt(sources([left]), mine, _dtypes(left, mine, fill_value), fill_value if fills else None)
    far = rebuilt(sources([right]), theirs, _dtypes(right, theirs, fill_value), fill_value if fills else None, made if beside else None)
    return viewed(made, codes, mine), viewed(far, others, theirs)

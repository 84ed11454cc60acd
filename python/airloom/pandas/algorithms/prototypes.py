"""Frames of pandas with one row, of which its own rules are asked: what labels and dtypes a result has."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
from pandas.util._exceptions import find_stack_level

from airloom.pandas.dispatch.adopting import adopted
from airloom.pandas.dispatch.choice import within
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dispatch.wrapping import plain
from airloom.pandas.dtypes import types
from airloom.pandas.dtypes.kinds import Kind
from airloom.pandas.internals import materialize
from airloom.pandas.plan.frame import Vector, label_columns
from airloom.pandas.refusals import Refused


def one_row(plan: Any) -> Any:
    """A frame or a series with the same dtypes and labels, and index labels that count.

    Models are of our class: where that stands in place of pandas' own, pandas takes nothing else for a frame.
    """
    if isinstance(plan, Vector):
        return adopted(BaseSeries(one(plan.column.dtype), name=plan.name))
    made = BaseDataFrame({at: one(column.dtype) for at, column in enumerate(plan.columns)}, index=range(1))
    made.columns = plan.labels
    return adopted(made)


def labelled(plan: Any) -> Any:
    """The same, with a label of the dtype that the plan's have."""
    made = one_row(plan)
    levels = [one(materialize.decided(column).dtype) for column in label_columns(plan.rows, plan.index)]
    names = list(plan.index.names)
    made.index = pandas.Index(levels[0], name=names[0]) if len(levels) == 1 else pandas.MultiIndex.from_arrays(levels, names=names)
    return made


def one(dtype: Any) -> Any:
    """An array of one value."""
    if isinstance(dtype, np.dtype):
        return np.zeros(1, dtype)
    if types.is_category(dtype):
        return pandas.Categorical.from_codes([0 if len(dtype.categories) else -1], dtype=dtype)
    if isinstance(dtype, pandas.IntervalDtype) and dtype.subtype is not None:
        # There is no missing interval of integers.
        return pandas.arrays.IntervalArray.from_arrays(one(dtype.subtype), one(dtype.subtype), closed=dtype.closed)
    if types.is_sparse(dtype):
        return pandas.arrays.SparseArray(np.zeros(1, dtype.subtype), dtype=dtype)
    try:
        return dtype.construct_array_type()._from_sequence(["a"] if types.is_text(dtype) else [None], dtype=dtype)
    except (TypeError, ValueError) as error:
        # An array of another library, which need not know what None is.
        raise Refused(f"dtype `{dtype}` has no native type") from error


#: Answers that were given before, by what they depend on.
_ANSWERS: dict[Any, Any] = {}
#: At most this many are kept.
_MOST = 512


def outline(plan: Any) -> Any:
    """All that a model of a frame shows of it: labels, dtypes and names."""
    levels = tuple(Kind(materialize.decided(column).dtype) for column in label_columns(plan.rows, plan.index))
    labels = typed(plan.labels.tolist()), Kind(plan.labels.dtype), typed(plan.labels.names)
    return *labels, tuple(Kind(column.dtype) for column in plan.columns), levels, typed(plan.index.names)


def typed(value: Any) -> Any:
    """A value as part of a key: 1, 1.0 and True are equal, and no answer for one is an answer for another."""
    return tuple(typed(item) for item in value) if isinstance(value, (list, tuple)) else (type(value), value)


def ask_pandas_once(key: Any, question: Callable[[], Any]) -> Any:
    """As `asked`, of a question that may have been asked before: the same key, the same answer."""
    try:
        known = _ANSWERS.get(key)
    except TypeError:
        return ask_pandas(question)
    if known is None:
        known = ask_pandas(question)
        if len(_ANSWERS) >= _MOST:
            _ANSWERS.pop(next(iter(_ANSWERS)))
        _ANSWERS[key] = known
    return known


def ask_pandas(question: Callable[[], Any]) -> Any:
    """What pandas answers; refused where it complains, so that it complains to the user."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return answered(question)


def answered(question: Callable[[], Any]) -> Any:
    """What pandas answers by itself, as an object of its own class."""
    within.asking += 1
    try:
        found = question()
        return tuple(plain(item) for item in found) if isinstance(found, tuple) else plain(found)
    except Exception as error:
        raise Refused("an argument for which pandas raises") from error
    finally:
        within.asking -= 1


def heard(question: Callable[[], Any]) -> Any:
    """What pandas answers, with the warnings that it has for the user; refused where it complains."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = answered(question)
    for warning in said:
        warnings.warn(warning.message, warning.category, stacklevel=find_stack_level())
    return found


def settled(plan: Any) -> Any:
    """The same plan with dtypes that are known."""
    if isinstance(plan, Vector):
        return Vector(plan.rows, materialize.decided(plan.column), plan.name, plan.index)
    return plan.with_columns([materialize.decided(column) for column in plan.columns])

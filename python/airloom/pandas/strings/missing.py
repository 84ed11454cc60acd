"""The accessor `str` of objects or categories that are all missing: every row is what pandas makes of one of them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.algorithms.prototypes import ask_pandas
from airloom.pandas.dispatch.registry import BaseDataFrame, BaseSeries
from airloom.pandas.dtypes import types
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Literal, Ref
from airloom.pandas.plan.frame import Column, Frame, ObjectView, Vector
from airloom.pandas.refusals import Refused

#: Methods that look at more than one row.
_OF_ALL = frozenset(("cat", "extractall", "get_dummies"))
_PLAIN = (str, int, float, bool, tuple, slice, re.Pattern, type(None), type(pandas.NA))


def over_missing(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A method for text that answers for what is all missing too."""
    if name in _OF_ALL:
        return function

    @functools.wraps(function)
    def run(vector: Vector, *args: Any, **kwargs: Any) -> Any:
        array = _missing_of(vector) if all(isinstance(one, _PLAIN) for one in (*args, *kwargs.values())) else None
        if array is None:
            return function(vector, *args, **kwargs)
        model = BaseSeries(array, name=vector.name)
        return _each_row(vector, ask_pandas(lambda: getattr(model.str, name)(*args, **kwargs)))

    return run


def _missing_of(vector: Vector) -> Any:
    """An array of the one value that every row has, where it is missing; none where there is another, or no row."""
    column = materialize.decided(vector.column)
    if types.is_category(column.dtype) and not column.unsupported:
        if not elementwise.any_row(vector.rows, elementwise.TRUE) or elementwise.any_row(vector.rows, elementwise.negated(elementwise.missing(column))):
            return None
        return pandas.Categorical.from_codes([-1], dtype=column.dtype)
    if not column.by_position or column.dtype != types.OBJECT:
        return None
    space = column.held.space
    if space is None or not isinstance(column.expression, Ref) or column.expression.slot is not space._position:
        return None
    values = column.held.array
    first = values[0] if len(values) else None
    if not (first is None or first is np.nan or first is pandas.NA) or not len(values) or any(value is not first for value in values):
        return None
    return np.array([first], dtype=object)


def _each_row(vector: Vector, answer: Any) -> Any:
    """The answer for one row, for every row."""
    if isinstance(answer, BaseSeries) and len(answer) == 1:
        return Vector(vector.rows, _constant(answer.array[0], answer.dtype), answer.name, vector.index)
    if isinstance(answer, BaseDataFrame) and len(answer) == 1:
        columns = [_constant(answer.iloc[:, at].array[0], answer.iloc[:, at].dtype) for at in range(answer.shape[1])]
        return Frame(vector.rows, columns, answer.columns, vector.index)
    raise Refused("missing values only")


def _constant(value: Any, dtype: Any) -> Column:
    """The same value in every row."""
    if dtype != types.OBJECT:
        return Column(literals.literal(value, dtype), dtype)
    if not (value is None or value is np.nan or value is pandas.NA):
        raise Refused("missing values only")
    return Column(Literal(None, ir.str_), types.OBJECT, shown=ObjectView(types.STR, value))

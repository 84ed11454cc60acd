"""Values by the first condition that holds, quotients with what they leave, and values by a label that may not be there."""

from __future__ import annotations

from typing import Any

import numpy as np
from pandas.core.dtypes.cast import find_common_type, infer_dtype_from_scalar

from airloom.pandas.algorithms import literals
from airloom.pandas.dispatch.calls import invoke
from airloom.pandas.dispatch.registry import OPERATIONS, BaseSeries, operation
from airloom.pandas.dispatch.wrapping import plan_of, wrap
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.internals import materialize
from airloom.pandas.plan.frame import Vector
from airloom.pandas.refusals import Refused


@operation("Series.case_when")
def case_when(vector: Vector, caselist: Any) -> Vector:
    if not isinstance(caselist, list) or not caselist or not all(isinstance(case, tuple) and len(case) == 2 for case in caselist):
        raise Refused("`caselist` is not a list of pairs")
    vector = Vector(vector.rows, materialize.decided(vector.column), vector.name, vector.index)
    series = wrap(vector)
    cases = [tuple(invoke(part, series) if callable(part) else part for part in case) for case in caselist]
    dtypes = kinds.distinct([vector.dtype, *(_dtype(value) for _, value in cases)])
    target = find_common_type(dtypes) if len(dtypes) > 1 else vector.dtype
    if not types.is_number(target) and not types.is_text(target):
        raise Refused(f"`case_when` of dtype `{target}`")
    if len(dtypes) > 1:
        if not all(types.is_number(dtype) and not types.is_bool(dtype) for dtype in dtypes):
            raise Refused("`case_when` of different dtypes")
        vector = OPERATIONS["Series"]["astype"](vector, target)
    for condition, value in reversed(cases):
        if not isinstance(condition, (BaseSeries, np.ndarray)) or condition.dtype != types.BOOL or len(condition) != len(series):
            raise Refused("a condition that is not boolean, or of another length")
        if isinstance(value, BaseSeries):
            value = wrap(OPERATIONS["Series"]["astype"](plan_of(value), target)) if not kinds.same(value.dtype, target) else value
        vector = OPERATIONS["Series"]["mask"](vector, condition, value)
    return vector


def _dtype(value: Any) -> Any:
    if isinstance(value, BaseSeries):
        return value.dtype
    if isinstance(value, str):
        return types.STR
    if not literals.is_number(value):
        raise Refused(f"a value of type `{type(value).__name__}`")
    return infer_dtype_from_scalar(value)[0]


def _register_division(name: str, parts: tuple[str, str]) -> None:
    @operation(f"Series.{name}")
    def divided(vector: Vector, other: Any, level: Any = None, fill_value: Any = None, axis: Any = 0) -> Any:
        if types.is_nullable(materialize.decided(vector.column).dtype):
            raise Refused("`divmod` of nullable numbers")
        options = {"level": level, "fill_value": fill_value, "axis": axis}
        return tuple(wrap(OPERATIONS["Series"][part](vector, other, **options)) for part in parts)


_register_division("divmod", ("floordiv", "mod"))
_register_division("rdivmod", ("rfloordiv", "rmod"))


@operation("Series.__round__", "DataFrame.__round__")
def rounded(plan: Any, decimals: Any = 0) -> Any:
    return OPERATIONS["Series" if isinstance(plan, Vector) else "DataFrame"]["round"](plan, decimals)


@operation("Series.get")
def get(vector: Vector, key: Any, default: Any = None) -> Any:
    try:
        return wrap(vector)[key]
    except (KeyError, ValueError, IndexError):
        return default

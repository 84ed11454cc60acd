"""Arithmetic and comparison of pandas' nullable dtypes: what is missing on either side is missing in the result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.data import types
from airloom.pandas.operations import scalars
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column, Refused

BOOLEAN = pandas.BooleanDtype()


def _number(dtype: Any) -> np.dtype[Any]:
    """The dtype of NumPy's that stands below a nullable one."""
    return dtype.numpy_dtype if types.is_masked(dtype) else dtype


def _operands(left: Column, right: Any) -> tuple[np.dtype[Any], Expression, Expression]:
    mine = _number(left.dtype)
    if isinstance(right, Column):
        if not (types.is_masked(right.dtype) or types.is_number(right.dtype)):
            raise Refused(f"`{left.dtype}` and `{right.dtype}`")
        common = np.result_type(mine, _number(right.dtype))
        other: Expression = _cast(right.expression, _number(right.dtype), common)
    else:
        if not scalars.is_number(right) or isinstance(right, (float, np.floating)):
            raise Refused(f"`{left.dtype}` and `{type(right).__name__}`")
        common = np.result_type(mine, right)
        if common.kind in "iu" and not np.iinfo(common).min <= int(right) <= np.iinfo(common).max:
            raise Refused("a number that does not fit")
        other = scalars.number(right, common) if common.kind in "biu" else Literal(None, ir.i64)
    if common.kind not in "biu" or (common.kind != "b" and "b" in (mine.kind, _number(right.dtype).kind if isinstance(right, Column) else "i")):
        raise Refused(f"nullable numbers of dtype `{common}`")
    return common, _cast(left.expression, mine, common), other


def _cast(expression: Expression, have: np.dtype[Any], want: np.dtype[Any]) -> Expression:
    if have == want:
        return expression
    type = types.type_of(want)
    assert type is not None
    return call("cast", expression, to=ir.optional(type), mode="wrap")


def arithmetic(name: str, reflected: bool, left: Column, right: Any) -> Column:
    if name not in ("add", "sub", "mul"):
        raise Refused(f"`{name}` of `{left.dtype}`")
    common, a, b = _operands(left, right)
    if common.kind == "b":
        raise Refused("arithmetic of truth values")
    dtype = pandas.array([], dtype=f"{'U' if common.kind == 'u' else ''}Int{common.itemsize * 8}").dtype
    return Column(call(name, b, a) if reflected else call(name, a, b), dtype)


def comparison(op: str, left: Column, right: Any) -> Column:
    if isinstance(right, Column) and types.is_float(right.dtype):
        raise Refused(f"comparing `{left.dtype}` with `{right.dtype}`")
    _, a, b = _operands(left, right)
    return Column(call(op, a, b), BOOLEAN)


def logical(op: str, left: Column, right: Any) -> Column:
    if left.dtype != BOOLEAN:
        raise Refused(f"`{op}` of `{left.dtype}`")
    if isinstance(right, Column):
        if right.dtype != BOOLEAN and not types.is_bool(right.dtype):
            raise Refused(f"`{left.dtype}` and `{right.dtype}`")
        return Column(call(op, left.expression, right.expression), BOOLEAN)
    if not isinstance(right, (bool, np.bool_)):
        raise Refused(f"`{left.dtype}` and `{type(right).__name__}`")
    return Column(call(op, left.expression, Literal(bool(right), ir.bool_)), BOOLEAN)

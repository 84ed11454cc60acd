"""One value of each row, across columns of pandas' nullable dtypes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.dtypes import kinds, types
from airloom.pandas.execution import run
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column, DeferredDtype, Frame, Question, Vector
from airloom.pandas.refusals import Refused

BOOLEAN = pandas.BooleanDtype()
FLOAT64 = pandas.Float64Dtype()
#: What comes to a float, by way of floats in which NaN is missing.
FLOATING = frozenset(("mean", "var", "std", "sem", "median", "skew", "kurt"))


def are_masked(columns: Sequence[Column]) -> bool:
    return bool(columns) and all(types.is_masked(column.dtype) for column in columns)


def floats(columns: Sequence[Column]) -> list[Column]:
    """The columns as floats, in which NaN is missing."""
    one_dtype(columns)
    return [Column(call("null_to_nan", call("cast", column.expression, to=ir.optional(ir.f64))), types.FLOAT64) for column in columns]


def from_floats(vector: Vector) -> Vector:
    """The nullable floats that NaN is missing in."""
    if types.type_of(FLOAT64) is None:
        raise Refused("nullable floats with `axis=1`")
    return Vector(vector.rows, Column(call("nan_to_null", vector.column.expression), FLOAT64), vector.name, vector.index)


def one_dtype(columns: Sequence[Column]) -> Any:
    """The dtype that all of them have."""
    dtypes = kinds.distinct(column.dtype for column in columns)
    if len(dtypes) > 1 or dtypes == [BOOLEAN] or dtypes[0].name == "Float32":
        raise Refused("nullable columns of different dtypes, of booleans or of `Float32` with `axis=1`")
    return dtypes[0]


def across(frame: Frame, columns: Sequence[Column], name: str, skipna: bool, least: int) -> Vector:
    """What `axis=1` asks for of nullable columns: an expression over the row."""
    if run.count(frame.rows) == 0:
        raise Refused(f"`{name}` of a frame without rows")
    if name in ("any", "all"):
        return Vector(frame.rows, _truth(columns, name, skipna), None, frame.index)
    dtype = one_dtype(columns)
    if name in ("min", "max"):
        return Vector(frame.rows, _extreme(columns, dtype, name, skipna), None, frame.index)
    if name in ("sum", "prod", "product"):
        return Vector(frame.rows, _sum(frame, columns, dtype, name, skipna, least), None, frame.index)
    raise Refused(f"`{name}` of nullable columns with `axis=1`")


def _any_null(columns: Sequence[Column]) -> Expression:
    gone: list[Expression] = [call("is_null", column.expression) for column in columns]
    return reduce(elementwise.either, gone)


def _few(columns: Sequence[Column], least: int) -> Expression:
    """Whether fewer values than `count` are there."""
    there = [call("cast", elementwise.negated(call("is_null", column.expression)), to=ir.i64) for column in columns]
    return call("lt", reduce(lambda total, value: call("add", total, value), there), Literal(least, ir.i64))


def _sum(frame: Frame, columns: Sequence[Column], dtype: Any, name: str, skipna: bool, least: int) -> Column:
    below = dtype.numpy_dtype
    wide = types.FLOAT64 if below.kind == "f" else np.dtype(np.uint64 if below.kind == "u" else np.int64)
    type = types.type_of(wide)
    assert type is not None
    op, start = ("add", 0) if name == "sum" else ("mul", 1)
    values: list[Expression] = [call("cast", column.expression, to=ir.optional(type), mode="wrap") for column in columns]
    if skipna:
        values = [call("coalesce", value, literals.number(start, wide)) for value in values]
    total = reduce(lambda made, value: call(op, made, value), values)
    gone = _few(columns, least) if least > 0 else None
    if not skipna:
        gone = _any_null(columns) if gone is None else elementwise.either(gone, _any_null(columns))
    made = total if gone is None else call("select", gone, Literal(None, type), total)
    if below.itemsize == 8:
        return Column(made, dtype)
    limits = np.iinfo(below)
    outside = call("gt", made, Literal(int(limits.max), type))
    if limits.min < 0:
        outside = call("or_", outside, call("lt", made, Literal(int(limits.min), type)))
    widest = pandas.array([], dtype=f"{'U' if below.kind == 'u' else ''}Int64").dtype
    return Column(made, DeferredDtype(dtype, widest, Question(frame.rows, call("is_true", outside)), wide=True))


def _extreme(columns: Sequence[Column], dtype: Any, name: str, skipna: bool) -> Column:
    below = dtype.numpy_dtype
    type = types.type_of(below)
    assert type is not None
    least = np.inf if below.kind == "f" else np.iinfo(below).max
    greatest = -np.inf if below.kind == "f" else np.iinfo(below).min
    edge = literals.number(least if name == "min" else greatest, below)
    values = [call("coalesce", column.expression, edge) for column in columns]
    made = reduce(lambda found, value: call("least" if name == "min" else "greatest", found, value), values)
    return Column(call("select", _few(columns, 1) if skipna else _any_null(columns), Literal(None, type), made), dtype)


def _truth(columns: Sequence[Column], name: str, skipna: bool) -> Column:
    """Whether any or all are true: where that hangs on what is missing, it is missing too, unless that is passed over."""
    decides = name == "any"
    values: list[Expression] = []
    for column in columns:
        below = column.dtype.numpy_dtype
        true = column.expression if below.kind == "b" else call("ne", column.expression, literals.number(0, below))
        values.append(call("coalesce", true, Literal(not decides, ir.bool_)))
    made = reduce(elementwise.either if decides else elementwise.both, values)
    if skipna:
        return Column(made, BOOLEAN)
    unknown = elementwise.both(_any_null(columns), elementwise.negated(made) if decides else made)
    return Column(call("select", unknown, Literal(None, ir.bool_), made), BOOLEAN)

"""One value of each row, across columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from airloom import ir
from airloom.pandas.data import types
from airloom.pandas.operations import elements, scalars
from airloom.pandas.operations.aggregates import present
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column, Frame, Refused, Test, Undecided, Vector


def across(frame: Frame, name: str, numeric_only: bool, skipna: bool, min_count: int, ddof: int) -> Vector:
    """What `axis=1` asks for: an expression over the row."""
    columns = list(frame.columns) if name == "count" and not numeric_only else [elements.known(column) for column in frame.columns]
    if numeric_only:
        columns = [column for column in columns if types.is_number(column.dtype)]
    if not columns:
        raise Refused("no columns")
    if name == "count":
        found = _total([call("cast", present(column), to=ir.i64) for column in columns])
        return Vector(frame.rows, Column(found, types.INT64), None, frame.index)
    if min_count > 0 or not skipna:
        raise Refused("a least count, or missing values that count")
    make = _ACROSS.get(name)
    if make is None:
        raise Refused(f"`{name}` of each row")
    made = make(columns, ddof)
    if name in ("min", "max") and types.is_whole(made.dtype):
        # Of no rows pandas makes floats.
        made = Column(made.expression, Undecided(types.FLOAT64, made.dtype, Test(frame.rows, elements.TRUE), wide=True))
    return Vector(frame.rows, made, None, frame.index)


def _total(values: Sequence[Expression]) -> Expression:
    return reduce(lambda total, value: call("add", total, value), values)


def _common(columns: Sequence[Column]) -> tuple[list[Expression], Any]:
    """The columns in the dtype that all of them go into, as pandas has them in one array."""
    dtypes = {column.dtype for column in columns}
    if not all(types.is_number(dtype) and not types.is_bool(dtype) and dtype != np.float32 for dtype in dtypes):
        raise Refused("columns that are no numbers, or narrow floats")
    if len({dtype.kind for dtype in dtypes} - {"f"}) > 1:
        raise Refused("numbers with a sign and without")
    common = np.result_type(*dtypes)
    return [scalars.cast(column.expression, column.dtype, common) for column in columns], common


def _there(value: Expression, otherwise: float) -> Expression:
    return call("select", call("is_nan", value), Literal(otherwise, ir.f64), value)


def _sum(columns: Sequence[Column], ddof: int, op: str = "add", start: float = 0.0) -> Column:
    values, dtype = _common(columns)
    if types.is_float(dtype):
        values = [_there(value, start) for value in values]
    elif dtype.itemsize < 8:
        wide = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
        values, dtype = [scalars.cast(value, dtype, wide) for value in values], wide
    made = reduce(lambda total, value: call(op, total, value), values)
    return Column(call("add", made, Literal(0.0, ir.f64)) if types.is_float(dtype) and op == "add" else made, dtype)


def _product(columns: Sequence[Column], ddof: int) -> Column:
    return _sum(columns, ddof, "mul", 1.0)


def _mean(columns: Sequence[Column], ddof: int) -> Column:
    values, dtype = _common(columns)
    if not types.is_float(dtype):
        total = _total([call("cast", value, to=ir.f64) for value in values])
        return Column(call("div", total, Literal(float(len(values)), ir.f64)), types.FLOAT64)
    total = _total([_there(value, 0.0) for value in values])
    return Column(call("div", total, _counted(values)), types.FLOAT64)


def _counted(values: Sequence[Expression]) -> Expression:
    """How many values of the row are there, as a float."""
    return _total([call("select", call("is_nan", value), Literal(0.0, ir.f64), Literal(1.0, ir.f64)) for value in values])


def _extreme(op: str, edge: float) -> Any:
    def made(columns: Sequence[Column], ddof: int) -> Column:
        values, dtype = _common(columns)
        if not types.is_float(dtype):
            return Column(reduce(lambda found, value: call(op, found, value), values), dtype)
        found = reduce(lambda found, value: call(op, found, value), [_there(value, edge) for value in values])
        return Column(call("select", call("eq", _counted(values), Literal(0.0, ir.f64)), Literal(float("nan"), ir.f64), found), dtype)

    return made


def _variance(columns: Sequence[Column], ddof: int) -> Column:
    values, dtype = _common(columns)
    values = [scalars.cast(value, dtype, types.FLOAT64) for value in values]
    count = _counted(values)
    mean = call("div", _total([_there(value, 0.0) for value in values]), count)
    squares = []
    for value in values:
        far = call("sub", value, mean)
        squares.append(call("select", call("is_nan", value), Literal(0.0, ir.f64), call("mul", far, far)))
    left = call("sub", count, Literal(float(ddof), ir.f64))
    made = call("div", _total(squares), left)
    return Column(call("select", call("gt", left, Literal(0.0, ir.f64)), made, Literal(float("nan"), ir.f64)), types.FLOAT64)


def _spread(columns: Sequence[Column], ddof: int) -> Column:
    found = _variance(columns, ddof)
    return Column(call("sqrt", found.expression), found.dtype)


def _truth(op: str) -> Any:
    def made(columns: Sequence[Column], ddof: int) -> Column:
        if not all(types.is_bool(column.dtype) for column in columns):
            raise Refused("whether numbers of a row are true")
        return Column(reduce(lambda found, value: call(op, found, value), [column.expression for column in columns]), types.BOOL)

    return made


_ACROSS = {
    "sum": _sum,
    "prod": _product,
    "product": _product,
    "mean": _mean,
    "min": _extreme("least", float("inf")),
    "max": _extreme("greatest", float("-inf")),
    "var": _variance,
    "std": _spread,
    "any": _truth("or_"),
    "all": _truth("and_"),
}

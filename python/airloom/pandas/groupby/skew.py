"""Skewness and kurtosis of groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from airloom import ir
from airloom.pandas.dispatch.registry import operation
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.groupby.grouping import Grouping, group_result
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Expression, Literal, call, fold
from airloom.pandas.plan.frame import Column, Frame, Vector
from airloom.pandas.refusals import Refused, value_text


def _register(name: str) -> None:
    @operation(f"GroupBy.{name}")
    def of_groups(groups: Grouping, skipna: Any = True, numeric_only: Any = False) -> Any:
        if skipna is not True or groups.spans is not None:
            raise Refused(f"`skipna={value_text(skipna)}`, or groups by time")
        positions = groups.positions
        columns = [materialize.decided(groups.frame.columns[position]) for position in positions]
        if numeric_only and not groups.vector:
            kept = [at for at, column in enumerate(columns) if types.is_numeric(column.dtype)]
            positions, columns = [positions[at] for at in kept], [columns[at] for at in kept]
        if not columns or any(column.unsupported or not types.is_number(column.dtype) or column.dtype == np.float32 for column in columns):
            raise Refused(f"`{name}` of columns that are not numbers")
        values = [Column(call("null_to_nan", fold(name, _number(column), skip="all")), types.FLOAT64) for column in columns]
        made = group_result(groups, values, groups.frame.labels.take(positions), [name] * len(values), series=groups.vector)
        return _whole_again(made, [column.dtype for column in columns])


def _number(column: Column) -> Expression:
    return column.expression if types.is_float(column.dtype) else call("cast", column.expression, to=ir.f64)


def _whole_again(made: Any, dtypes: list[Any]) -> Any:
    """Results of integers as such, where all of them are nearly whole. Only where all are about zero is it sure that pandas sees it the same way."""
    columns = list(made.columns) if isinstance(made, Frame) else [made.column]
    start = len(columns) - len(dtypes)
    for at, dtype in enumerate(dtypes, start):
        if types.is_float(dtype):
            continue
        if types.is_bool(dtype) and run.count(made.rows):
            raise Refused("`skew` and `kurt` of booleans")
        value = columns[at].expression
        size = call("abs", value)
        apart = call("abs", call("sub", value, call("round", value, digits=0)))
        near = Literal(1e-7, ir.f64)
        if run.value(made.rows, fold("any", call("not_", call("le", apart, near)))):
            continue
        if run.value(made.rows, fold("any", call("gt", size, Literal(1e-9, ir.f64)))):
            raise Refused("`skew` and `kurt` of integers that come to integers")
        whole = call("cast", call("round", value, digits=0), to=ir.i64 if types.is_bool(dtype) else types.type_of(dtype))
        columns[at] = Column(call("ne", whole, Literal(0, ir.i64)) if types.is_bool(dtype) else whole, dtype)
    if isinstance(made, Vector):
        return Vector(made.rows, columns[0], made.name, made.index)
    return made.with_columns(columns)


for _name in ("skew", "kurt"):
    _register(_name)

"""Numbers as timestamps and timedeltas: each counts units, from the beginning of 1970 where it is a timestamp."""

from __future__ import annotations

from typing import Any

import numpy as np

from airloom import ir
from airloom.pandas.algorithms import elementwise, literals
from airloom.pandas.dtypes import types
from airloom.pandas.ops import masked
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import Rows
from airloom.pandas.refusals import Refused

#: Units that pandas has no dtype for: how many seconds each has. What is cast to one is in seconds.
COARSE = {"m": 60, "h": 3600, "D": 86400}


def is_coarse(dtype: Any) -> bool:
    """Whether this is a dtype of NumPy's for time in a unit that pandas has none for."""
    return isinstance(dtype, np.dtype) and dtype.kind in "mM" and dtype.isnative and np.datetime_data(dtype)[0] in COARSE and np.datetime_data(dtype)[1] == 1


def is_count(column: Column) -> bool:
    """Whether a column may be cast here: it is of NumPy's or of nullable numbers."""
    return types.is_number(column.dtype) or types.is_masked(column.dtype)


def counted(column: Column, rows: Rows, target: Any) -> Column:
    """A column of numbers as time; refused where a number is out of bounds."""
    below = masked.number_of(column.dtype)
    unit = np.datetime_data(target)[0]
    times = COARSE.get(unit, 1)
    dtype = np.dtype(f"{target.kind}8[s]") if times > 1 else target
    value: Expression = call("nan_to_null", column.expression) if below.kind == "f" else column.expression
    if below.kind == "f":
        edge = 2.0**63 / times
        outside = elementwise.either(call("ge", value, literals.number(edge, below)), call("le", value, literals.number(-edge, below)))
        _refuse(rows, call("is_true", outside))
        value = call("cast", call("cast", value, to=ir.optional(ir.f64)), to=ir.optional(ir.i64), mode="lenient")
    else:
        if below == np.uint64:
            _refuse(rows, call("is_true", call("gt", value, Literal((2**63 - 1) // times, ir.u64))))
        value = literals.cast(value, below, types.INT64) if types.is_number(column.dtype) else masked.cast(value, below, types.INT64)
        if times > 1 and below.itemsize == 8 and below.kind == "i":
            most = (2**63 - 1) // times
            _refuse(rows, call("is_true", elementwise.either(call("gt", value, Literal(most, ir.i64)), call("lt", value, Literal(-most, ir.i64)))))
        # The least of all integers stands for what is missing.
        least = call("is_true", call("eq", value, Literal(-(2**63), ir.i64)))
        value = elementwise.select(least, Literal(None, ir.i64), value)
    if times > 1:
        value = call("mul", value, Literal(times, ir.i64))
    return Column(call("cast", value, to=types.type_of(dtype)), dtype)


def _refuse(rows: Rows, outside: Expression) -> None:
    if elementwise.any_row(rows, outside):
        raise Refused("numbers out of bounds of timestamps or timedeltas")

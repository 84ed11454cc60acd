"""Aggregates of groups that are asked for by group: means and medians of time, and nothing of what has no native type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas

from airloom import ir
from airloom.pandas.dtypes import types
from airloom.pandas.execution import run
from airloom.pandas.internals import materialize
from airloom.pandas.plan.expression import Expression, Literal, Ref, Slot, call, fold
from airloom.pandas.plan.frame import Column
from airloom.pandas.plan.rows import Grouped, space_of
from airloom.pandas.refusals import Refused

if TYPE_CHECKING:
    from airloom.pandas.groupby.grouping import Grouping

#: Integers up to here are floats without loss.
_EXACT = float(2**53)


def particular(groups: Grouping, name: str, column: Column, options: dict[str, Any]) -> Column | None:
    """An aggregate of a column that cannot be told without its groups; none where it can."""
    if column.unsupported:
        return _of_no_rows(groups, name, column)
    if name == "sum" and isinstance(column.dtype, np.dtype) and column.dtype == np.dtype("m8[ns]"):
        _check_sums(groups, column)
        return None
    if name in ("mean", "median") and options.get("skipna", True):
        column = materialize.decided(column)
        if types.is_time(column.dtype) or types.is_duration(column.dtype):
            return _middle(groups, name, column)
    return None


def _of_no_rows(groups: Grouping, name: str, column: Column) -> Column | None:
    """The aggregate of a column without a native type, where there are no rows: nothing of the same kind."""
    if name not in ("min", "max", "first", "last") or space_of(groups.frame.rows).count != 0 or groups.whole or groups.spans is not None:
        return None
    if not isinstance(column.dtype, pandas.PeriodDtype):
        return None
    return Column(call("sub", fold("count", groups.keys[0].expression, skip="none"), Literal(1, ir.i64)), column.dtype, column.held)


def _check_sums(groups: Grouping, column: Column) -> None:
    """Refuses sums of nanoseconds that may not fit, of which pandas complains: coarser units come nowhere near."""
    number = call("cast", call("cast", column.expression, to=ir.optional(ir.i64)), to=ir.optional(ir.f64))
    if run.value(groups.frame.rows, fold("sum", call("abs", number), skip="all", reassoc=True)) > 2.0**62:
        raise Refused("a sum of timedeltas that may overflow")


def _middle(groups: Grouping, name: str, column: Column) -> Column:
    """The mean or the median of timestamps or timedeltas. pandas has them as floats: the same, as long as these are exact."""
    type = types.type_of(column.dtype)
    assert type is not None
    number = call("cast", call("cast", column.expression, to=ir.optional(ir.i64)), to=ir.optional(ir.f64))
    size: Expression = fold("sum" if name == "mean" else "max", call("abs", number), skip="all")
    bound = _EXACT if name == "mean" else _EXACT / 2
    slot = Slot("size")
    checked = Grouped(groups.rows_with_keys(), {Slot("key"): key.expression for key in groups.keys}, {slot: size})
    if run.value(checked, fold("any", call("gt", Ref(slot), Literal(bound, ir.f64)), skip="null")):
        raise Refused(f"the {name} of timestamps or timedeltas that a float rounds")
    made = call("cast", fold(name, number, skip="all"), to=ir.optional(ir.i64), mode="wrap")
    return Column(call("cast", made, to=type), column.dtype)

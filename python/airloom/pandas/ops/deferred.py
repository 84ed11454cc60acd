"""Dtypes of aggregates that depend on the values of all groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from airloom.pandas.dtypes import types
from airloom.pandas.plan.expression import Expression, Literal, call
from airloom.pandas.plan.frame import DeferredDtype, Question
from airloom.pandas.plan.rows import Rows


class Counted:
    """The dtype of integers in groups that may be null for want of enough values: floats where any is."""

    __slots__ = ("plain",)

    def __init__(self, plain: Any) -> None:
        self.plain = plain

    def over(self, rows: Rows, expression: Expression) -> DeferredDtype:
        """The dtype of values that stand in these rows."""
        return DeferredDtype(self.plain, types.FLOAT64, Question(rows, call("is_null", expression)))


class Narrowed:
    """The dtype of sums of narrow integers in groups: the narrow one where every sum fits in it, else the wide one."""

    __slots__ = ("narrow", "wide")

    def __init__(self, narrow: Any, wide: Any) -> None:
        self.narrow = narrow
        self.wide = wide

    def changed(self, change: Callable[[Any], Any]) -> Narrowed:
        """The same of the dtypes in their place."""
        return Narrowed(change(self.narrow), change(self.wide))

    def over(self, rows: Rows, expression: Expression) -> DeferredDtype:
        """The dtype of sums that stand in these rows."""
        limits = np.iinfo(getattr(self.narrow, "numpy_dtype", self.narrow))
        type = types.type_of(self.wide)
        assert type is not None
        outside: Expression = call("gt", expression, Literal(int(limits.max), type.required))
        if limits.min < 0:
            outside = call("or_", outside, call("lt", expression, Literal(int(limits.min), type.required)))
        return DeferredDtype(self.narrow, self.wide, Question(rows, call("is_true", outside) if type.nullable else outside), wide=True)
